package toolkit_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/toolkit"
)

func writeTrace(t *testing.T, m *spell.Matrix) string {
	t.Helper()
	var b bytes.Buffer
	if err := toolkit.WriteTrace(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteTrace(t *testing.T) {
	m := &spell.Matrix{
		Domains:    []spell.Domain{spell.CPU, spell.DRAM},
		Tests:      []string{"nothing", "park.TestAdd", "t2", "a */"},
		Components: []spell.Component{{ID: "Park_add"}, {ID: "idle"}, {ID: "park.(*Park).Sort"}, {ID: "cpu"}},
	}
	m.Add(spell.Cell{Test: 3, Component: 3, N: 1, TimeMS: 1e-7}, 1e21, 0)
	m.Add(spell.Cell{Test: 1, Component: 2, N: 1, TimeMS: 0}, 0, 0)
	m.Add(spell.Cell{Test: 1, Component: 0, N: 3, TimeMS: 75}, 37, 0.5)
	m.Add(spell.Cell{Test: 2, Component: 0, N: 1, TimeMS: 2}, 1, 0)
	want := `/*_spell_park_2eTestAdd*/
> Park_add [ cpu = 0, ram = 0, t = 0 ]
< Park_add [ cpu = 37, ram = 0.5, t = 75 ]
> Park_add [ cpu = 0, ram = 0, t = 0 ]
< Park_add [ cpu = 0, ram = 0, t = 0 ]
> Park_add [ cpu = 0, ram = 0, t = 0 ]
< Park_add [ cpu = 0, ram = 0, t = 0 ]
> _spell_park_2e_28_2aPark_29_2eSort [ cpu = 0, ram = 0, t = 0 ]
< _spell_park_2e_28_2aPark_29_2eSort [ cpu = 0, ram = 0, t = 0 ]
;
> Park_add [ cpu = 0, ram = 0, t = 0 ]
< Park_add [ cpu = 1, ram = 0, t = 2 ]
;
/*_spell_a_20_2a_2f*/
> _spell_cpu [ cpu = 0, ram = 0, t = 0 ]
< _spell_cpu [ cpu = 1000000000000000000000, ram = 0, t = 0.0000001 ]
`
	if diff := cmp.Diff(want, writeTrace(t, m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// awkward are names that are no identifiers, mean something to the original
// tools, or look like an escaped name.
var awkward = []string{"f", "m", "t", "e", "cpu", "ram", "n", "time", "paiSpell", "_spell_", "_spell_a", "_spell_a_2eb", "_", "__", "1st", "ü", "a b", "*/", "/*", ";",
	"pkg.(*T[int,string]).M", "a=b", `"q"`, "<init>", "t2", "_spell_park_2eAdd", "park.Add", "a\u2028b"}

// Names, numbers and the values of every cell come back to the last bit, and
// the file has only what the original's grammar knows, besides comments of one
// identifier.
func TestWriteTraceLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := func() float64 { return math.Pow(10, 360*rng.Float64()-300) }
	line := regexp.MustCompile(`^(;|/\*[A-Za-z_]\w*\*/|[<>] [A-Za-z_]\w* \[ ((cpu|ram|disk|fans|gpu|net) = [0-9]+(\.[0-9]+)?, )*t = [0-9]+(\.[0-9]+)? \])$`)
	for domains := range len(spell.Domains()) + 1 {
		m := &spell.Matrix{}
		for _, d := range rng.Perm(len(spell.Domains()))[:domains] {
			m.Domains = append(m.Domains, spell.Domains()[d])
		}
		var cumulative []float64
		for i, name := range awkward {
			m.Tests = append(m.Tests, name)
			m.Components = append(m.Components, spell.Component{ID: name})
			for j := range i + 1 {
				joules := make([]float64, domains)
				for d := range joules {
					joules[d] = value()
				}
				m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: float64(1 + rng.IntN(3)), TimeMS: value()}, joules...)
				cumulative = append(cumulative, m.Cells[len(m.Cells)-1].TimeMS)
			}
		}
		text := writeTrace(t, m)
		for i, got := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if !line.MatchString(got) {
				t.Fatalf("line %d: the original does not read %s", i+1, got)
			}
		}
		for _, each := range []bool{false, true} {
			got := readTrace(t, text, toolkit.TraceOptions{EachCall: each})
			if diff := cmp.Diff(&toolkit.Trace{Matrix: m, CumTimeMS: cumulative, CumEnergyJ: m.Energy}, got); diff != "" {
				t.Errorf("%d domains, each call %v (-want +got):\n%s", domains, each, diff)
			}
		}
	}
}

// What a trace cannot tell is not written.
func TestWriteTraceRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(m *spell.Matrix)
		want   string
	}{
		{"not valid", func(m *spell.Matrix) { m.Tests[0] = "t2" }, `test "t2" is listed twice`},
		{"unknown domain", func(m *spell.Matrix) { m.Domains[0] = "steam" }, `domain "steam" has no key; the domains are cpu, dram, gpu, disk, fans, net`},
		{"no cells", func(m *spell.Matrix) { m.Cells, m.Energy = nil, nil }, "no test ran a component, which a trace cannot tell; write CSV or JSON"},
		{"half an execution", func(m *spell.Matrix) { m.Cells[1].N = 1.5 }, `test "t1", component "c2": a trace cannot tell of 1.5 executions, it has whole ones from 1; write CSV or JSON`},
		{"none", func(m *spell.Matrix) { m.Cells[0].N = 0 }, `test "t1", component "c1": a trace cannot tell of 0 executions, it has whole ones from 1; write CSV or JSON`},
		{"too many", func(m *spell.Matrix) { m.Cells[0].N = 1e7 }, "a trace of 1.0000005e+07 executions is too long, the limit is 10000000; write CSV or JSON"},
		{"far too many", func(m *spell.Matrix) { m.Cells[0].N = 1e60 }, "a trace of 1e+60 executions is too long, the limit is 10000000; write CSV or JSON"},
		{"test without name", func(m *spell.Matrix) { m.Tests[0] = "" }, `the name of test "" is empty`},
		{"line break", func(m *spell.Matrix) { m.Components[1].ID = "a\nb" }, `the name of component "a\nb" has a line break or another control character`},
		{"not UTF-8", func(m *spell.Matrix) { m.Components[0].ID = "\xff" }, `the name of component "\xff" is not UTF-8`},
	} {
		m := small()
		test.change(m)
		var b bytes.Buffer
		err := toolkit.WriteTrace(&b, m)
		if want := "writing a trace for the SPELL toolkit: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", test.name, err, want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %q all the same", test.name, b.String())
		}
	}
}

// A name that several tests could have by their number is not mixed up where
// tests without calls are left out.
func TestWriteTraceKeepsNumbers(t *testing.T) {
	m := numbered(4, 1)
	for _, test := range []int32{1, 3} {
		m.Add(spell.Cell{Test: test, N: 1})
	}
	want := []string{"t2", "t4"}
	if diff := cmp.Diff(want, readTrace(t, writeTrace(t, m), toolkit.TraceOptions{}).Matrix.Tests); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range m.Tests {
		m.Tests[i] = "t" + strconv.Itoa(9-i)
	}
	want = []string{"t8", "t6"}
	if diff := cmp.Diff(want, readTrace(t, writeTrace(t, m), toolkit.TraceOptions{}).Matrix.Tests); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
