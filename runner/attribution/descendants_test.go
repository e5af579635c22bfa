package attribution

import (
	"math"
	"testing"

	"spell-lsp/instrument/probe"
)

// looks are samples of descendants: instants and CPU times, in ms.
func looks(pairs ...[2]float64) descendants {
	var s descendants
	for _, p := range pairs {
		s.add(int64(p[0]*millisecond), int64(p[1]*millisecond), 0)
	}
	return s
}

// CPU time is interpolated between samples. Of equal samples the last is kept: a child that starts
// late did not run before.
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

// The program's readings where tests begin and end are exact: a test gets what its own children
// used, however far samples are apart.
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
			s.refine(test.waits)
			for at, want := range test.want {
				if got := s.at(int64(at*millisecond)) / millisecond; math.Abs(got-want) > 1e-6 {
					t.Errorf("at %v ms they had used %v ms, want %v", at, got, want)
				}
			}
		})
	}
}
