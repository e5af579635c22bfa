package attribution_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recording"
	"spell-lsp/runner/attribution"
	"spell-lsp/spell/record"
)

var update = flag.Bool("update", false, "write the golden files of replays")

// A replayed is the attribution of one test in one execution.
type replayed struct {
	recording.Test
	shares map[int]attribution.Share
	parts  map[record.Part]attribution.Amount
}

// recordings are the recordings in testdata.
var recordings = []string{"idle", "wraps", "child", "powers", "relatives"}

// replay attributes a recording.
func replay(t *testing.T, name string) (r *recording.Recording, powers *attribution.Powers, executions [][]replayed) {
	t.Helper()
	r, err := recording.Load(filepath.Join("testdata", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	model, tests := r.Replay()
	totals := attribution.NewTotals(len(r.Components), r.Hot())
	for _, list := range tests {
		for _, test := range list {
			totals.Add(test.Interval)
		}
	}
	powers = model.Powers()
	for _, list := range tests {
		var execution []replayed
		for _, test := range list {
			shares, parts := totals.Attribute(test.Interval, powers)
			execution = append(execution, replayed{test, shares, parts})
		}
		executions = append(executions, execution)
	}
	return r, powers, executions
}

// The attribution of a recording never changes by a microjoule or a microsecond, unless on purpose:
// then -update writes the golden files.
func TestReplaysAreGolden(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			r, powers, executions := replay(t, name)
			var got strings.Builder
			for row := range len(r.Components) + 1 {
				what := "code outside of components"
				if row > 0 {
					what = r.Components[row-1]
				}
				for d, domain := range r.Machine.Domains {
					fmt.Fprintf(&got, "power of %s: %.4f of %s, relative standard deviation %.4f\n", what, powers.Watts(row, d), domain, powers.Spread(row, d))
				}
			}
			for i, tests := range executions {
				for _, test := range tests {
					fmt.Fprintf(&got, "\nexecution %d, %s: %s J, %.3f ms\n", i+1, test.Name, joules(test.Interval.Joules), test.Interval.LengthNS/1e6)
					for _, c := range slices.Sorted(maps.Keys(test.shares)) {
						s := test.shares[c]
						fmt.Fprintf(&got, "  %s: %g calls, %.3f ms, with callees %.3f ms, %s J, with callees %s J\n", r.Components[c], s.N, s.SelfNS/1e6, s.CumNS/1e6, joules(s.Joules), joules(s.CumJoules))
					}
					for _, part := range slices.Sorted(maps.Keys(test.parts)) {
						p := test.parts[part]
						fmt.Fprintf(&got, "  %s: %.3f ms, %s J\n", part, p.NS/1e6, joules(p.Joules))
					}
				}
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("attribution (-want +got):\n%s", diff)
			}
		})
	}
}

func joules(list []float64) string {
	var texts []string
	for _, j := range list {
		texts = append(texts, fmt.Sprintf("%.6f", j))
	}
	return strings.Join(texts, " ")
}

// Components and parts add up to the gain of the counter, in every test and domain.
func TestReplaysAddUp(t *testing.T) {
	for _, name := range recordings {
		_, _, executions := replay(t, name)
		for _, test := range slices.Concat(executions...) {
			for d, gained := range test.Interval.Joules {
				sum := 0.0
				for _, s := range test.shares {
					sum += s.Joules[d]
				}
				for _, p := range test.parts {
					sum += p.Joules[d]
				}
				if math.Abs(sum-gained) > 1e-9 {
					t.Errorf("%s, %s: components and parts add up to %g J, the counter gained %g J", name, test.Name, sum, gained)
				}
			}
		}
	}
}

// On a machine whose power does not depend on the load, all energy is idle energy, and no component
// is charged for it.
func TestIdleEnergyIsNotCharged(t *testing.T) {
	const watts = 30
	r, _, executions := replay(t, "idle")
	for _, test := range executions[0] {
		for c, s := range test.shares {
			if s.Joules[0] > 0.05*watts {
				t.Errorf("%s: %s is charged %g J of idle energy", test.Name, r.Components[c], s.Joules[0])
			}
		}
	}
}

// The counters wrap while tests run. The energy of a test is 30 W and 4 W times its length all the
// same.
func TestEnergyThroughWraps(t *testing.T) {
	const toleratedS = 0.0025
	_, _, executions := replay(t, "wraps")
	for _, test := range executions[0] {
		for d, watts := range []float64{30, 4} {
			if off := math.Abs(test.Interval.Joules[d]/watts - test.Interval.LengthNS/1e9); off > toleratedS {
				t.Errorf("the energy of %s is wrong by the energy of %g s", test.Name, off)
			}
		}
	}
}

// The energy of a child belongs to the part for children, and not to the function that waits for
// the child.
func TestEnergyOfARecordedChild(t *testing.T) {
	r, _, executions := replay(t, "child")
	drew, test := r.TruthJ["child"], executions[0][0]
	for c, s := range test.shares {
		if s.Joules[0] > 0.02*drew {
			t.Errorf("%s has %.2f J of the %.2f J that the child drew", r.Components[c], s.Joules[0], drew)
		}
	}
	if got := test.parts[record.Children].Joules[0]; got < 0.85*drew || got > 1.15*drew {
		t.Errorf("the child drew %.2f J, the part has %.2f J", drew, got)
	}
}

// Two alternating functions of 5 W and 25 W get the energy that they drew, and a function that waits
// gets none: in a test itself, and in its child process while the test computes, too.
func TestPowersOfFunctions(t *testing.T) {
	for _, name := range []string{"powers", "relatives"} {
		t.Run(name, func(t *testing.T) { comparePowers(t, name) })
	}
}

func comparePowers(t *testing.T, name string) {
	t.Helper()
	r, _, executions := replay(t, name)
	got := make(map[string]float64)
	for _, test := range slices.Concat(executions...) {
		for c, s := range test.shares {
			got[r.Components[c][strings.LastIndex(r.Components[c], ".")+1:]] += s.Joules[0]
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(r.TruthJ), cmp.Compare) {
		if truth := r.TruthJ[name]; math.Abs(got[name]-truth) > 0.1*truth {
			t.Errorf("%s has %.3f J, but drew %.3f J", name, got[name], truth)
		}
	}
	if got["Wait"] > 0.01*(got["Cheap"]+got["Dear"]) {
		t.Errorf("Wait has %.3f J, want almost none", got["Wait"])
	}
}
