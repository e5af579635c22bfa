package attribution

import "math"

// A Rest is what was seen of the machine before the first round.
type Rest struct {
	IdleW []float64 // power of the idle machine by domain: the minimum over a few windows, as other processes only add to it
	MeanW []float64 // mean power by domain, with the sampler and with what others did; nil where the program ran already
	// CoreW is the power of each core, by counter: the minimum, as in IdleW; CoresW is the mean power of all cores together,
	// as in MeanW. CoreW is nil where not all are known.
	CoreW  []float64
	CoresW float64
	// How many processors others and the sampler kept busy meanwhile.
	OthersLoad, SamplerLoad float64
}

const (
	// RestWindowNS is the length of a window over which the idle power is averaged.
	RestWindowNS = 100_000_000
	// unseenLoad is by how many busy processors the sum of all tasks may at least fall short of what the processors were
	// not idle before it counts as incomplete: tasks of other users can be hidden.
	unseenLoad = 0.1
	// kernelTickS is roughly the granularity of idle time on kernels that do not stop the clock of an idle processor: whether it
	// is idle is seen at each tick of the clock, so how much of a burst is counted is a matter of chance.
	kernelTickS = 4e-3
)

// unseen is that limit for a given load: three standard deviations of such idle time, if that is more.
func unseen(load, seconds float64) float64 {
	return max(unseenLoad, 3*math.Sqrt(load*kernelTickS/seconds))
}

// Rest is the machine during the readings, while no program runs. It is false where a reading
// is faulty, or there are fewer than minReadings. tasksLoad is the number of processors that
// others kept busy by the kernel's exact times of single tasks; where tasks are hidden, the
// idle time of the processors is used.
func (k *Timeline) Rest(m *Machine, minReadings int, tasksLoad float64) (Rest, bool) {
	end := len(k.published) - 1
	if faulty, _ := k.Broken(math.MaxInt64); faulty || end+1 < minReadings {
		return Rest{}, false
	}
	seconds := float64(k.updated[end]-k.updated[0]) / 1e9
	r := Rest{
		IdleW: minPower(k.joules, k.updated, RestWindowNS), MeanW: make([]float64, k.domains),
		OthersLoad:  sum(k.others(0, end+1)) / seconds,
		SamplerLoad: float64(k.own[end]-k.own[0]) / 1e9 / seconds,
	}
	r.CoreW, r.CoresW = k.coreWatts()
	if tasksLoad >= r.OthersLoad-unseen(r.OthersLoad, seconds) {
		r.OthersLoad = tasksLoad
	}
	for d := range r.MeanW {
		r.MeanW[d] = (k.joules[end*k.domains+d] - k.joules[d]) / seconds
		if m.UpdateNS[d] > FineNS {
			r.IdleW[d] = r.MeanW[d] // a window is too short for it
		}
	}
	return r, true
}

// minPower is the lowest mean power of windows of so many ns, by counter, from joules by moment and counter; of the whole
// time, if that is shorter.
func minPower(joules []float64, at []int64, window int64) []float64 {
	counters := len(joules) / len(at)
	least := make([]float64, counters)
	for c := range least {
		least[c] = math.Inf(1)
	}
	from := 0
	for i := range at {
		length := at[i] - at[from]
		if length < window*9/10 && (from > 0 || i < len(at)-1) || length <= 0 {
			continue
		}
		for c := range least {
			watts := (joules[i*counters+c] - joules[from*counters+c]) / (float64(length) / 1e9)
			least[c] = min(least[c], max(0, watts))
		}
		from = i
	}
	return least
}
