package csvmatrix_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/csvmatrix"
)

func write(t *testing.T, m *spell.Matrix) string {
	t.Helper()
	var b bytes.Buffer
	if err := csvmatrix.Write(&b, m, ""); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	placed := small()
	placed.Components[1].File, placed.Components[1].Line = "a, b.go", 7
	formulas := small()
	formulas.Tests[0], formulas.Components[0].ID, formulas.Components[1].File = "=cmd|' /C calc'!A0", "'-quoted", "@f"
	unknown := small()
	unknown.Domains, unknown.Energy = nil, nil
	tests := []struct {
		name string
		m    *spell.Matrix
		want string
	}{
		{"no files", small(), "test,component,cpu_J,n,time_ms\nt1,c1,0.037,1,75\nt1,c2,0.061,2,102\nt2,c1,0.038,3,77\n"},
		{"one has a file", placed, "test,component,file,line,cpu_J,n,time_ms\nt1,c1,,,0.037,1,75\nt1,c2,\"a, b.go\",7,0.061,2,102\nt2,c1,,,0.038,3,77\n"},
		{"no domains", unknown, "test,component,cpu_J,n,time_ms\nt1,c1,,1,75\nt1,c2,,2,102\nt2,c1,,3,77\n"},
		{"names that a spreadsheet would execute", formulas, "test,component,file,line,cpu_J,n,time_ms\n" +
			"'=cmd|' /C calc'!A0,''-quoted,,,0.037,1,75\n'=cmd|' /C calc'!A0,c2,'@f,,0.061,2,102\nt2,''-quoted,,,0.038,3,77\n"},
		{"nothing", &spell.Matrix{}, "test,component,cpu_J,n,time_ms\n"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, write(t, test.m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Every value comes back to the last bit, and so do names, files and lines.
func TestWriteLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := func() float64 { return math.Pow(10, 360*rng.Float64()-300) }
	for domains := range len(spell.Domains()) + 1 {
		m := &spell.Matrix{Domains: spell.Domains()[:domains:domains], Energy: []float64{}}
		if domains == 0 {
			m.Domains, m.Energy = nil, nil
		}
		for i := range 20 {
			m.Tests = append(m.Tests, strings.Repeat("'", i%3)+[]string{"pkg.Test/", "=", "-"}[i%5%3]+"\"x, y\" "+strconv.Itoa(i))
			m.Components = append(m.Components, spell.Component{ID: " pkg.(*T).M" + strconv.Itoa(i), File: "dir/ä;" + strconv.Itoa(i%3) + ".go", Line: i})
			for j := range i + 1 {
				joules := make([]float64, domains)
				for d := range joules {
					joules[d] = value()
				}
				m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: value(), TimeMS: value()}, joules...)
			}
		}
		got, _, err := csvmatrix.Read(strings.NewReader(write(t, m)), "m.csv")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Errorf("%d domains (-want +got):\n%s", domains, diff)
		}
	}
}

// Write refuses a matrix that Read could not read again.
func TestWriteRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(m *spell.Matrix)
		want   string
	}{
		{"not valid", func(m *spell.Matrix) { m.Cells[0].N = -1 }, `test "t1", component "c1": n is -1, must be a number from 0 to 1e+60`},
		{"unknown domain", func(m *spell.Matrix) { m.Domains[0] = "steam" }, `domain "steam" has no column; the domains are cpu, dram, gpu, disk, fans, net`},
		{"test without name", func(m *spell.Matrix) { m.Tests[0] = "" }, `the name of test "" is empty`},
		{"line break", func(m *spell.Matrix) { m.Components[1].ID = "a\nb" }, `the name of component "a\nb" has a line break or another control character`},
		{"line too large", func(m *spell.Matrix) { m.Components[1].Line = math.MaxInt32; m.Components[1].Line++ }, `line 2147483648 of component "c2" is none, must be from 1 to 2147483647, or 0 if it is not known`},
		{"line below 0", func(m *spell.Matrix) { m.Components[0].Line = -1 }, `line -1 of component "c1" is none, must be from 1 to 2147483647, or 0 if it is not known`},
		{"not UTF-8", func(m *spell.Matrix) { m.Components[1].File = "\xff" }, `file "\xff" of component "c2" is not UTF-8`},
	}
	for _, test := range tests {
		m := small()
		test.change(m)
		var b bytes.Buffer
		err := csvmatrix.Write(&b, m, "")
		if want := "writing a matrix as CSV: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", test.name, err, want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %q all the same", test.name, b.String())
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// An error of the output is returned, whether it occurs in the middle or at the end.
func TestWriteReportsTheOutputsError(t *testing.T) {
	large := small()
	for i := range 1000 {
		large.Tests = append(large.Tests, "u"+strconv.Itoa(i))
		large.Add(spell.Cell{Test: int32(i + 2)}, 1)
	}
	for _, m := range []*spell.Matrix{small(), large} {
		if err := csvmatrix.Write(full{}, m, ""); !errors.Is(err, errFull) {
			t.Errorf("error %v, want %v", err, errFull)
		}
	}
}
