package attribution

// othersWindow is the time over which the CPU time of other processes is taken together, in
// ns: the kernel reports it in hundredths of a second.
const othersWindow = 250_000_000

// childrenS is the CPU time of the program's descendants between two readings, in s.
func (k *Timeline) childrenS(a, b int) float64 {
	return (k.family.at(k.published[b]) - k.family.at(k.published[a])) / 1e9
}

// unmeasured is the CPU time of descendants beyond what those with probes ran, family, in each of
// as many ticks, the first of which ends with a reading, in s. When descendants ran is known from
// polls only, so that where some have probes, the rest of a window is spread evenly over it.
func (k *Timeline) unmeasured(from int, family []float64) []float64 {
	list := make([]float64, len(family))
	to := from + len(family)
	for start := max(1, from); start < to; {
		end := k.windowEnd(start, to, func(int) bool { return true })
		lengths, free := make([]float64, end-start+1), make([]float64, end-start+1)
		ran := 0.0
		for i := range free {
			tick := start + i
			lengths[i] = k.tickS(tick)
			free[i] = max(0, k.room(tick)-family[tick-from])
			ran += family[tick-from]
			list[tick-from] = k.childrenS(tick-1, tick)
		}
		if ran > 0 {
			copy(list[start-from:], spread(max(0, k.childrenS(start-1, end)-ran), lengths, free))
		}
		start = end + 1
	}
	return list
}

// room is the processors' time that the program and the sampler left in a tick, in s.
func (k *Timeline) room(tick int) float64 {
	return max(0, float64(k.cores)*k.tickS(tick)-k.tickCPU(tick)-float64(k.own[tick]-k.own[tick-1])/1e9)
}

// others is the CPU time of other processes in each of the ticks from up to, but not
// including, to, in s. Within a window it is spread evenly, but a tick gets no more than the
// program, its descendants and the sampler left. How busy the machine was is not read with each tick, and the program's time
// is: so a window ends with a tick that has it from its own moment.
func (k *Timeline) others(from, to int) []float64 {
	list := make([]float64, to-from)
	for start := max(1, from); start < to; {
		end := k.windowEnd(start, to, func(tick int) bool { return k.busy[tick] != k.busy[tick-1] })
		others := max(0, float64(k.busy[end]-k.busy[start-1])/1e9-k.used(start-1, end))
		free, lengths := make([]float64, end-start+1), make([]float64, end-start+1)
		for i := range free {
			tick := start + i
			lengths[i] = k.tickS(tick)
			free[i] = max(0, float64(k.cores)*lengths[i]-k.used(tick-1, tick))
		}
		copy(list[start-from:], spread(others, lengths, free))
		start = end + 1
	}
	return list
}

// spread divides a sum in proportion to lengths, each part up to its limit.
func spread(sum float64, lengths, limits []float64) []float64 {
	parts := make([]float64, len(lengths))
	for range spreadSteps {
		var open float64 // the length of those that can have more
		for i, limit := range limits {
			if parts[i] < limit {
				open += lengths[i]
			}
		}
		left := sum
		for _, p := range parts {
			left -= p
		}
		if open <= 0 || left <= 1e-9*sum {
			break
		}
		for i, limit := range limits {
			if parts[i] < limit {
				parts[i] = min(limit, parts[i]+left*lengths[i]/open)
			}
		}
	}
	return parts
}

const spreadSteps = 10

// windowEnd is the last tick of the window that starts with a tick, one of those that may end a window. It is the last tick of
// all where the rest would be too short for another window.
func (k *Timeline) windowEnd(start, to int, may func(tick int) bool) int {
	end := start
	for end < to-1 && (k.published[end]-k.published[start-1] < othersWindow || !may(end)) {
		end++
	}
	if k.published[to-1]-k.published[end] < othersWindow {
		return to - 1
	}
	return end
}

// used is the CPU time of the program, its descendants and the sampler between two
// readings, in s.
func (k *Timeline) used(a, b int) float64 {
	return float64(k.cpu[b]-k.cpu[a]+k.own[b]-k.own[a])/1e9 + k.childrenS(a, b)
}
