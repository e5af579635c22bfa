package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
)

// Names are those of functions in programs; a reader wants to know whose they are.
func TestCalleesByName(t *testing.T) {
	measured := []string{"example.com/m", "gopkg.in/own%2ev3"}
	standard := func(pkg string) bool {
		return slices.Contains([]string{"strings", "crypto/internal/fips140/sha256", "runtime/debug", "vendor/golang.org/x/text"}, pkg)
	}
	for _, test := range []struct {
		function string
		assembly bool
		want     record.Callee
	}{
		{"strings.Map", false, record.Callee{Name: "strings.Map", Package: "strings", Kind: spell.StandardCallee}},
		{"crypto/internal/fips140/sha256.blockAVX2", true, record.Callee{Name: "crypto/internal/fips140/sha256.blockAVX2", Package: "crypto/internal/fips140/sha256", Kind: spell.AssemblyCallee}},
		{"vendor/golang.org/x/text.F", false, record.Callee{Name: "vendor/golang.org/x/text.F", Package: "vendor/golang.org/x/text", Kind: spell.StandardCallee}},
		{"runtime.memmove", true, record.Callee{Name: "runtime.memmove", Package: "runtime", Kind: spell.RuntimeCallee}},
		{"internal/runtime/maps.(*Iter).Next", false, record.Callee{Name: "internal/runtime/maps.(*Iter).Next", Package: "internal/runtime/maps", Kind: spell.RuntimeCallee}},
		{"runtime/debug.FreeOSMemory", false, record.Callee{Name: "runtime/debug.FreeOSMemory", Package: "runtime/debug", Kind: spell.StandardCallee}},
		{"type:.eq.example.com/m.T", false, record.Callee{Name: "type:.eq.example.com/m.T", Kind: spell.RuntimeCallee}},
		{"example.com/m.tight", false, record.Callee{Name: "example.com/m.tight", Package: "example.com/m", Kind: spell.BareCallee}},
		{"example.com/m_test.tight", false, record.Callee{Name: "example.com/m_test.tight", Package: "example.com/m_test", Kind: spell.BareCallee}},
		{"gopkg.in/own%2ev3.(*T).M", false, record.Callee{Name: "gopkg.in/own.v3.(*T).M", Package: "gopkg.in/own.v3", Kind: spell.BareCallee}},
		{"gopkg.in/yaml%2ev3.(*Node).Decode", false, record.Callee{Name: "gopkg.in/yaml.v3.(*Node).Decode", Package: "gopkg.in/yaml.v3", Kind: spell.ModuleCallee}},
		{"without a dot", false, record.Callee{Name: "without a dot", Package: "without a dot", Kind: spell.ModuleCallee}},
		{"a.com/%ff.F", false, record.Callee{Name: "a.com/%ff.F", Package: "a.com/%ff", Kind: spell.ModuleCallee}}, // no text
	} {
		if diff := cmp.Diff(test.want, callee(test.function, test.assembly, measured, standard)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.function, diff)
		}
	}
}

// Rounds and repetitions count as in the call tree, of fewer than four samples nothing is said,
// and neither of a function with blocks, whose samples are those of its blocks too.
func TestCalleesAreTheMeanOfRounds(t *testing.T) {
	component := func(name string, kind spell.Kind) spell.Component {
		return spell.Component{ID: "p." + name, Kind: kind, Package: "p"}
	}
	m := &measurement{subject: subject{build: &instrument.Build{
		Components: []spell.Component{component("F", spell.KindFunction), component("G", spell.KindFunction), component("G#for1", spell.KindBlock)},
		Owner:      1, FirstBlock: 2, LastBlock: 2, Packages: []string{"p"},
	}}}
	m.Granularity = spell.KindBlock
	m.units, m.unitOf = spell.Group(m.build.Components, spell.KindBlock)
	const f, g = 1, 2
	const ms = 1_000_000
	samples := []*attribution.Interval{{Counts: map[int]probe.Count{f: {KeptNS: 6 * ms, GainedNS: 2 * ms, Samples: 2}}}} // of 4 ms
	calls := [][]record.CallNode{{{Parent: -1, Component: f, TimeMS: 80}, {Parent: 0, Component: g, TimeMS: 80}}}
	m.kept = []*round{
		{tests: []*observation{
			{pkg: "p", name: "A", executions: 4, intervals: samples, calls: calls, parts: []execution.Part{
				{Row: f, Line: 5, NS: 32 * ms}, {Row: f, Line: 6, Function: "p.asm", Assembly: true, NS: 40 * ms}, {Row: f, Line: 6, Function: "p.rare", NS: 8 * ms},
				{Row: g, Line: 12, Function: "p.asm", Assembly: true, NS: 80 * ms},
			}},
			{pkg: "p", name: "B", executions: 1, intervals: samples, calls: calls, parts: []execution.Part{
				{Row: f, Line: 5, NS: 36 * ms}, {Row: f, Line: 6, Function: "p.asm", Assembly: true, NS: 20 * ms}, {Row: f, Line: 7, Function: "p.rare", NS: 4 * ms}, {Row: f, Line: 99, NS: 20 * ms},
			}},
		}},
		{tests: []*observation{{pkg: "p", name: "A", executions: 1, intervals: samples, calls: calls, parts: []execution.Part{{Row: f, Line: 5, NS: 80 * ms}}}}},
	}
	run := &record.Run{Components: []record.Component{
		{ID: "p.G", Kind: spell.KindFunction, TimeMS: 3, Package: "p"}, {ID: "p.F", TimeMS: 13, EnergyJ: record.Energy{spell.CPU: 26}, Kind: spell.KindFunction, Package: "p", Line: 4, EndLine: 9},
	}}
	m.addParts(run)
	// F was seen for 80/4/2 + 80/2 in A and for 80 in B, 130 ms; asm for 40/4/2 + 20 = 25, line 5 for
	// 32/4/2 + 80/2 + 36 = 80 and line 6 for 48/4/2 + 20 = 26. Line 99 is of another function.
	want := []record.Callee{{Name: "p.asm", Package: "p", Kind: spell.AssemblyCallee, TimeMS: 2.5, EnergyJ: record.Energy{spell.CPU: 5}}}
	if diff := cmp.Diff(want, run.Components[1].Callees); diff != "" {
		t.Errorf("callees of F (-want +got):\n%s", diff)
	}
	lines := []record.Line{
		{Line: 5, TimeMS: 8, EnergyJ: record.Energy{spell.CPU: 16}},
		{Line: 6, TimeMS: 2.6, EnergyJ: record.Energy{spell.CPU: 5.2}, Callees: want},
	}
	if diff := cmp.Diff(lines, run.Components[1].Lines, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("lines of F (-want +got):\n%s", diff)
	}
	if got := run.Components[0].Lines; got != nil {
		t.Errorf("lines of G, which has blocks, are %v", got)
	}
	if got := run.Components[0].Callees; got != nil {
		t.Errorf("callees of G, which has blocks, are %v", got)
	}
}

// Why: of a file that yacc made, samples have the lines of the grammar.
func TestGeneratedFilesHaveNoLines(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "y.go"), []byte("package p\n//line expr.y:12\nfunc F() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := &measurement{subject: subject{build: &instrument.Build{Root: dir}}}
	m.Buffers = map[string][]byte{filepath.Join(dir, "buffer.go"): []byte("package p\n/*line x.y:3:1*/ func G() {}\n"), filepath.Join(dir, "usual.go"): []byte("package p\n// line by line\n")}
	for file, want := range map[string]bool{"y.go": true, "buffer.go": true, "usual.go": false, "gone.go": false} {
		if got := hasLineDirectives(m.text(file)); got != want {
			t.Errorf("%s has //line directives: %t, want %t", file, got, want)
		}
	}
}

// A measurement of functions that leave their work to the standard library, also one that is
// only counted, says so in the record and in the explanation.
func TestMeasurementNamesCallees(t *testing.T) {
	files := map[string]string{
		"m.go": `package m

import "bytes"

var data = make([]byte, 1<<20)

//go:noinline
func Finds() int { return bytes.IndexByte(data, 'x') }

func Counted() int { return bytes.Count(data, []byte("xy")) }
`,
		"m_test.go": `package m

import (
	"syscall"
	"testing"
)

// busy calls f for 400 ms of the program's CPU time.
func busy(f func() int) {
	for end := used() + 400_000_000; used() < end; {
		f()
	}
}

func used() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func TestFinds(t *testing.T)   { busy(Finds) }
func TestCounted(t *testing.T) { busy(Counted) }
`,
	}
	run, err := prepare(t, Params{Dir: module(t, files), Meter: "model", Rounds: 1, Warmup: 0}).measure(t, func(*measurement) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := validity.Run(run); err != nil {
		t.Error(err)
	}
	for id, want := range map[string]string{"example.com/m.Finds": "bytes.IndexByte", "example.com/m.Counted": "bytes.Count"} {
		c := run.Components[slices.IndexFunc(run.Components, func(c record.Component) bool { return c.ID == id })]
		if len(c.Callees) == 0 || c.Callees[0].Name != want || c.Callees[0].Kind != spell.StandardCallee || c.Callees[0].TimeMS < c.TimeMS/2 {
			t.Errorf("%s of %g ms has the callees %+v, want %s with most of it", id, c.TimeMS, c.Callees, want)
		}
		if sentence := "is in " + want + " (standard library)."; !strings.Contains(c.Explanation, sentence) {
			t.Errorf("%s: %q does not say %q", id, c.Explanation, sentence)
		}
	}
}
