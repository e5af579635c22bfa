package runner

import (
	"sort"

	"spell-lsp/runner/sampler"
)

// A timeline is what the sampler read while a program ran, in the order of time.
// Only differences of sums say something: they began at different times.
type timeline struct {
	first     uint64    // number of the first reading
	published []int64   // monotonic, ns: when readings were counted
	updated   []int64   // and of which moment the meter's values are
	cpu       []int64   // CPU time of the program, ns
	busy, own []int64   // of all processes, and of the sampler, ns
	rest      []float64 // of other processes, ns; filled in as ticks are whole
	faulty    []bool    // the energy since the reading before is not known
	joules    []float64
	domains   int
	family    descendants
	perCPU    []float64 // by domain: joules that the meter leaves out for each second of CPU time of descendants; nil for none
	ended     int64     // when the program had ended, monotonic
	fault     error     // a *MeterError if a reading failed
}

// add appends a reading.
func (k *timeline) add(r sampler.Reading, cpu int64) {
	if len(k.published) == 0 {
		k.first = r.Number
	}
	k.published, k.updated = append(k.published, r.PublishedNS), append(k.updated, r.UpdatedNS)
	k.cpu, k.busy, k.own = append(k.cpu, cpu), append(k.busy, r.BusyNS), append(k.own, r.OwnNS)
	k.faulty, k.joules = append(k.faulty, r.Faulty), append(k.joules, r.Joules...)
}

// A moment is what had been used at an instant: CPU time of the program, of its
// descendants, of the sampler and of other processes, in ns, and energy by domain.
type moment struct {
	cpu, children, own, others float64
	joules                     []float64
}

// at returns what had been used at an instant, by linear interpolation.
func (k *timeline) at(t int64) moment {
	m := moment{joules: make([]float64, k.domains)}
	i, part := place(k.published, t)
	if i < 0 {
		return m
	}
	next := min(i+1, len(k.published)-1)
	m.cpu = between(float64(k.cpu[i]), float64(k.cpu[next]), part)
	m.own = between(float64(k.own[i]), float64(k.own[next]), part)
	if next < len(k.rest) {
		m.others = between(k.rest[i], k.rest[next], part)
	}
	m.children = k.family.at(t)
	i, part = place(k.updated, t)
	next = min(i+1, len(k.updated)-1)
	for d := range m.joules {
		m.joules[d] = between(k.joules[i*k.domains+d], k.joules[next*k.domains+d], part)
		if k.perCPU != nil {
			m.joules[d] += k.perCPU[d] * m.children / 1e9
		}
	}
	return m
}

// place finds the reading before t, and what part of the way to the next t is; -1
// if there is no reading.
func place(times []int64, t int64) (i int, part float64) {
	n := len(times)
	i = sort.Search(n, func(i int) bool { return times[i] > t }) - 1
	switch {
	case n == 0:
		return -1, 0
	case i < 0:
		return 0, 0
	case i == n-1:
		return i, 0
	}
	return i, float64(t-times[i]) / float64(times[i+1]-times[i])
}

func between(a, b, part float64) float64 { return a + part*(b-a) }

// last is the time of the last reading, 0 if there is none.
func (k *timeline) last() int64 {
	if len(k.published) == 0 {
		return 0
	}
	return k.published[len(k.published)-1]
}

// programNS is the program's CPU time.
func (k *timeline) programNS() float64 { return float64(last(k.cpu)) }

func last[T int64 | float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	return values[len(values)-1]
}
