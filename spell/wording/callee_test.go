package wording_test

import (
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/summary"
	"spell-lsp/spell/wording"
)

// A reader sees what it is that takes the time, and why it is not in the ranking.
func TestCallee(t *testing.T) {
	for want, c := range map[string]explanation.Callee{
		"simd.Search (assembly)":                  {Name: "github.com/dgraph-io/ristretto/v2/z/simd.Search", Kind: spell.AssemblyCallee},
		"growing slices (runtime.growslice)":      {Name: "runtime.growslice", Kind: spell.RuntimeCallee},
		"the Go runtime (runtime.nanotime)":       {Name: "runtime.nanotime", Kind: spell.RuntimeCallee},
		"map access (maps.(*Iter).Next)":          {Name: "internal/runtime/maps.(*Iter).Next", Kind: spell.RuntimeCallee},
		"strings.Map (standard library)":          {Name: "strings.Map", Kind: spell.StandardCallee},
		"yaml.v3.(*Node).Decode (another module)": {Name: "gopkg.in/yaml.v3.(*Node).Decode", Kind: spell.ModuleCallee},
		"park.tight (no probe)":                   {Name: "example.com/park.tight", Kind: spell.BareCallee},
	} {
		if got := wording.Callee(c.Name, c.Kind); got != want {
			t.Errorf("%s is %q, want %q", c.Name, got, want)
		}
	}
}

// Every kind and every work has words.
func TestCalleeHasWords(t *testing.T) {
	for _, kind := range spell.CalleeKinds() {
		if got := wording.Callee("p.F", kind); strings.Contains(got, "()") || strings.HasPrefix(got, " ") {
			t.Errorf("%s is %q", kind, got)
		}
	}
	for _, work := range explanation.Works() {
		e := explanation.Explanation{Callee: explanation.Callee{Name: "runtime.f", Kind: spell.RuntimeCallee, Work: work, Share: 0.5}}
		if got := wording.Explanation(e); strings.Contains(got, "is in  (") {
			t.Errorf("%s is %q", work, got)
		}
	}
}

// One sentence has the line and the callee.
func TestReasonNamesTheLine(t *testing.T) {
	search := explanation.Callee{Name: "example.com/z/simd.Search", Kind: spell.AssemblyCallee, Share: 0.93}
	for want, e := range map[string]explanation.Explanation{
		" Line 13 takes 95.0 % of the self time.":                                      {Line: explanation.Line{Number: 13, Share: 0.95}},
		" Line 13 takes 95.0 % of the self time; simd.Search (assembly) takes 93.0 %.": {Line: explanation.Line{Number: 13, Share: 0.95}, Callee: search},
		" 93.0 % of the self time is in simd.Search (assembly).":                       {Callee: search},
	} {
		if got := wording.Reason(&summary.Item{Why: e}, nil); !strings.HasSuffix(got, want) {
			t.Errorf("%q does not end in %q", got, want)
		}
	}
}

// The sentence stands behind what makes the rank, and before what it waits for.
func TestExplanationNamesACallee(t *testing.T) {
	row := spell.Row{N: 10, TimeMS: 200, Joules: []float64{2}, EPI: .2, Phi: spell.Phi{Energy: []float64{.5}, N: .5, Time: .5}, Zone: spell.Red}
	e := explanation.Of(row, spell.PsiCriterion, []spell.Domain{spell.CPU}, 800, false)
	e.Callee = explanation.Callee{Name: "example.com/z/simd.Search", Kind: spell.AssemblyCallee, Share: 0.93}
	const sentence = "each time. 93.0 % of the self time is in simd.Search (assembly). It mostly waits:"
	if got := wording.Explanation(e); !strings.Contains(got, sentence) {
		t.Errorf("%q does not say %q", got, sentence)
	}
	e.Callee = explanation.Callee{Name: "runtime.newobject", Kind: spell.RuntimeCallee, Work: explanation.Allocating, Others: true, Share: 0.25}
	const together = "25.0 % of the self time is in allocation (runtime.newobject and others)."
	if got := wording.Explanation(e); !strings.Contains(got, together) {
		t.Errorf("%q does not say %q", got, together)
	}
}
