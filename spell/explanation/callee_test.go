package explanation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
)

// A reader is told of a callee where it matters: a fifth of the self time of a component that
// is worth an effort. What functions of the runtime do counts together.
func TestCalleeOf(t *testing.T) {
	costly := explanation.Cost{Domain: spell.CPU, EnergyShare: 0.05, TimeShare: 0.04}
	search := explanation.Callee{Name: "example.com/z/simd.Search", Kind: spell.AssemblyCallee, Share: 0.2}
	object := explanation.Callee{Name: "runtime.newobject", Kind: spell.RuntimeCallee, Share: 0.15}
	slice := explanation.Callee{Name: "runtime.makeslice", Kind: spell.RuntimeCallee, Share: 0.1}
	unknown := explanation.Callee{Name: "runtime.nanotime", Kind: spell.RuntimeCallee, Share: 0.15}
	other := explanation.Callee{Name: "runtime.walltime", Kind: spell.RuntimeCallee, Share: 0.1}
	for _, test := range []struct {
		why     string
		cost    explanation.Cost
		callees []explanation.Callee
		want    explanation.Callee
	}{
		{"a fifth of the time", costly, []explanation.Callee{search}, search},
		{"less", costly, []explanation.Callee{object}, explanation.Callee{}},
		{"of a component that costs little", explanation.Cost{Domain: spell.CPU, EnergyShare: 0.04, TimeShare: 0.9}, []explanation.Callee{search}, explanation.Callee{}},
		{"where no energy is known, its share of time counts", explanation.Cost{TimeShare: 0.05}, []explanation.Callee{search}, search},
		{"two that allocate, together more than any other", costly, []explanation.Callee{search, object, slice},
			explanation.Callee{Name: object.Name, Kind: object.Kind, Work: explanation.Allocating, Others: true, Share: 0.25}},
		{"one that allocates is alone", costly, []explanation.Callee{{Name: object.Name, Kind: object.Kind, Share: 0.3}},
			explanation.Callee{Name: object.Name, Kind: object.Kind, Work: explanation.Allocating, Share: 0.3}},
		{"others of the runtime, whose work has no name", costly, []explanation.Callee{search, unknown, other},
			explanation.Callee{Name: unknown.Name, Kind: unknown.Kind, Work: explanation.Other, Others: true, Share: 0.25}},
		{"none", costly, nil, explanation.Callee{}},
	} {
		if diff := cmp.Diff(test.want, explanation.CalleeOf(test.cost, test.callees), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}

// A line is named where a callee is: a fifth of the self time of a component worth an effort.
func TestLineOf(t *testing.T) {
	costly, cheap := explanation.Cost{Domain: spell.CPU, EnergyShare: 0.05}, explanation.Cost{Domain: spell.CPU, EnergyShare: 0.04, TimeShare: 0.9}
	most := explanation.Line{Number: 7, Share: 0.2}
	for _, test := range []struct {
		why   string
		cost  explanation.Cost
		lines []explanation.Line
		want  explanation.Line
	}{
		{"the one with most", costly, []explanation.Line{{Number: 3, Share: 0.1}, most, {Number: 9, Share: 0.15}}, most},
		{"none stands out", costly, []explanation.Line{{Number: 3, Share: 0.19}}, explanation.Line{}},
		{"of a component that costs little", cheap, []explanation.Line{most}, explanation.Line{}},
		{"none is known", costly, nil, explanation.Line{}},
	} {
		if got := explanation.LineOf(test.cost, test.lines); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.why, got, test.want)
		}
	}
}

// These are the functions that compiled code calls, as samples of real programs had them.
func TestWorkOf(t *testing.T) {
	for name, want := range map[string]explanation.Work{
		"runtime.mallocgc": explanation.Allocating, "runtime.newobject": explanation.Allocating, "runtime.makeslicecopy": explanation.Allocating, "runtime.mallocgcSmallScanNoHeader": explanation.Allocating,
		"runtime.growslice": explanation.Growing, "runtime.concatstrings": explanation.Strings, "runtime.slicebytetostring": explanation.Strings,
		"runtime.convTstring": explanation.Boxing, "runtime.typeAssert": explanation.Asserting,
		"runtime.mapaccess2_faststr": explanation.Maps, "runtime.mapassign_fast64": explanation.Maps, "internal/runtime/maps.(*Iter).Next": explanation.Maps, "runtime.mapclear": explanation.Maps,
		"runtime.memhash64": explanation.Hashing, "type:.hash.example.com/p.T": explanation.Hashing,
		"runtime.memequal": explanation.Comparing, "type:.eq.example.com/p.T": explanation.Comparing,
		"runtime.memmove": explanation.Copying, "runtime.duffcopy": explanation.Copying, "runtime.memclrNoHeapPointers": explanation.Clearing,
		"runtime.chansend1": explanation.Channels, "runtime.selectgo": explanation.Channels, "runtime.newproc": explanation.Goroutines,
		"runtime.gcWriteBarrier2": explanation.Barriers, "runtime.morestack_noctxt": explanation.Stacks, "runtime.deferreturn": explanation.Panics,
		"runtime.nanotime": explanation.Other, "runtime.asyncPreempt": explanation.Other, "internal/runtime/atomic.Load": explanation.Other,
	} {
		if got := explanation.WorkOf(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
