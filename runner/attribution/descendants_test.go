package attribution

import (
	"math"
	"testing"

	"spell-lsp/instrument/probe"
)

// samples returns descendants with the given samples: pairs of an instant and a CPU time, in ms.
func samples(pairs ...[2]float64) descendants {
	var s descendants
	for _, p := range pairs {
		s.add(int64(p[0]*ms), int64(p[1]*ms), 0)
	}
	return s
}

// CPU time is interpolated between samples. The last of several equal samples is kept, so that a
// child that starts late has no CPU time before.
func TestDescendantsBetweenSamples(t *testing.T) {
	s := samples([2]float64{0, 0}, [2]float64{20, 0}, [2]float64{40, 0}, [2]float64{60, 0}, [2]float64{80, 10}, [2]float64{100, 30}, [2]float64{120, 30}, [2]float64{900, 30})
	for at, want := range map[float64]float64{-5: 0, 0: 0, 50: 0, 60: 0, 70: 5, 80: 10, 90: 20, 100: 30, 500: 30, 2000: 30} {
		if got := s.at(int64(at * ms)); got != want*ms {
			t.Errorf("until %v ms descendants used %v ms, want %v", at, got/ms, want)
		}
	}
	if len(s.times) > 6 {
		t.Errorf("%d samples are kept, want at most 6: the others repeat a value", len(s.times))
	}
	if got := (&descendants{}).at(5); got != 0 {
		t.Errorf("without samples descendants used %v ns, want 0", got)
	}
}

// The program itself reads the CPU time of its children where tests begin and end. Its readings
// are exact, so each test gets the CPU time of its own children, however far apart samples are.
func TestDescendantsByWhatTheProgramSays(t *testing.T) {
	at := func(when, waited float64, none bool) probe.Wait {
		return probe.Wait{At: int64(when * ms), NS: int64(waited * ms), None: none}
	}
	for _, test := range []struct {
		why     string
		samples [][2]float64
		apart   []float64 // CPU time that the program will not wait for, by sample, in ms; nil for none
		waits   []probe.Wait
		want    map[float64]float64
	}{
		{
			"a child between two samples that are far apart",
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
			"a child still runs: its time is between two samples, and not less than the time that was waited for",
			[][2]float64{{0, 0}, {100, 50}, {200, 150}}, nil,
			[]probe.Wait{at(120, 0, false), at(150, 130, false)},
			map[float64]float64{120: 70, 150: 130, 200: 150},
		},
		{
			"an orphan runs at the same time",
			[][2]float64{{0, 0}, {100, 100}, {200, 250}}, []float64{0, 100, 200},
			[]probe.Wait{at(150, 50, true)},
			map[float64]float64{100: 100, 150: 200, 200: 250},
		},
		{
			"a reading above all samples is ignored",
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
			"readings before the first sample, or after the last, are ignored",
			[][2]float64{{10, 0}, {100, 50}}, nil,
			[]probe.Wait{at(5, 0, true), at(500, 9, true)},
			map[float64]float64{55: 25, 500: 50},
		},
	} {
		t.Run(test.why, func(t *testing.T) {
			var s descendants
			for i, l := range test.samples {
				apart := 0.0
				if test.apart != nil {
					apart = test.apart[i]
				}
				s.add(int64(l[0]*ms), int64(l[1]*ms), int64(apart*ms))
			}
			s.refine(test.waits)
			for at, want := range test.want {
				if got := s.at(int64(at*ms)) / ms; math.Abs(got-want) > 1e-6 {
					t.Errorf("until %v ms descendants used %v ms, want %v", at, got, want)
				}
			}
		})
	}
}
