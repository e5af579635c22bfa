package csvmatrix_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/csvmatrix"
)

// small is the matrix in every text of TestRead: two tests, two components, one empty
// cell.
func small() *spell.Matrix {
	m := &spell.Matrix{
		Domains:    []spell.Domain{spell.CPU},
		Tests:      []string{"t1", "t2"},
		Components: []spell.Component{{ID: "c1"}, {ID: "c2"}},
	}
	m.Add(spell.Cell{Test: 0, Component: 0, N: 1, TimeMS: 75}, 0.037)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 2, TimeMS: 102}, 0.061)
	m.Add(spell.Cell{Test: 1, Component: 0, N: 3, TimeMS: 77}, 0.038)
	return m
}

// One matrix can be written in many ways.
func TestRead(t *testing.T) {
	tests := []struct{ name, text string }{
		{"joules and milliseconds", "test,component,cpu_J,n,time_ms\nt1,c1,0.037,1,75\nt1,c2,0.061,2,102\nt2,c1,0.038,3,77\n"},
		{"millijoules", "test,component,cpu_mJ,n,time_ms\nt1,c1,37,1,75\nt1,c2,61,2,102\nt2,c1,38,3,77\n"},
		{"microjoules, seconds", "test,component,cpu_uJ,n,time_s\nt1,c1,37000,1,0.075\nt1,c2,61000,2,0.102\nt2,c1,38000,3,0.077\n"},
		{"kilojoules, nanoseconds", "test,component,cpu_kJ,n,time_ns\nt1,c1,0.000037,1,75000000\nt1,c2,6.1e-5,2,1.02E8\nt2,c1,38e-6,3,77e+6\n"},
		{"microseconds", "test,component,cpu_mJ,n,time_us\nt1,c1,37,1,75000\nt1,c2,61,2,102000\nt2,c1,38,3,77000\n"},
		{"any order of columns", "time_ms,n,component,cpu_mJ,test\n75,1,c1,37,t1\n102,2,c2,61,t1\n77,3,c1,38,t2\n"},
		{"byte order mark and CRLF", "\ufefftest,component,cpu_mJ,n,time_ms\r\nt1,c1,37,1,75\r\nt1,c2,61,2,102\r\nt2,c1,38,3,77\r\n"},
		{"quotes", "\"test\",\"component\",\"cpu_mJ\",\"n\",\"time_ms\"\n\"t1\",\"c1\",\"37\",\"1\",\"75\"\nt1,\"c2\",61,2,102\nt2,c1,38,3,77\n"},
		{"exponents", "test,component,cpu_J,n,time_ms\nt1,c1,3.7e-2,1e0,7.5E+1\nt1,c2,61e-3,2,.102e3\nt2,c1,+38E-3,3.,77\n"},
		{"blanks and blank lines", "test, component , cpu_mJ, n, time_ms\n\nt1,c1, 37, 1,75\t\nt1,c2, 61, 2,102\n\nt2,c1, 38, 3,77\n"},
		{"no line break at the end", "test,component,cpu_mJ,n,time_ms\nt1,c1,37,1,75\nt1,c2,61,2,102\nt2,c1,38,3,77"},
		{"files and lines not known", "test,component,file,line,cpu_mJ,n,time_ms\nt1,c1,,,37,1,75\nt1,c2,,,61,2,102\nt2,c1,,0,38,3,77\n"},
		{"dram not known", "test,component,dram_J,cpu_mJ,n,time_ms\nt1,c1,,37,1,75\nt1,c2, ,61,2,102\nt2,c1,,38,3,77\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := csvmatrix.Read(strings.NewReader(test.text), "m.csv")
			if err != nil {
				t.Fatal(err)
			}
			if want := small(); !cmp.Equal(want, got, approximately) {
				t.Errorf("matrix (-want +got):\n%s", cmp.Diff(want, got))
			}
		})
	}
}

// approximately ignores the last bit, which the conversion of a unit may change.
var approximately = cmp.Comparer(func(a, b float64) bool {
	d := a - b
	return d <= 1e-15*a && -d <= 1e-15*a
})

// A component can have a place in the source, also with awkward names.
func TestReadPlaces(t *testing.T) {
	text := "test,component,file,line,cpu_J,gpu_mJ,n,time_ms\n" +
		"pkg.Test/a,\"m.(*T[int, string]).F\",\"a, b.go\",12,1,2,3,4\n" +
		"\"say \"\"hi\"\"\",\"m.(*T[int, string]).F\",\"a, b.go\",12,1,2,3,4\n" +
		"\"say \"\"hi\"\"\", blank ,ü.py,,1,2,3,4\n"
	want := &spell.Matrix{
		Domains: []spell.Domain{spell.CPU, spell.GPU},
		Tests:   []string{"pkg.Test/a", `say "hi"`},
		Components: []spell.Component{
			{ID: "m.(*T[int, string]).F", File: "a, b.go", Line: 12},
			{ID: " blank ", File: "ü.py"},
		},
	}
	want.Add(spell.Cell{Test: 0, Component: 0, N: 3, TimeMS: 4}, 1, 0.002)
	want.Add(spell.Cell{Test: 1, Component: 0, N: 3, TimeMS: 4}, 1, 0.002)
	want.Add(spell.Cell{Test: 1, Component: 1, N: 3, TimeMS: 4}, 1, 0.002)
	got, _, err := csvmatrix.Read(strings.NewReader(text), "m.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
}

// Every error names the place, what is wrong and what to do.
func TestReadErrors(t *testing.T) {
	const header = "test,component,file,line,cpu_J,n,time_ms\n"
	const columns = "; the first line names the columns: test,component[,file,line],cpu_J[,dram_J...],n,time_ms"
	const number = "; write a number of at least 0 with a decimal point, such as 0.5 or 5e-1"
	const quote = "; put a field that holds quotes into quotes, and write each quote in it twice"
	tests := []struct{ name, text, want string }{
		{"empty file", "", "m.csv:1:1: the file is empty" + columns},
		{"only a byte order mark", "\ufeff", "m.csv:1:1: the file is empty" + columns},
		{"no header", "t1,c1,37,1,75\n", `m.csv:1:1: column "t1" is not known` + columns + "; the domains are cpu, dram, gpu, disk, fans, net"},
		{"no test", "component,cpu_J,n,time_ms\n", `m.csv:1:1: column "test" is missing` + columns},
		{"no component", "test,cpu_J,n,time_ms\n", `m.csv:1:1: column "component" is missing` + columns},
		{"no energy", "test,component,n,time_ms\n", `m.csv:1:1: column "cpu_J" is missing` + columns},
		{"no n", "test,component,cpu_J,time_ms\n", `m.csv:1:1: column "n" is missing` + columns},
		{"no time", "test,component,cpu_J,n\n", `m.csv:1:1: column "time_ms" is missing` + columns},
		{"unknown column", "test,component,cpu_J,n,time_ms,colour\n", `m.csv:1:32: column "colour" is not known` + columns + "; the domains are cpu, dram, gpu, disk, fans, net"},
		{"wrong unit of energy", "test,component,cpu_kWh,n,time_ms\n", `m.csv:1:16: column "cpu_kWh" has an unknown unit; use one of cpu_J, cpu_mJ, cpu_uJ, cpu_kJ`},
		{"no unit of energy", "test,component,cpu,n,time_ms\n", `m.csv:1:16: column "cpu" does not say its unit; use one of cpu_J, cpu_mJ, cpu_uJ, cpu_kJ`},
		{"wrong unit of time", "test,component,cpu_J,n,time_min\n", `m.csv:1:24: column "time_min" has an unknown unit; use one of time_ms, time_s, time_us, time_ns`},
		{"column twice", "test,component,cpu_J,n,n,time_ms\n", "m.csv:1:24: a second column for n; keep one"},
		{"domain twice", "test,component,cpu_J,cpu_mJ,n,time_ms\n", "m.csv:1:22: a second column for cpu; keep one"},
		{"time twice", "test,component,cpu_J,n,time_ms,time_s\n", "m.csv:1:32: a second column for time; keep one"},

		{"negative energy", header + "t,c,,,-3,1,1\n", `m.csv:2:7: "-3" is negative` + number},
		{"negative n", header + "t,c,,,3,-1,1\n", `m.csv:2:9: "-1" is negative` + number},
		{"negative time", header + "t,c,,,3,1,-1e-3\n", `m.csv:2:11: "-1e-3" is negative` + number},
		{"NaN", header + "t,c,,,NaN,1,1\n", `m.csv:2:7: "NaN" is not a number` + number},
		{"infinite", header + "t,c,,,3,Inf,1\n", `m.csv:2:9: "Inf" is too large or not finite` + number},
		{"too large for a float", header + "t,c,,,1e999,1,1\n", `m.csv:2:7: "1e999" is too large or not finite` + number},
		{"too large for a matrix", header + "t,c,,,1e61,1,1\n", `m.csv:2:7: "1e61" is too large or not finite` + number},
		{"decimal comma", header + "t,c,,,\"3,5\",1,1\n", `m.csv:2:7: "3,5" is not a number` + number},
		{"hexadecimal", header + "t,c,,,0x1p3,1,1\n", `m.csv:2:7: "0x1p3" is not a number` + number},
		{"a unit with the number", header + "t,c,,,3 J,1,1\n", `m.csv:2:7: "3 J" is not a number` + number},
		{"no n in a row", header + "t,c,,,3,,1\n", "m.csv:2:9: a number is missing; write 0 for none, or leave the row out if the test did not run the component"},
		{"energy in some rows", header + "t,c,,,3,1,1\nt,d,,,,1,1\n", "m.csv:3:7: no cpu energy, where other rows have some; write 0 if it is none, or leave the whole column empty if it is not known"},

		{"no test name", header + ",c,,,3,1,1\n", "m.csv:2:1: the name is empty; name every test and component, each on one line of UTF-8 text"},
		{"blank component name", header + "t,  ,,,3,1,1\n", "m.csv:2:3: the name is empty; name every test and component, each on one line of UTF-8 text"},
		{"line break in a name", header + "t,\"c\nd\",,,3,1,1\n", "m.csv:2:3: the name has a line break or another control character; name every test and component, each on one line of UTF-8 text"},
		{"name that is not UTF-8", header + "t,c\xff,,,3,1,1\n", "m.csv:2:3: the name is not UTF-8; name every test and component, each on one line of UTF-8 text"},
		{"file with a tab", header + "t,c,a\tb,,3,1,1\n", "m.csv:2:5: the file name has a line break or another control character; write it on one line of UTF-8 text"},
		{"line that is no number", header + "t,c,a.go,x,3,1,1\n", `m.csv:2:10: line is "x"; write a whole number from 1, or nothing if it is not known`},
		{"negative line", header + "t,c,a.go,-1,3,1,1\n", `m.csv:2:10: line is "-1"; write a whole number from 1, or nothing if it is not known`},
		{"two places", header + "t,c,a.go,1,3,1,1\nu,c,a.go,2,3,1,1\n", `m.csv:3:3: component "c" is at a.go:2 here and at a.go:1 before; give a component one place, or two components two names`},
		{"cell twice", header + "t,c,,,3,1,1\nt,d,,,3,1,1\nu,c,,,3,1,1\n\nt,c,,,3,1,1\n", `m.csv:6:1: two cells for test "t" and component "c"; the other is in line 2: keep one, or add them up`},

		{"too few fields", header + "t,c,,,3,1\n", "m.csv:2:9: the row has 6 fields, the header has 7; give each row one field for each column, and put names with a comma into quotes"},
		{"too many fields", header + "t,c,d,,,3,1,1\n", "m.csv:2:13: the row has 8 fields, the header has 7; give each row one field for each column, and put names with a comma into quotes"},
		{"bare quote", header + "t,c\"d,,,3,1,1\n", "m.csv:2:4: misplaced quote" + quote},
		{"quote that does not end", header + "t,\"c,,,3,1,1\nu,c,,,3,1,1\n", "m.csv:3:13: misplaced quote in the row that begins in line 2" + quote},
		{"after a byte order mark", "\ufefftest,colour\n", `m.csv:1:6: column "colour" is not known` + columns + "; the domains are cpu, dram, gpu, disk, fans, net"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, _, err := csvmatrix.Read(strings.NewReader(test.text), "m.csv")
			if err == nil {
				t.Fatalf("no error, and the matrix %+v", m)
			}
			if err.Error() != test.want {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

// A failed read is reported as such, not as a mistake in the text.
func TestReadReportsTheInputsError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, text := range []string{"", "test,component,cpu_J,n,time_ms\nt,c,1,1,1\n"} {
		r := iotest.TimeoutReader(strings.NewReader(text))
		if text == "" {
			r = iotest.ErrReader(broken)
		}
		_, _, err := csvmatrix.Read(r, "m.csv")
		if !errors.Is(err, broken) && !errors.Is(err, iotest.ErrTimeout) || !strings.HasPrefix(err.Error(), "reading m.csv: ") {
			t.Errorf("error %v, want that of the input", err)
		}
	}
}

// A header alone is a matrix without cells.
func TestReadHeaderOnly(t *testing.T) {
	got, _, err := csvmatrix.Read(strings.NewReader("test,component,cpu_J,n,time_ms\n"), "m.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&spell.Matrix{Domains: []spell.Domain{spell.CPU}}, got); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
}

// 9 mJ are the float64 nearest to 0.009 J; nine times 0.001 is another.
func TestReadRoundsUnitsOnce(t *testing.T) {
	m, _, err := csvmatrix.Read(strings.NewReader("test,component,cpu_mJ,n,time_us\nt,c,9,1,13\n"), "m.csv")
	if err != nil {
		t.Fatal(err)
	}
	if m.Energy[0] != 0.009 || m.Cells[0].TimeMS != 0.013 {
		t.Errorf("%v J and %v ms, want 0.009 and 0.013", m.Energy[0], m.Cells[0].TimeMS)
	}
}

// A zero with a sign is just a zero, so that it is written as one.
func TestReadMinusZero(t *testing.T) {
	m, _, err := csvmatrix.Read(strings.NewReader("test,component,cpu_J,n,time_ms\nt,c,-0,-0.0,-0e5\n"), "m.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := write(t, m), "test,component,cpu_J,n,time_ms\nt,c,0,0,0\n"; got != want {
		t.Errorf("written as %q, want %q", got, want)
	}
}
