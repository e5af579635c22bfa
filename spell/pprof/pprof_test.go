package pprof_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/pprof/profile"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/pprof"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

func written(t *testing.T, r *record.Run, o pprof.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parsed(t *testing.T, r *record.Run) *profile.Profile {
	t.Helper()
	p, err := profile.ParseData(written(t, r, pprof.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGolden(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) { recordtest.Golden(t, name+".txt", parsed(t, run()).String()) })
	}
}

// lined is a run in which the lines of the first component are known.
func lined() *record.Run {
	r := recordtest.Park()
	c := &r.Components[0]
	c.SetLines([]record.Line{{Line: c.Line + 2, TimeMS: 3}, {Line: c.Line + 1, TimeMS: 1}}, 5)
	return r
}

// Why: go tool pprof -list shows what each line costs. Calls are those of the function.
func TestLinesOfAComponent(t *testing.T) {
	r := lined()
	c := &r.Components[0]
	got := make(map[int64][2]float64) // by line, shares of calls and time
	for _, s := range parsed(t, r).Sample {
		if at := s.Location[0].Line[0]; at.Function.Name == c.ID {
			sum := got[at.Line]
			got[at.Line] = [2]float64{sum[0] + float64(s.Value[0])/c.N, sum[1] + float64(s.Value[1])/1e6/c.TimeMS}
		}
	}
	line := int64(c.Line)
	want := map[int64][2]float64{line: {1, 0.2}, line + 1: {0, 0.2}, line + 2: {0, 0.6}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("shares by line (-want +got):\n%s", diff)
	}
}

// What a viewer adds up for a function is what the run says of it, in the tests that count.
func TestSumsAreThoseOfTheRun(t *testing.T) {
	runs := recordtest.All()
	runs["failing"], runs["lines"] = recordtest.Failing, lined
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			r := run()
			sums := make(map[string][]float64)
			p := parsed(t, r)
			r = ranking.Counted(r)
			for _, s := range p.Sample {
				leaf := s.Location[0].Line[0].Function.Name
				for _, at := range s.Location {
					if f := at.Line[0].Function.Name; f == "unattributed" {
						leaf = f
					}
				}
				if sums[leaf] == nil {
					sums[leaf] = make([]float64, len(p.SampleType))
				}
				for i, v := range s.Value {
					if v < 0 {
						t.Errorf("%s of %q is %d", p.SampleType[i].Type, leaf, v)
					}
					sums[leaf][i] += float64(v)
				}
			}
			check := func(what string, want record.Energy, n, ms float64) {
				for i, st := range p.SampleType {
					value := map[string]float64{"calls": n, "time": ms * 1e6, "energy": want.Total() * 1e6}
					for _, d := range spell.Domains() {
						value["energy_"+string(d)] = want[d] * 1e6
					}
					got := 0.0
					if sums[what] != nil {
						got = sums[what][i]
					}
					if math.Abs(got-value[st.Type]) > 1 {
						t.Errorf("%s of %q is %v, want %v", st.Type, what, got, value[st.Type])
					}
				}
			}
			for i := range r.Components {
				c := &r.Components[i]
				check(page.Clean(c.ID), c.EnergyJ, c.N, c.TimeMS)
			}
			left, ms := make(record.Energy), 0.0
			for i := range r.Tests {
				if r.Tests[i].Outcome == record.Fail {
					continue
				}
				for d, e := range r.Tests[i].UnattributedJ {
					left[d] += e
				}
				for _, part := range r.Tests[i].Unattributed {
					ms += part.TimeMS
				}
			}
			check("unattributed", left, 0, ms)
		})
	}
}

// Thousands of nodes with less than a unit each do not vanish.
func TestSmallValuesAddUp(t *testing.T) {
	r := recordtest.Park()
	r.CallTree = nil
	for i := range 5000 {
		parent := -1
		if i > 0 && i%200 > 0 {
			parent = i - 1
		}
		r.CallTree = append(r.CallTree, record.CallNode{Parent: parent, Component: i % 2, TimeMS: 0.001})
	}
	r.Components[0].EnergyJ = recordtest.Joules(0.001, 0)
	p := parsed(t, r)
	var sum int64
	for _, s := range p.Sample {
		if s.Location[0].Line[0].Function.Name == r.Components[0].ID {
			sum += s.Value[2]
		}
	}
	if sum < 999 || sum > 1001 {
		t.Errorf("%s has %d µJ, want 1000", r.Components[0].ID, sum)
	}
}

// A tree of another origin may be as deep as it has nodes.
func TestDeepTree(t *testing.T) {
	r := recordtest.Park()
	r.CallTree = nil
	for i := range 20_000 {
		r.CallTree = append(r.CallTree, record.CallNode{Parent: i - 1, Component: i % 2, TimeMS: 1})
	}
	for _, s := range parsed(t, r).Sample {
		if len(s.Location) > 257 {
			t.Fatalf("a stack has %d frames", len(s.Location))
		}
	}
}

// A block is drawn below the function around it, where that was called.
func TestBlocks(t *testing.T) {
	r := recordtest.Park()
	fn := r.Components[1]
	block := fn
	block.ID, block.Kind, block.Line = fn.ID+"#2:for", spell.KindBlock, fn.Line+1
	r.Granularity = spell.KindBlock
	r.Components = append(r.Components, block)
	seen := 0
	for _, s := range parsed(t, r).Sample {
		if s.Location[0].Line[0].Function.Name != block.ID {
			continue
		}
		seen++
		if caller := s.Location[1].Line[0].Function.Name; caller != fn.ID {
			t.Errorf("%s is called by %s", block.ID, caller)
		}
	}
	if seen != 2 {
		t.Errorf("%s is on top of %d stacks, want both of its function", block.ID, seen)
	}
}

func TestPathsOfTheWorkspace(t *testing.T) {
	p, err := profile.ParseData(written(t, recordtest.Park(), pprof.Options{Dir: "/home/me/park"}))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range p.Function {
		found = found || f.Filename == "/home/me/park/gate/gate.go" && f.StartLine == 7
	}
	if !found {
		t.Errorf("no function is in /home/me/park/gate/gate.go:\n%s", p)
	}
}

// The tool that everybody has shows the costliest function first.
func TestGoToolPprof(t *testing.T) {
	file := filepath.Join(t.TempDir(), "energy.pb.gz")
	if err := os.WriteFile(file, written(t, recordtest.Park(), pprof.Options{}), 0o644); err != nil {
		t.Fatal(err)
	}
	for index, want := range map[string]string{
		"energy":      "1800000uJ 25.64% 25.64%  2257143uJ 32.15%  example.com/park.(*Park).Sort",
		"energy_dram": "200000uJ 20.00% 45.00%   350000uJ 35.00%  example.com/park.(*Park).Oldest",
		"calls":       "406 93.12% 93.12%        406 93.12%  example.com/park.(*Park).Add",
	} {
		out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-top", "-sample_index="+index, file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !strings.Contains(string(out), want) {
			t.Errorf("-sample_index=%s does not show %q:\n%s", index, want, out)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	if err := pprof.Write(brokenPipe{}, recordtest.Park(), pprof.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the error is %v", err)
	}
}

// The energy of a function goes to its stacks by time and the power under their callers; calls and
// time go by time alone.
func TestEnergyFollowsPowerUnderCallers(t *testing.T) {
	r := recordtest.Park()
	fn := &r.Components[0]
	fn.N, fn.TimeMS, fn.EnergyJ = 100, 100, recordtest.Joules(4, 0)
	r.CallTree = []record.CallNode{
		{Parent: -1, Component: 1}, {Parent: 0, Component: 0, TimeMS: 50, Power: 1.5},
		{Parent: -1, Component: 2}, {Parent: 2, Component: 0, TimeMS: 50, Power: 0.5},
	}
	got := make(map[string][]int64)
	for _, s := range parsed(t, r).Sample {
		if s.Location[0].Line[0].Function.Name == fn.ID {
			got[s.Location[1].Line[0].Function.Name] = s.Value[:3]
		}
	}
	for caller, joules := range map[int]int64{1: 3_000_000, 2: 1_000_000} {
		if v := got[r.Components[caller].ID]; len(v) != 3 || v[0] != 50 || v[1] != 50_000_000 || v[2] != joules {
			t.Errorf("under %s it has %v, want half of calls and time, and %d µJ", r.Components[caller].ID, v, joules)
		}
	}
}
