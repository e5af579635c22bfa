package runner

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/children"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/power"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// looks are what was seen of descendants: moments and CPU time, in ms.
func looks(pairs ...[2]float64) descendants {
	var s descendants
	for _, p := range pairs {
		s.add(int64(p[0]*millisecond), int64(p[1]*millisecond), 0)
	}
	return s
}

// Between two looks the CPU time of descendants grows evenly; looks that see nothing new
// are not kept, but the last of them is: a child that begins late did not run before.
func TestDescendantsBetweenLooks(t *testing.T) {
	s := looks([2]float64{0, 0}, [2]float64{20, 0}, [2]float64{40, 0}, [2]float64{60, 0}, [2]float64{80, 10}, [2]float64{100, 30}, [2]float64{120, 30}, [2]float64{900, 30})
	for at, want := range map[float64]float64{-5: 0, 0: 0, 50: 0, 60: 0, 70: 5, 80: 10, 90: 20, 100: 30, 500: 30, 2000: 30} {
		if got := s.at(int64(at * millisecond)); got != want*millisecond {
			t.Errorf("at %v ms they had used %v ms, want %v", at, got/millisecond, want)
		}
	}
	if len(s.times) > 6 {
		t.Errorf("%d looks are kept, want those that tell something", len(s.times))
	}
	if got := (&descendants{}).at(5); got != 0 {
		t.Errorf("without a look they used %v ns", got)
	}
}

// What the program says where tests begin and end is exact where looks are not: a test
// has what its own children used, however late somebody looked.
func TestDescendantsByWhatTheProgramSays(t *testing.T) {
	at := func(ms float64, waited float64, none bool) probe.Wait {
		return probe.Wait{At: int64(ms * millisecond), NS: int64(waited * millisecond), None: none}
	}
	for _, test := range []struct {
		why   string
		looks [][2]float64
		apart []float64 // by look, ms; nil for none
		waits []probe.Wait
		want  map[float64]float64
	}{
		{
			"a child between two looks that are far apart",
			[][2]float64{{0, 0}, {1000, 600}}, nil,
			[]probe.Wait{at(100, 0, true), at(700, 600, true), at(800, 600, true)},
			map[float64]float64{100: 0, 400: 300, 700: 600, 800: 600, 1000: 600},
		},
		{
			"the kernel shows the sum rounded down",
			[][2]float64{{0, 0}, {1000, 590}, {1100, 590}}, nil,
			[]probe.Wait{at(100, 0, true), at(700, 605, true)},
			map[float64]float64{100: 0, 700: 605, 1000: 605, 1100: 605},
		},
		{
			"a child that runs on: it is between two looks, and no less than what was waited for",
			[][2]float64{{0, 0}, {100, 50}, {200, 150}}, nil,
			[]probe.Wait{at(120, 0, false), at(150, 130, false)},
			map[float64]float64{120: 70, 150: 130, 200: 150},
		},
		{
			"an orphan goes on beside",
			[][2]float64{{0, 0}, {100, 100}, {200, 250}}, []float64{0, 100, 200},
			[]probe.Wait{at(150, 50, true)},
			map[float64]float64{100: 100, 150: 200, 200: 250},
		},
		{
			"more than was seen at all is not believed",
			[][2]float64{{0, 0}, {100, 50}, {200, 60}}, nil,
			[]probe.Wait{at(50, 1e9, true)},
			map[float64]float64{50: 70, 200: 70},
		},
		{
			"there were no children",
			[][2]float64{{0, 0}, {100, 0}}, nil,
			[]probe.Wait{at(50, 0, true), at(60, 0, true)},
			map[float64]float64{50: 0, 100: 0},
		},
		{
			"what is from before the first look, or after the last, tells nothing",
			[][2]float64{{10, 0}, {100, 50}}, nil,
			[]probe.Wait{at(5, 0, true), at(500, 9, true)},
			map[float64]float64{55: 25, 500: 50},
		},
	} {
		t.Run(test.why, func(t *testing.T) {
			var s descendants
			for i, l := range test.looks {
				apart := 0.0
				if test.apart != nil {
					apart = test.apart[i]
				}
				s.add(int64(l[0]*millisecond), int64(l[1]*millisecond), int64(apart*millisecond))
			}
			s.learn(test.waits)
			for at, want := range test.want {
				if got := s.at(int64(at*millisecond)) / millisecond; math.Abs(got-want) > 1e-6 {
					t.Errorf("at %v ms they had used %v ms, want %v", at, got, want)
				}
			}
		})
	}
}

// readings make a timeline with a reading each 10 ms, in which the program used so much
// CPU time in each, and the machine was as busy as it says.
func readings(program, busy []float64) timeline {
	k := timeline{domains: 1, published: []int64{0}, updated: []int64{0}, cpu: []int64{0}, busy: []int64{0}, own: []int64{0}, faulty: []bool{false}, joules: []float64{0}}
	for i := range program {
		t := int64(i+1) * 10 * millisecond
		k.published, k.updated = append(k.published, t), append(k.updated, t)
		k.cpu = append(k.cpu, k.cpu[i]+int64(program[i]*millisecond))
		k.busy = append(k.busy, k.busy[i]+int64(busy[i]*millisecond))
		k.own, k.faulty, k.joules = append(k.own, 0), append(k.faulty, false), append(k.joules, k.joules[i])
	}
	return k
}

// Children are no other processes, though the kernel counts them among all that ran.
func TestChildrenAreNoOthers(t *testing.T) {
	k := readings([]float64{1, 1, 1, 1}, []float64{10, 10, 10, 10})
	k.family = looks([2]float64{0, 0}, [2]float64{40, 32})
	var others float64
	for _, s := range k.others(0, 5, 1) {
		others += s
	}
	if want := 0.040 - 0.004 - 0.032; math.Abs(others-want) > 1e-9 {
		t.Errorf("others ran for %v s, want %v", others, want)
	}
}

// A child's energy is the child's: of two tests, one of which starts a child that computes
// for 60 ms, the functions have what they have without it, and the other test has nothing
// of it. The meter is a model, which goes by CPU time.
func TestEnergyOfChildren(t *testing.T) {
	const idleW, busyW = 2, 30
	k := readings([]float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, make([]float64, 10))
	for i := range k.joules {
		k.joules[i] = idleW*float64(i)*0.01 + busyW*float64(k.cpu[i])/1e9
	}
	k.perCPU = []float64{busyW}
	k.family = looks([2]float64{0, 0}, [2]float64{100, 60})
	k.family.learn([]probe.Wait{{At: 0, None: true}, {At: 50 * millisecond, None: true}, {At: 99 * millisecond, NS: 60 * millisecond, None: true}})
	m := &measurement{info: meter.Info{Domains: []spell.Domain{spell.CPU}}}
	w := &powers{domains: 1, idle: []float64{idleW}}
	window := func(from, to int64) (map[int]share, map[record.Part]portion, *observation) {
		counts := map[int]probe.Count{1: {N: 1, SelfNS: 25 * millisecond}}
		o := &observation{joules: make([]float64, 1)}
		m.addWindow(o, &execution{line: k}, probe.Window{Start: from * millisecond, End: to * millisecond, Counts: counts}, probeCost{})
		shares, parts := newPool(1, nil).attribute(o.intervals[0], w)
		return shares, parts, o
	}
	for _, test := range []struct {
		from, to      int64
		child, joules float64 // ms and J of the child
	}{{0, 50, 0, 0}, {50, 100, 60, 1.8}} {
		shares, parts, o := window(test.from, test.to)
		near(t, "energy of the function", shares[0].joules[0], 0.025*busyW, 1e-6)
		near(t, "energy of the idle machine", parts[record.Idle].joules[0], 0.05*idleW, 1e-6)
		part, has := parts[record.Children]
		if has != (test.child > 0) {
			t.Errorf("from %d ms: the part is there: %t", test.from, has)
		}
		if has {
			near(t, "energy of the child", part.joules[0], test.joules, 1e-6)
			near(t, "CPU time of the child", part.ns, test.child*millisecond, 1e-6)
		}
		var sum float64
		for _, p := range parts {
			sum += p.joules[0]
		}
		near(t, "all parts", sum+shares[0].joules[0], o.joules[0], 1e-9)
	}
}

// With a counter, the power of children is found beside that of functions, though they
// run at the same time: 20 W and 5 W.
func TestPowerOfChildren(t *testing.T) {
	const function, child, idle = 5.0, 20.0, 3.0
	m := &measurement{
		info: meter.Info{Domains: []spell.Domain{spell.CPU}, Counter: true}, inModel: []int{0}, cores: 2,
		model: power.New(1, powerRows(1)), build: &instrument.Build{Components: make([]spell.Component, 1)},
	}
	k := timeline{domains: 1}
	seconds := func(i int, period int) float64 { return 0.01 * float64(i%period) / float64(period) }
	var cpu, used, joules float64
	for i := range 2000 {
		ran, computed := seconds(i, 7), seconds(i, 11)
		cpu, used, joules = cpu+ran*1e9, used+computed*1e9, joules+idle*0.01+function*ran+child*computed
		t := int64(i) * 10 * millisecond
		k.published, k.updated, k.faulty = append(k.published, t), append(k.updated, t), append(k.faulty, false)
		k.cpu, k.own, k.joules = append(k.cpu, int64(cpu)), append(k.own, 0), append(k.joules, joules)
		k.family.add(t, int64(used), 0)
		if i > 0 {
			m.addTick(&k, i, []power.Entry{{Row: 1, Seconds: ran}}, 0)
		}
	}
	fit := m.model.Fit()
	near(t, "power of a function", fit.Watts(1, 0).Watts, function, 0.2)
	near(t, "power of children", fit.Watts(uint32(childrenRow(1)), 0).Watts, child, 0.2)
}

// From a twentieth on of what the tests used, of energy or of CPU time, a run warns of
// child processes, and names the programs.
func TestWarningOfChildren(t *testing.T) {
	for _, test := range []struct {
		why            string
		cpuMS, childMS float64 // of functions and of children
		joules, childJ float64 // of the tests, and of children
		programs       []children.Program
		want           string
	}{
		{"none", 100, 0, 10, 0, nil, ""},
		{"too little", 960, 40, 100, 4, []children.Program{{Name: "sh", NS: 4}}, ""},
		{"a twentieth of the time", 950, 50, 100, 1, []children.Program{{Name: "sh", NS: 50}},
			`child processes used 5.0 % of the CPU time of the tests and 1.0 % of their energy (sh 100.0 %): it belongs to no function, but is unattributed, as "child processes"`},
		{"a twentieth of the energy", 990, 10, 100, 5, []children.Program{{Name: "cc1", NS: 30}, {Name: "sh", NS: 10}, {Name: "", NS: 60}},
			`child processes used 1.0 % of the CPU time of the tests and 5.0 % of their energy (cc1 30.0 %, sh 10.0 %, unknown 60.0 %): it belongs to no function, but is unattributed, as "child processes"`},
		{"no energy is known", 0, 50, 0, 0, []children.Program{{Name: "a", NS: 40}, {Name: "b", NS: 30}, {Name: "c", NS: 20}, {Name: "d", NS: 6}, {Name: "e", NS: 4}},
			`child processes used 100.0 % of the CPU time of the tests (a 40.0 %, b 30.0 %, c 20.0 %, other programs 10.0 %): it belongs to no function, but is unattributed, as "child processes"`},
		{"too little, and no energy is known", 960, 40, 0, 0, nil, ""},
		{"nobody saw them", 0, 50, 0, 0, []children.Program{{Name: "", NS: 6}},
			`child processes used 100.0 % of the CPU time of the tests (too short for their names to be seen): it belongs to no function, but is unattributed, as "child processes"`},
		{"a name that speaks to terminals", 0, 50, 0, 0, []children.Program{{Name: "\x1b[31mé\xff", NS: 6}},
			`child processes used 100.0 % of the CPU time of the tests (\x1b[31mé\xff 100.0 %): it belongs to no function, but is unattributed, as "child processes"`},
	} {
		t.Run(test.why, func(t *testing.T) {
			energy := func(joules float64) record.Energy {
				if test.joules == 0 {
					return nil
				}
				return record.Energy{spell.CPU: joules}
			}
			r := &record.Run{Tests: []record.Test{{EnergyJ: energy(test.joules), Unattributed: map[record.Part]record.Unattributed{
				record.Others: {TimeMS: 1e6}, record.Sampler: {TimeMS: 1e6}, record.Idle: {EnergyJ: energy(1)},
			}}}}
			if test.childMS > 0 {
				r.Tests[0].Unattributed[record.Children] = record.Unattributed{TimeMS: test.childMS, EnergyJ: energy(test.childJ)}
			}
			r.Matrix.Cells = []spell.Cell{{TimeMS: test.cpuMS}}
			m := &measurement{kept: []*round{{programs: test.programs}}}
			if diff := cmp.Diff(test.want, m.childrenWarning(r)); diff != "" {
				t.Errorf("warning (-want +got):\n%s", diff)
			}
		})
	}
}

// What programs of several rounds are called is added up by name.
func TestProgramsOfAllRounds(t *testing.T) {
	m := &measurement{kept: []*round{
		{programs: []children.Program{{Name: "sh", NS: 10}, {Name: "go", NS: 30}}},
		{programs: []children.Program{{Name: "sh", NS: 60}}},
	}}
	if got := m.programsNamed(); !strings.HasPrefix(got, "sh 70.0 %, go 30.0 %") {
		t.Errorf("the programs are %s", got)
	}
}
