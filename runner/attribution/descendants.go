package attribution

import "spell-lsp/instrument/probe"

// descendants are what all descendants of a program had used at the moments at which
// they were looked at; between two of them that grows evenly.
type descendants struct {
	times []int64   // monotonic, ns
	ns    []float64 // CPU time of all of them
	apart []float64 // CPU time of those that the program never waits for
}

// add appends what was seen at a moment. Moments at which nothing was added are left
// out, but for the last one before something is.
func (s *descendants) add(t, allNS, apartNS int64) {
	all, apart := float64(allNS), float64(apartNS)
	if n := len(s.times); n >= 2 && s.ns[n-1] == all && s.ns[n-2] == all && s.apart[n-1] == apart {
		s.times[n-1] = t
		return
	}
	s.append(t, all, apart)
}

func (s *descendants) append(t int64, all, apart float64) {
	s.times, s.ns, s.apart = append(s.times, t), append(s.ns, all), append(s.apart, apart)
}

// maxRoundingNS bounds how far a sample may fall short of the true CPU time: the kernel
// shows what the program waited for as two sums in hundredths of a second.
const maxRoundingNS = 20_000_000

// refine corrects the samples with the probe's own getrusage readings from where tests
// begin and end. The CPU time of children that the program has waited for is exact there;
// that of others is known to be 0 if there were none, else it lies between two samples.
func (s *descendants) refine(waits []probe.Wait) {
	n := len(s.times)
	if n == 0 || s.ns[n-1] == 0 {
		return
	}
	var all descendants
	least := 0.0
	add := func(t int64, ns, apart float64) {
		least = max(least, ns)
		all.append(t, least, apart)
	}
	for i, t := range s.times {
		for len(waits) > 0 && waits[0].At < t {
			if w := waits[0]; i > 0 && w.At > s.times[i-1] {
				_, part := place(s.times, w.At)
				apart := between(s.apart[i-1], s.apart[i], part)
				ns := min(float64(w.NS)+apart, s.ns[i]+maxRoundingNS)
				if !w.None {
					ns = max(ns, between(s.ns[i-1], s.ns[i], part))
				}
				add(w.At, ns, apart)
			}
			waits = waits[1:]
		}
		add(t, s.ns[i], s.apart[i])
	}
	s.times, s.ns, s.apart = all.times, all.ns, all.apart
}

// at is what had been used at an instant, in ns.
func (s *descendants) at(t int64) float64 {
	i, part := place(s.times, t)
	if i < 0 {
		return 0
	}
	return between(s.ns[i], s.ns[min(i+1, len(s.ns)-1)], part)
}
