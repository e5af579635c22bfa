package attribution

import "spell-lsp/instrument/probe"

// descendants is the CPU time of all descendants of a program, sampled at moments and
// interpolated between them.
type descendants struct {
	times []int64   // monotonic, ns
	ns    []float64 // CPU time of all of them so far
	apart []float64 // of these, the CPU time of those that the program never waits for
}

// add appends a sample. Of equal samples in a row only the first and the last are kept.
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
// reports the children that were waited for as two sums in hundredths of a second
// (/proc/pid/stat).
const maxRoundingNS = 20_000_000

// refine adds the getrusage readings that the probe took where tests begin and end. They are
// exact for children that the program has waited for. Without other children that is all;
// otherwise the value is at least what interpolation says.
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

// at is the CPU time up to an instant, in ns.
func (s *descendants) at(t int64) float64 {
	i, part := place(s.times, t)
	if i < 0 {
		return 0
	}
	return between(s.ns[i], s.ns[min(i+1, len(s.ns)-1)], part)
}
