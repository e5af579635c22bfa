package attribution

import (
	"math"

	"spell-lsp/instrument/probe"
)

// A Reading is one of the meter, with what had been used by then. Sums begin anywhere: only
// their differences say something.
type Reading struct {
	Number      uint64 // in the order of time; what a probe calls its tick is the number of the reading that ends it
	PublishedNS int64  // when the reading was counted: the end of its tick for the probes
	UpdatedNS   int64  // when the counter got this value
	CPUNS       int64  // CPU time of the program
	BusyNS      int64  // CPU time of all processes, known each 10 ms at best (/proc/stat)
	OwnNS       int64  // CPU time of the sampler
	// Weight is the dynamic power at the frequency of the processors that were busy shortly before, relative to that at their base
	// frequency; 0 where it is not known.
	Weight   float64
	Faulty   bool // energy is missing since the reading before
	Joules   []float64
	Separate []float64 // joules of counters beside the domains; not a number where not known since the reading before
	CoreJ    []float64 // joules by Machine.CoreCPUs; not a number likewise
}

// A Timeline is what was read while one program ran, in the order of time.
type Timeline struct {
	domains   int
	apart     int // separate counters
	cores     int
	perCPU    []float64 // by domain: joules that the meter leaves out for each second of CPU time of descendants; nil for none
	first     uint64    // number of the first reading
	published []int64
	updated   []int64
	cpu       []int64
	busy, own []int64
	rest      []float64 // CPU time of other processes up to each reading, ns; follows as ticks are settled
	faulty    []bool
	weight    []float64 // as in Reading
	joules    []float64 // by reading and domain
	separate  []float64 // by reading and separate counter, as in Reading
	missed    []bool    // by separate counter: whether a reading lacks it
	coreOf    []int     // by processor: the counter of its core, -1 for none
	counters  int       // of cores
	coreJ     []float64 // by reading, from coresFrom on, and counter of a core, as in Reading
	coresFrom int
	family    descendants
}

// NewTimeline makes the timeline of one execution.
func NewTimeline(m *Machine) *Timeline {
	return &Timeline{domains: len(m.Domains), apart: len(m.Separate), missed: make([]bool, len(m.Separate)), coreOf: coreOf(m.CoreCPUs), counters: len(m.CoreCPUs), cores: m.Cores, perCPU: m.PerCPUSecond}
}

// Add appends a reading.
func (k *Timeline) Add(r Reading) {
	if len(k.published) == 0 {
		k.first = r.Number
	}
	k.published, k.updated = append(k.published, r.PublishedNS), append(k.updated, r.UpdatedNS)
	k.cpu, k.busy, k.own = append(k.cpu, r.CPUNS), append(k.busy, r.BusyNS), append(k.own, r.OwnNS)
	k.faulty, k.joules = append(k.faulty, r.Faulty), append(k.joules, r.Joules...)
	k.weight = append(k.weight, r.Weight)
	k.separate = append(k.separate, r.Separate...)
	if k.counters > 0 {
		k.coreJ = append(k.coreJ, r.CoreJ...)
	}
	for s, joules := range r.Separate {
		k.missed[s] = k.missed[s] || math.IsNaN(joules)
	}
}

// AddDescendants appends what all descendants of the program had used at an instant, and
// those of them that it never waits for (apart), in ns.
func (k *Timeline) AddDescendants(t, allNS, apartNS int64) { k.family.add(t, allNS, apartNS) }

// RefineDescendants takes the program's own getrusage readings into account.
func (k *Timeline) RefineDescendants(waits []probe.Wait) { k.family.refine(waits) }

// LastNS is the time of the last reading, 0 if there is none.
func (k *Timeline) LastNS() int64 { return last(k.published) }

// ProgramNS is the program's CPU time.
func (k *Timeline) ProgramNS() int64 { return last(k.cpu) }

// DescendantsNS is the CPU time of all descendants.
func (k *Timeline) DescendantsNS() int64 { return int64(last(k.family.ns)) }

// Broken looks for the first tick that is faulty or longer than maxGapNS. It says which of the
// two it is, with the length of a long one.
func (k *Timeline) Broken(maxGapNS int64) (faulty bool, gapNS int64) {
	for i := 1; i < len(k.published); i++ {
		if gap := k.published[i] - k.published[i-1]; k.faulty[i] || gap > maxGapNS {
			if k.faulty[i] {
				return true, 0
			}
			return false, gap
		}
	}
	return false, 0
}

// FrozenNS is the time for which the counter of a domain stood still, if that is longer than
// limit, in ns, and the program was running for half of the limit; otherwise 0.
func (k *Timeline) FrozenNS(domain int, limit int64) int64 {
	from := 0
	for i := range k.published {
		if k.joules[i*k.domains+domain] != k.joules[from*k.domains+domain] {
			from = i
		}
		if still := k.published[i] - k.published[from]; still > limit && k.cpu[i]-k.cpu[from] > limit/2 {
			return still
		}
	}
	return 0
}

// A moment is everything used up to an instant: CPU time of the program, its descendants, the
// sampler and other processes, in ns, and energy by domain and by separate counter, in J.
type moment struct {
	cpu, children, own, others float64
	joules, separate           []float64
}

// at interpolates linearly between readings.
func (k *Timeline) at(t int64) moment {
	m := moment{joules: make([]float64, k.domains), separate: make([]float64, k.apart)}
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
	for s := range m.separate {
		m.separate[s] = between(k.separate[i*k.apart+s], k.separate[next*k.apart+s], part)
	}
	return m
}

// lacks says whether a reading from one instant to the other lacks the energy of a separate counter, or the
// reading after them.
func (k *Timeline) lacks(counter int, from, to int64) bool {
	if !k.missed[counter] {
		return false
	}
	first, _ := place(k.updated, from)
	end, _ := place(k.updated, to)
	for i := first; i <= min(end+1, len(k.updated)-1); i++ {
		if math.IsNaN(k.separate[i*k.apart+counter]) {
			return true
		}
	}
	return false
}

// tickS is the length of the tick that ends with a reading, and tickCPU the program's CPU
// time in it, in s.
func (k *Timeline) tickS(tick int) float64 {
	return float64(k.published[tick]-k.published[tick-1]) / 1e9
}

func (k *Timeline) tickCPU(tick int) float64 { return float64(k.cpu[tick]-k.cpu[tick-1]) / 1e9 }
