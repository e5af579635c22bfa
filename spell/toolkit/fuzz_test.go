package toolkit_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/toolkit"
)

// Whatever the input, ReadMatrix does not panic, and in small blocks it says
// the same; what it takes is valid, is written without an error, and read from
// that again it is the same.
func FuzzReadMatrix(f *testing.F) {
	readme, err := os.ReadFile("../testdata/golden/toolkit-readme.spell")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{
		string(readme), "", "\ufeff[[ t = 2.0E12, n = 1 ][ram=.5] _ ]\r\n\r\n[ 0 1 _ ]\r", "[ e = 1 ] _ > 0\n", "[ _ ]\n[ _ _ ]\n",
		"[ [ cpu = 0, n = 0, t = 0 ] ]", "[ [ dram = 1e60, net = 9007199254740993, gpu = 5., disk = 1e-5, fans = 0 ] ]\n[ [ cpu = -3 ] ]",
	} {
		f.Add([]byte(text), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		m, err := toolkit.ReadMatrix(bytes.NewReader(text), "fuzz")
		parts, partsErr := toolkit.ReadMatrixInBlocks(bytes.NewReader(text), "fuzz", 1+int(size))
		if message(err) != message(partsErr) || !cmp.Equal(m, parts) {
			t.Fatalf("in one block error %v, in blocks of %d error %v\n%s", err, size, partsErr, cmp.Diff(m, parts))
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		matrixComesBack(t, m)
	})
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func matrixComesBack(t *testing.T, m *spell.Matrix) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Fatalf("not valid: %v", err)
	}
	var b bytes.Buffer
	if err := toolkit.WriteMatrix(&b, m); err != nil {
		t.Fatal(err)
	}
	again, err := toolkit.ReadMatrix(&b, "written")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

// Whatever the input, ReadTrace does not panic, and in small buffers it says
// the same; what it takes is valid, parts are not more than what contains them,
// and what is written of it is the same when it is read again.
func FuzzReadTrace(f *testing.F) {
	for _, text := range []string{
		"", nested, "\ufeff" + nested, "/*a*/> f ( e = 1, m = x, time = 2 ) < f ( e = 1.5, time = 1e1, m = x );;>g[t=1]<g[t=2];", "> f [ m = a ] > f [ m = b ] < f [ m = b ] < f [ ",
		"> _spell_a_2eb [ t = 1 ] < a.b [ t = 1 ] /* ; */ ; /*t1*/ > t [ disk = 1 ] < t [ disk = 0 ]", "> f [ t = 5 ] > g [ t = 4 ] < g [ t = 4.5 ] < f [ t = 6 ]",
	} {
		f.Add([]byte(text), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		tr, err := toolkit.ReadTrace(bytes.NewReader(text), "fuzz", toolkit.TraceOptions{})
		parts, partsErr := toolkit.ReadTraceInBuffers(bytes.NewReader(text), "fuzz", toolkit.TraceOptions{}, 1+int(size))
		if message(err) != message(partsErr) || !cmp.Equal(tr, parts) {
			t.Fatalf("at once error %v, in buffers of %d error %v\n%s", err, size, partsErr, cmp.Diff(tr, parts))
		}
		inclusive, inclusiveErr := toolkit.ReadTrace(bytes.NewReader(text), "fuzz", toolkit.TraceOptions{EachCall: true})
		if message(err) != message(inclusiveErr) && !strings.Contains(message(inclusiveErr), "add up to more") {
			t.Fatalf("error %v, of inclusive values %v", err, inclusiveErr)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		partsFit(t, tr)
		traceComesBack(t, tr.Matrix)
		if inclusiveErr == nil {
			partsFit(t, inclusive)
		}
	})
}

func partsFit(t *testing.T, tr *toolkit.Trace) {
	t.Helper()
	if len(tr.CumTimeMS) != len(tr.Matrix.Cells) || len(tr.CumEnergyJ) != len(tr.Matrix.Energy) {
		t.Fatalf("%d cumulative times and %d energies", len(tr.CumTimeMS), len(tr.CumEnergyJ))
	}
	for i, c := range tr.Matrix.Cells {
		if !(c.TimeMS <= tr.CumTimeMS[i]) {
			t.Fatalf("cell %d: self %v ms, cumulative %v ms", i, c.TimeMS, tr.CumTimeMS[i])
		}
	}
	for i, self := range tr.Matrix.Energy {
		if cumulative := tr.CumEnergyJ[i]; !(self <= cumulative) {
			t.Fatalf("energy %d: self %v, cumulative %v", i, self, cumulative)
		}
	}
}

// traceComesBack checks what is written of m, whose tests without cells are
// left out.
func traceComesBack(t *testing.T, m *spell.Matrix) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Fatalf("not valid: %v", err)
	}
	var b bytes.Buffer
	if err := toolkit.WriteTrace(&b, m); err != nil {
		t.Fatal(err)
	}
	again, err := toolkit.ReadTrace(&b, "written", toolkit.TraceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withoutEmptyTests(m), again.Matrix); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

func withoutEmptyTests(m *spell.Matrix) *spell.Matrix {
	out := &spell.Matrix{Domains: m.Domains, Components: m.Components, Energy: m.Energy}
	index := map[int32]int32{}
	for _, c := range m.Cells {
		if _, ok := index[c.Test]; !ok {
			index[c.Test] = int32(len(out.Tests))
			out.Tests = append(out.Tests, m.Tests[c.Test])
		}
		c.Test = index[c.Test]
		out.Cells = append(out.Cells, c)
	}
	return out
}

// matrixOf makes a valid matrix of any bytes: its size, then nine bytes a cell,
// one that says what is there and a float64.
func matrixOf(data []byte) *spell.Matrix {
	if len(data) < 3 {
		return numbered(1, 1)
	}
	tests, components, domains := 1+int(data[0]%5), 1+int(data[1]%5), int(data[2]%7)
	m := numbered(tests, components, spell.Domains()[:domains]...)
	if domains == 0 {
		m.Domains = nil
	}
	data = data[3:]
	value := func() float64 {
		if len(data) < 8 {
			return 0
		}
		v := math.Abs(math.Float64frombits(binary.LittleEndian.Uint64(data)))
		data = data[8:]
		if !(v <= spell.MaxValue) {
			return spell.MaxValue
		}
		return v
	}
	for i := range tests * components {
		if len(data) == 0 || data[0]%2 == 0 {
			data = data[min(1, len(data)):]
			continue
		}
		data = data[1:]
		joules := make([]float64, domains)
		for d := range joules {
			joules[d] = value()
		}
		m.Add(spell.Cell{Test: int32(i / components), Component: int32(i % components), N: value(), TimeMS: value()}, joules...)
	}
	if len(m.Cells) == 0 {
		m.Domains = nil // the format has no place for them
	}
	return m
}

// Whatever the values, WriteMatrix writes what is read as the same.
func FuzzWriteMatrix(f *testing.F) {
	f.Add([]byte("\x01\x01\x01\x01abcdefghijklmnopqrstuvwx\x01abcdefghijklmnop"))
	f.Add([]byte{4, 4, 6, 1, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) { matrixComesBack(t, matrixOf(data)) })
}

// Whatever the values and names, WriteTrace refuses, or writes what is read as
// the same, in what the original takes for identifiers.
func FuzzWriteTrace(f *testing.F) {
	for _, name := range awkward {
		f.Add([]byte("\x01\x01\x01\x01abcdefghijklmnopqrstuvwx\x01abcdefghijklmnop"), name, "x"+name)
	}
	f.Fuzz(func(t *testing.T, data []byte, test, component string) {
		m := matrixOf(data)
		for i := range m.Cells {
			m.Cells[i].N = float64(1 + i%3)
		}
		m.Tests[0], m.Components[0].ID = test, component
		var b bytes.Buffer
		if err := toolkit.WriteTrace(&b, m); err != nil {
			if b.Len() > 0 {
				t.Fatalf("refused with %v, and wrote %q", err, b.String())
			}
			return
		}
		for _, c := range b.Bytes() {
			if c >= 0x7f {
				t.Fatalf("not an identifier in\n%s", b.String())
			}
		}
		again, err := toolkit.ReadTrace(&b, "written", toolkit.TraceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(cells(m), cells(again.Matrix)); diff != "" {
			t.Errorf("written and read (-want +got):\n%s", diff)
		}
	})
}

// cells lists the cells of m by name: a trace has components in the order of
// their first calls.
func cells(m *spell.Matrix) map[[2]string][]float64 {
	list := map[[2]string][]float64{}
	for i, c := range m.Cells {
		list[[2]string{m.Tests[c.Test], m.Components[c.Component].ID}] = append([]float64{c.N, c.TimeMS}, m.Joules(i)...)
	}
	return list
}
