package toolkit_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/toolkit"
)

// The original tools have eleven known defects. Each test below gives what
// triggers one, and must come to a right result or an error with its place.

// psi ranks a matrix and returns psi by component, having seen that every
// number is finite.
func psi(t *testing.T, m *spell.Matrix) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for _, row := range spell.Rank(m, spell.Options{}).Rows {
		for _, v := range append([]float64{row.Psi, row.EPI, row.Phi.N, row.Phi.Time}, row.Phi.Energy...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s has %v in %+v", m.Components[row.Component].ID, v, row)
			}
		}
		values[m.Components[row.Component].ID] = row.Psi
	}
	return values
}

// 1: what the trace's tool prints, with exponents, the matrix' tool refuses.
// Here each format goes into the other, and none of what we write has any.
func TestDefect1ToolsChain(t *testing.T) {
	printed := "[[ t = 2.0E12, n = 1, cpu = 0.05192600000000169 ][ t = 1.0E12, n = 1, cpu = 3.000000006636583E-6 ]]\n"
	m := readMatrix(t, printed)
	if c := m.Cells[1]; c.TimeMS != 1e12 || m.Energy[1] != 3.000000006636583e-6 {
		t.Errorf("read %v with %v J", c, m.Energy[1])
	}
	short := "> f [ cpu = 0, t = 0 ] < f [ cpu = 3e-6, t = 1e-9 ] ; > f [ cpu = 0, t = 0 ] > g [ cpu = 0, t = 0 ] < g [ cpu = 1e22, t = 1e22 ] < f [ cpu = 1e22, t = 1e22 ]"
	m = readTrace(t, short, toolkit.TraceOptions{}).Matrix
	text := writeMatrix(t, m)
	trace := writeTrace(t, m)
	for _, exponent := range []string{"0e", "1e", "3e", "E"} {
		if strings.Contains(text+trace, exponent) {
			t.Errorf("an exponent in\n%s%s", text, trace)
		}
	}
	again := readMatrix(t, text)
	again.Components = m.Components // the format has no names
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("trace, matrix and read again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m, readTrace(t, trace, toolkit.TraceOptions{}).Matrix); diff != "" {
		t.Errorf("trace, trace and read again (-want +got):\n%s", diff)
	}
}

// 2: cpu = 0 crashes, as 0 is an empty cell. Ours is read, and what we write
// does not have it.
func TestDefect2ZeroEnergyOfAComponent(t *testing.T) {
	m := readMatrix(t, "[ [ cpu = 0, n = 1, t = 75 ] [ cpu = 61, n = 2, t = 102 ] ]\n[ [ cpu = 0, n = 0, t = 0 ] 0 ]\n")
	if text := writeMatrix(t, m); strings.Contains(text, " 0 ") || strings.Contains(text, " 0,") || !cmp.Equal(m, readMatrix(t, text)) {
		t.Errorf("written as\n%s", text)
	}
	got := psi(t, m)
	if diff := cmp.Diff(map[string]float64{"c1": 0, "c2": 1}, got); diff != "" {
		t.Errorf("psi (-want +got):\n%s", diff)
	}
}

// 3: where no component has energy, every result is NaN. Energy is left out
// instead.
func TestDefect3ZeroEnergyOfAll(t *testing.T) {
	got := psi(t, readMatrix(t, "[ [ cpu = 0, ram = 0, n = 1, t = 75 ] [ cpu = 0, n = 1, t = 25 ] ]\n"))
	if diff := cmp.Diff(map[string]float64{"c1": .75, "c2": .25}, got); diff != "" {
		t.Errorf("psi (-want +got):\n%s", diff)
	}
	psi(t, readMatrix(t, "[ [ cpu = 0, n = 0, t = 0 ] _ ]\n"))
}

// 4: -3 is read as 3.
func TestDefect4Sign(t *testing.T) {
	_, err := toolkit.ReadMatrix(strings.NewReader("[ [ cpu = 1 ] ]\n[ [ cpu = -3 ] ]\n"), "m.spell")
	wantError(t, err, `m.spell:2:11: "-3" is negative`)
	_, err = toolkit.ReadTrace(strings.NewReader("> f [ cpu = 1 ]\n< f [ cpu = -3 ]\n"), "m.trace", toolkit.TraceOptions{})
	wantError(t, err, `m.trace:2:13: "-3" is negative`)
}

// 5: all rows behind a blank line are lost, without a word.
func TestDefect5BlankLine(t *testing.T) {
	m := readMatrix(t, "[ [ cpu = 1 ] ]\n\n \n[ [ cpu = 2 ] ]\n\n[ [ cpu = 4 ] ]\n")
	if diff := cmp.Diff([]float64{1, 2, 4}, m.Energy); diff != "" || len(m.Tests) != 3 {
		t.Errorf("tests %v, energy (-want +got):\n%s", m.Tests, diff)
	}
}

// 6: a counter that wraps gives negative energy. Where it wraps within a call,
// what the call used is not known, even if the counter ends above where it
// began.
func TestDefect6CounterWraps(t *testing.T) {
	const do = "; a counter that wraps or is reset has to go on from where it was: add what it had to what follows"
	for _, test := range []struct{ trace, want string }{
		{"> f [ cpu = 262143.5 ]\n < f [ cpu = 0.25 ]", `m.trace:2:2: cpu goes down from 262143.5 to 0.25 within "f", entered in line 1` + do},
		{"> f [ ram = 9 ]\n> g [ ram = 2 ]\n< g [ ram = 3 ]\n< f [ ram = 20 ]", `m.trace:2:1: ram goes down from 9 to 2 within "f", entered in line 1` + do},
		{"> f [ cpu = 1 ]\n> g [ cpu = 9 ]\n< g [ cpu = 12 ]\n< f [ cpu = 11 ]", `m.trace:4:1: cpu goes down from 12 to 11 within "f", entered in line 1` + do},
	} {
		for _, each := range []bool{false, true} {
			_, err := toolkit.ReadTrace(strings.NewReader(test.trace), "m.trace", toolkit.TraceOptions{EachCall: each})
			wantError(t, err, test.want)
		}
	}
	between := readTrace(t, "> f [ cpu = 8 ] < f [ cpu = 9 ] > f [ cpu = 1 ] < f [ cpu = 3 ]", toolkit.TraceOptions{})
	if got := between.Matrix.Energy[0]; got != 3 {
		t.Errorf("a counter that wraps between calls gives %v J, want 3", got)
	}
}

// 7: functions of one name in two modules overwrite each other.
func TestDefect7Modules(t *testing.T) {
	m := readTrace(t, "> f [ m = a, cpu = 0 ] > f [ m = b, cpu = 1 ] < f [ m = b, cpu = 3 ] < f [ m = a, cpu = 7 ]", toolkit.TraceOptions{}).Matrix
	if diff := cmp.Diff([]spell.Component{{ID: "a.f"}, {ID: "b.f"}}, m.Components); diff != "" || !cmp.Equal(m.Energy, []float64{5, 2}) {
		t.Errorf("energy %v, components (-want +got):\n%s", m.Energy, diff)
	}
}

// 8: a component called paiSpell is left out of its row, and all behind it are
// taken for their neighbours. We keep it, and hide its name from the original.
func TestDefect8SpecialName(t *testing.T) {
	m := readTrace(t, "> paiSpell [ cpu = 1 ] > f [ cpu = 2 ] < f [ cpu = 4 ] < paiSpell [ cpu = 8 ]", toolkit.TraceOptions{}).Matrix
	if diff := cmp.Diff([]spell.Component{{ID: "paiSpell"}, {ID: "f"}}, m.Components); diff != "" || !cmp.Equal(m.Energy, []float64{5, 2}) {
		t.Errorf("energy %v, components (-want +got):\n%s", m.Energy, diff)
	}
	if text := writeTrace(t, m); strings.Contains(text, " paiSpell ") || !cmp.Equal(m, readTrace(t, text, toolkit.TraceOptions{}).Matrix) {
		t.Errorf("written as\n%s", text)
	}
}

// 9: a throw that its braces do not hold leaves no exit, and crashes the tool.
func TestDefect9MissingExit(t *testing.T) {
	const do = "; write exits from the innermost call outwards, also where an exception or a return skips the probe"
	for _, test := range []struct{ trace, want string }{
		{"> main [ t = 0 ]\n> f [ t = 1 ]\n< main [ t = 2 ]", `m.trace:3:1: the exit of "main", where "f", entered in line 2, was not left` + do},
		{"> main [ t = 0 ]\n> f [ t = 1 ] ;\n> g [ t = 1 ]", `m.trace:2:15: the test ends, but "f", entered in line 2, was not left; write the exit of every call, also where an exception or a return skips the probe`},
		{"> main [ t = 0 ]\n> f [ t = 1 ]\n", `m.trace:3:1: the test ends, but "f", entered in line 2, was not left; write the exit of every call, also where an exception or a return skips the probe`},
	} {
		_, err := toolkit.ReadTrace(strings.NewReader(test.trace), "m.trace", toolkit.TraceOptions{})
		wantError(t, err, test.want)
	}
}

// 10: recursion flattens, and an empty helper gets energy that is not its own.
// Each call keeps what passed while it was the innermost one.
func TestDefect10Recursion(t *testing.T) {
	const depth = 50
	var b strings.Builder
	clock := 0
	reading := func(sign, name string, passed int) {
		clock += passed
		fmt.Fprintf(&b, "%s %s [ m = spell, cpu = %d, t = %d ]\n", sign, name, clock, 2*clock)
	}
	for range depth {
		reading(">", "factorial", 3)
		reading(">", "helper", 4)
		reading("<", "helper", 0)
	}
	for range depth {
		reading("<", "factorial", 3)
	}
	tr := readTrace(t, b.String(), toolkit.TraceOptions{})
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"t1"}, Components: []spell.Component{{ID: "factorial"}, {ID: "helper"}}}
	own := float64(3*(depth-1) + 4*depth + 3*depth)
	m.Add(spell.Cell{N: depth, TimeMS: 2 * own}, own)
	m.Add(spell.Cell{Component: 1, N: depth}, 0)
	if diff := cmp.Diff(&toolkit.Trace{Matrix: m, CumTimeMS: []float64{2 * own, 0}, CumEnergyJ: []float64{own, 0}}, tr); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all := own; tr.Matrix.Energy[0]+tr.Matrix.Energy[1] != all {
		t.Errorf("the parts have %v J, the whole has %v J", tr.Matrix.Energy, all)
	}
}

// 11: calls 5,000 deep overflow the stack.
func TestDefect11Depth(t *testing.T) {
	const depth = 200_000
	var b bytes.Buffer
	for i := range depth {
		fmt.Fprintf(&b, "> f [ t = %d ]\n", i)
	}
	for i := range depth {
		fmt.Fprintf(&b, "< f [ t = %d ]\n", depth+i)
	}
	tr, err := toolkit.ReadTrace(&b, "m.trace", toolkit.TraceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := (spell.Cell{N: depth, TimeMS: 2*depth - 1}); tr.Matrix.Cells[0] != want || tr.CumTimeMS[0] != want.TimeMS {
		t.Errorf("%+v, cumulative %v ms, want %+v", tr.Matrix.Cells[0], tr.CumTimeMS[0], want)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
