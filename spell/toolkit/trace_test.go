package toolkit_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/spell"
	"spell-lsp/spell/toolkit"
)

func readTrace(t *testing.T, text string, o toolkit.TraceOptions) *toolkit.Trace {
	t.Helper()
	tr, err := toolkit.ReadTrace(strings.NewReader(text), "m.trace", o)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Matrix.Validate(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// add calls sort, which calls itself; then add is called again, on its own.
const nested = `> add [ m = park, t = 10, cpu = 1, ram = 0.5 ]
> sort [ m = park, t = 11, cpu = 2, ram = 0.5 ]
> sort [ m = park, t = 13, cpu = 3, ram = 0.75 ]
< sort [ m = park, t = 17, cpu = 5, ram = 0.75 ]
< sort [ m = park, t = 18, cpu = 6, ram = 1 ]
< add [ m = park, t = 20, cpu = 6.5, ram = 1 ]
> add [ m = park, t = 30, cpu = 7, ram = 1 ]
< add [ m = park, t = 31, cpu = 8, ram = 1 ]
`

func nestedTrace(id ...string) *toolkit.Trace {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU, spell.DRAM}, Tests: []string{"t1"}, Components: []spell.Component{{ID: id[0]}, {ID: id[1]}}}
	m.Add(spell.Cell{Component: 0, N: 2, TimeMS: 1 + 2 + 1}, 1+.5+1, 0)
	m.Add(spell.Cell{Component: 1, N: 2, TimeMS: 2 + 4 + 1}, 1+2+1, .25+0+.25)
	return &toolkit.Trace{Matrix: m, CumTimeMS: []float64{11, 7}, CumEnergyJ: []float64{6.5, .5, 4, .5}}
}

// Self values are those without callees, they add up; cumulative ones have
// them, and recursion once.
func TestReadTrace(t *testing.T) {
	if diff := cmp.Diff(nestedTrace("add", "sort"), readTrace(t, nested, toolkit.TraceOptions{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The original's sum counts recursion each time. Self values stay what they are.
func TestReadTraceEachCall(t *testing.T) {
	want := nestedTrace("add", "sort")
	want.CumTimeMS = []float64{11, 7 + 4}
	want.CumEnergyJ = []float64{6.5, .5, 4 + 2, .5}
	if diff := cmp.Diff(want, readTrace(t, nested, toolkit.TraceOptions{EachCall: true})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Different spellings of a trace give the same result.
func TestReadTraceSpellings(t *testing.T) {
	thesis := strings.NewReplacer("t =", "time =", "ram", "dram").Replace(nested)
	for _, test := range []struct{ name, text string }{
		{"thesis", "/* */" + thesis},
		{"the framework's brackets", strings.NewReplacer("[", "(", "]", ")", "cpu", "e").Replace(nested)},
		{"no blanks", strings.ReplaceAll(nested, " ", "")},
		{"one line", strings.ReplaceAll(nested, "\n", " ")},
		{"a line for each word", strings.ReplaceAll(nested, " ", "\r\n")},
		{"comments everywhere", strings.ReplaceAll(nested, " ", "/**//* ] */")},
		{"no module at the exit", strings.NewReplacer("< add [ m = park,", "< add [", "< sort [ m = park,", "< sort [").Replace(nested)},
		{"module at the end", strings.NewReplacer("m = park, ", "", " ]", ", m=park ]").Replace(nested)},
		{"exponents", strings.ReplaceAll(nested, "cpu = 6.5", "cpu = 65E-1")},
		{"semicolon at the end", nested + ";\n"},
		{"byte order mark and CRLF", "\ufeff" + strings.ReplaceAll(nested, "\n", "\r\n")},
		{"comment behind that", nested + "; /* the end */\n"},
	} {
		if diff := cmp.Diff(nestedTrace("add", "sort"), readTrace(t, test.text, toolkit.TraceOptions{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for _, id := range [][]string{{"Park.<init>", "größe/2"}, {"a-b", "*"}, {"/", "a/b>"}, {"_spell_", "_spell_zz_"}, {"1", "_"}, {"park.(*Park).Add", "f[int, string]"}, {"cpu", "a b"}} {
		text := strings.NewReplacer("add", escaped(t, id[0]), "sort", escaped(t, id[1])).Replace(nested)
		if diff := cmp.Diff(nestedTrace(id...), readTrace(t, text, toolkit.TraceOptions{})); diff != "" {
			t.Errorf("names %q (-want +got):\n%s", id, diff)
		}
	}
}

// escaped is id where that can stand in a trace as it is, and else how
// WriteTrace writes it.
func escaped(t *testing.T, id string) string {
	if !strings.ContainsAny(id, " []()") && id != "cpu" {
		return id
	}
	m := &spell.Matrix{Tests: []string{"t1"}, Components: []spell.Component{{ID: id}}}
	m.Add(spell.Cell{N: 1})
	return strings.Fields(writeTrace(t, m))[1]
}

// The example of the toolkit's README, with what the tool prints for it: there
// the clock goes back and the counter begins anew between calls. Its two
// modules stay apart here.
func TestTraceOfTheToolkit(t *testing.T) {
	text := `
>Class_method1 [ m=example, cpu = 48.005478, t = 1455 ]
>Class_method2 [ m=example, cpu = 48.005478, t = 1455 ]
<Class_method2 [ m=example, cpu = 48.005481, t = 1456 ]
<Class_method1 [ m=example, cpu = 48.057404, t = 1457 ]
>Class_method3 [ m=example, cpu = 48.057404, t = 1457 ]
<Class_method3 [ m=example, cpu = 49.057414, t = 1458 ]
>Class_method4 [ m=example, cpu = 49.072083, t = 1458 ]
<Class_method4 [ m=example, cpu = 49.152083, t = 1900 ];
>Class_method1 [ m=spell, cpu = 66.703262, t = 1455 ]
>Class_method2 [ m=spell, cpu = 66.703262, t = 1455 ]
<Class_method2 [ m=spell, cpu = 66.703292, t = 1495 ]
<Class_method1 [ m=spell, cpu = 69.703362, t = 1555 ]
>Class_method3 [ m=spell, cpu = 66.703262, t = 1555 ]
<Class_method3 [ m=spell, cpu = 66.803262, t = 1655 ];
>Class_method4 [ m=spell, cpu = 66.720093, t = 1655 ]
<Class_method4 [ m=spell, cpu = 66.820093, t = 1677 ]
>Class_method1 [ m=spell, cpu = 66.820093, t = 1677 ]
>Class_method5 [ m=spell, cpu = 66.820093, t = 1455 ]
<Class_method5 [ m=spell, cpu = 66.920093, t = 1555 ]
<Class_method1 [ m=spell, cpu = 67.720093, t = 1955 ]
`
	type cell struct {
		test, component   string
		timeMS, joules    float64
		selfMS, selfJoule float64
	}
	want := []cell{
		{"t1", "example.Class_method1", 2, 0.05192600000000169, 1, 0.051923},
		{"t1", "example.Class_method2", 1, 3.000000006636583e-6, 1, 3e-6},
		{"t1", "example.Class_method3", 1, 1.0000100000000032, 1, 1.00001},
		{"t1", "example.Class_method4", 442, 0.0799999999999983, 442, 0.08},
		{"t2", "spell.Class_method1", 100, 3.0001000000000033, 60, 3.00007},
		{"t2", "spell.Class_method2", 40, 3.000000000952241e-5, 40, 3e-5},
		{"t2", "spell.Class_method3", 100, 0.10000000000000853, 100, 0.1},
		{"t3", "spell.Class_method1", 278, 0.9000000000000057, 178, 0.8},
		{"t3", "spell.Class_method4", 22, 0.09999999999999432, 22, 0.1},
		{"t3", "Class_method5", 100, 0.09999999999999432, 100, 0.1},
	}
	theirs := readTrace(t, text, toolkit.TraceOptions{EachCall: true})
	inclusive := theirs.Matrix
	self := readTrace(t, text, toolkit.TraceOptions{})
	var got []cell
	for i, c := range inclusive.Cells {
		got = append(got, cell{inclusive.Tests[c.Test], inclusive.Components[c.Component].ID, theirs.CumTimeMS[i], theirs.CumEnergyJ[i], self.Matrix.Cells[i].TimeMS, self.Matrix.Energy[i]})
		if c.N != 1 || self.CumTimeMS[i] != theirs.CumTimeMS[i] || self.CumEnergyJ[i] != theirs.CumEnergyJ[i] {
			t.Errorf("cell %d: n = %v, cumulative %v ms and %v J", i, c.N, self.CumTimeMS[i], self.CumEnergyJ[i])
		}
	}
	exact := cmpopts.EquateApprox(0, 0)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(cell{}), cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".selfJoule"
	}, cmpopts.EquateApprox(0, 1e-12)), cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".joules" }, exact)); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

// A comment at the beginning of a test is its name, if it can be.
func TestReadTraceNamesTests(t *testing.T) {
	const call = "> f [ t = 1 ] < f [ t = 2 ]\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"none", call + ";" + call, []string{"t1", "t2"}},
		{"all", "/*test 1*/" + call + "; /* test 2 */ /* more */\n" + call, []string{"test 1", "test 2"}},
		{"some", call + "; /*second*/" + call + ";" + call, []string{"t1", "second", "t3"}},
		{"not the first thing", call + "/*x*/;" + call + "/*y*/", []string{"t1", "t2"}},
		{"twice", "/*x*/" + call + ";/*x*/" + call + ";/**/" + call + ";/*a\nb*/" + call, []string{"x", "t2", "t3", "t4"}},
		{"another's number", "/*t2*/" + call + ";" + call + ";" + call, []string{"t2", "t2_", "t3"}},
		{"escaped", "/*_spell_a_2a_2fb*/" + call + ";/*_spell_a*/" + call, []string{"a*/b", "_spell_a"}},
		{"nothing was called", ";" + call + "; /*empty*/ ;;" + call, []string{"t1", "t2", "empty", "t4", "t5"}},
	} {
		if diff := cmp.Diff(test.want, readTrace(t, test.text, toolkit.TraceOptions{}).Matrix.Tests); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A test may have a domain that another does not have: 0 there. Between tests
// counters may begin anew, and a trace need not have any.
func TestReadTraceDomains(t *testing.T) {
	text := "> f [ t = 1 ] < f [ t = 2 ] ; > f [ disk = 7, cpu = 1 ] < f [ cpu = 2, disk = 9 ] ; > f [ gpu = 1 ] > g [ gpu = 2 ] < g [ gpu = 4 ] < f [ gpu = 4 ]"
	want := &spell.Matrix{Domains: []spell.Domain{spell.Disk, spell.CPU, spell.GPU}, Tests: []string{"t1", "t2", "t3"}, Components: []spell.Component{{ID: "f"}, {ID: "g"}}}
	want.Add(spell.Cell{Test: 0, N: 1, TimeMS: 1}, 0, 0, 0)
	want.Add(spell.Cell{Test: 1, N: 1}, 2, 1, 0)
	want.Add(spell.Cell{Test: 2, N: 1}, 0, 0, 1)
	want.Add(spell.Cell{Test: 2, Component: 1, N: 1}, 0, 0, 2)
	cumulative := []float64{0, 0, 0, 2, 1, 0, 0, 0, 3, 0, 0, 2}
	got := readTrace(t, text, toolkit.TraceOptions{})
	if diff := cmp.Diff(&toolkit.Trace{Matrix: want, CumTimeMS: []float64{1, 0, 0, 0}, CumEnergyJ: cumulative}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	none := readTrace(t, "> f [ m = x ] < f [ m = x ]", toolkit.TraceOptions{}).Matrix
	if none.Domains != nil || none.Energy != nil || none.Cells[0] != (spell.Cell{N: 1}) {
		t.Errorf("without readings: %+v", none)
	}
}

// A clock with large readings, whose differences are rounded, makes no call negative.
func TestReadTraceRounds(t *testing.T) {
	text := "> f [ t = 1700000000000.3 ] > g [ t = 1700000000000.1 ] < g [ t = 1700000000005.1 ] < f [ t = 1700000000005.2998 ]"
	m := readTrace(t, text, toolkit.TraceOptions{}).Matrix
	if self := m.Cells[0].TimeMS; !(self >= 0 && self < 0.001) || math.Abs(m.Cells[1].TimeMS-5) > 0.001 {
		t.Errorf("cells %v", m.Cells)
	}
}

// Where the clock shows much more than calls take, and is set back, rounding makes
// a part more than the whole: who reads the values must not see that.
func TestReadTraceRoundsPartsDown(t *testing.T) {
	text := "> f [ t = 0 ] > g [ t = 1e15 ] < g [ t = 1e15 ] > h [ t = 0.35 ] < h [ t = 0.35 ] < f [ t = 0.37 ]"
	tr := readTrace(t, text, toolkit.TraceOptions{})
	if self, cumulative := tr.Matrix.Cells[0].TimeMS, tr.CumTimeMS[0]; self <= 0.37 || cumulative != self {
		t.Errorf("self %v ms, with callees %v ms", self, cumulative)
	}
}

// Every error says where it is, what is wrong and what to do, wherever a buffer
// ends.
func TestReadTraceErrors(t *testing.T) {
	const (
		form   = "; write calls as > name [ t = 0, cpu = 0 ] and < name [ t = 75, cpu = 37 ]"
		number = "; write a number of at least 0 with a decimal point, such as 0.5 or 5e-1"
		keys   = "; the keys are m, t, time, cpu, ram, dram, disk, fans, gpu, net"
		clock  = "; take the time of one clock, that is not set meanwhile"
		nest   = "; write exits from the innermost call outwards, also where an exception or a return skips the probe"
		same   = "; give all entries and exits of a test the same keys"
		begin  = "> f [ t = 1, cpu = 1 ]\n"
		end    = "< f [ t = 2, cpu = 2 ]\n"
	)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "m.trace:1:1: the file has no call" + form},
		{"no test has a call", ";;\n/* x */", "m.trace:1:1: the file has no call" + form},
		{"text", "/*a\nb*/ hello", `m.trace:2:5: "hello" where > or < was expected` + form},
		{"a matrix", "[ [ cpu = 1 ] ]", `m.trace:1:1: "[" where > or < was expected` + form},
		{"only a byte order mark", "\ufeff", "m.trace:1:1: the file has no call" + form},
		{"a part of one", "\xef\xbb", `m.trace:1:1: "\xef\xbb" where > or < was expected` + form},
		{"a second one", "\ufeff\ufeff> f", `m.trace:1:1: "\ufeff>" where > or < was expected` + form},
		{"behind a byte order mark", "\ufeff[ [ cpu = 1 ] ]", `m.trace:1:1: "[" where > or < was expected` + form},
		{"no name", "> [ t = 1 ]", `m.trace:1:3: "[" where a name was expected` + form},
		{"no readings", "> f > g", `m.trace:1:5: ">" where [ was expected` + form},
		{"no key", "> f [ ]", `m.trace:1:7: "]" where a key was expected` + form},
		{"other bracket", "> f [ t = 1 )", `m.trace:1:13: ")" where a comma or ] was expected` + form},
		{"no =", "> f ( t 1 )", `m.trace:1:9: "1" where = was expected` + form},
		{"no comma", "> f [ t = 1 cpu = 1 ]", `m.trace:1:13: "cpu" where a comma or ] was expected` + form},
		{"unknown key", begin + "< f [ tim = 1 ]", `m.trace:2:7: key "tim" is not known; did you mean time?` + keys},
		{"n", "> f [ n = 1 ]", `m.trace:1:7: key "n" is not known; did you mean m?` + keys},
		{"key twice", "> f [ t = 1,\n time = 2 ]", "m.trace:2:2: a second value for t; keep one"},
		{"module without name", "> f [ m = , t = 1 ]", `m.trace:1:11: "," where the name of a module was expected` + form},
		{"no number", "> f [ t = ]", "m.trace:1:11: a number is missing" + number},
		{"not a number", "> f [ t = NaN ]", `m.trace:1:11: "NaN" is not a number` + number},
		{"infinite", "> f [ t = 1e400 ]", `m.trace:1:11: "1e400" is too large or not finite` + number},
		{"file ends in a group", begin + "< f [ t = 1", "m.trace:2:12: the file ends where a comma or ] was expected" + form},
		{"file ends in a name", begin + "< f", "m.trace:2:4: the file ends where [ was expected" + form},
		{"file ends in a key", "> f [ cp", "m.trace:1:9: the file ends where = was expected" + form},
		{"file ends in a call", begin, `m.trace:2:1: the test ends, but "f", entered in line 1, was not left; write the exit of every call, also where an exception or a return skips the probe`},
		{"open comment", begin + end + " /* to be continued ; > f", "m.trace:3:2: the comment has no end; close it with */"},
		{"half a comment", begin + end + "/", `m.trace:3:1: "/" where > or < was expected` + form},
		{"exit without entry", begin + end + end, `m.trace:3:1: the exit of "f", where no call is open; write its entry before it`},
		{"exit of another call", begin + "\n < g [ m = x, t = 2, cpu = 2 ]", `m.trace:3:2: the exit of "g" of "x", where "f", entered in line 1, was not left` + nest},
		{"exit of another module", "> f [ m = x ]\n< f [ m = y ]", `m.trace:2:1: the exit of "f" of "y", where "f" of "x", entered in line 1, was not left` + nest},
		{"reading left out", begin + "< f [ t = 2 ]", "m.trace:2:1: no reading of cpu, which the test has in line 1" + same},
		{"another reading", begin + "> g [ t = 2, cpu = 1, gpu = 1 ]", "m.trace:2:1: a reading of gpu, which the test does not have in line 1" + same},
		{"no time", begin + "< f [ cpu = 2 ]", "m.trace:2:1: no reading of t, which the test has in line 1" + same},
		{"clock set back", begin + "< f [ t = 0.5, cpu = 2 ]", `m.trace:2:1: "f" ends at t = 0.5, before it began at 1 in line 1` + clock},
		{"longer inside", begin + "> g [ t = 0, cpu = 1 ]\n< g [ t = 2.5, cpu = 1 ]\n" + end, `m.trace:4:1: "f", entered in line 1, takes 1.5 ms less than the calls inside it` + clock},
		{"too much together", "> f [ t = 0 ] < f [ t = 1e60 ] > f [ t = 0 ] < f [ t = 1e60 ]", `m.trace:1:62: the readings of "f" add up to more than 1e+60; give joules and milliseconds`},
		{"name not UTF-8", "> \xff [ t = 1 ]", `m.trace:1:1: the name "\xff" is not UTF-8; name functions and modules in UTF-8, without control characters`},
		{"control character", "> f [ m = \x01, t = 1 ]", `m.trace:1:1: the name "\x01" has a line break or another control character; name functions and modules in UTF-8, without control characters`},
	} {
		for _, size := range []int{1, 7, 1 << 18} {
			tr, err := toolkit.ReadTraceInBuffers(strings.NewReader(test.text), "m.trace", toolkit.TraceOptions{}, size)
			if err == nil || err.Error() != test.want {
				t.Errorf("%s, in buffers of %d: %v, error\n%v, want\n%s", test.name, size, tr, err, test.want)
			}
		}
	}
}

func TestReadTraceReportsTheInputsError(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := toolkit.ReadTrace(iotest.ErrReader(broken), "m.trace", toolkit.TraceOptions{})
	if want := "reading m.trace: disk on fire"; !errors.Is(err, broken) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	in := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(nested)))
	if _, err := toolkit.ReadTrace(in, "m.trace", toolkit.TraceOptions{}); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("error %v, want %v", err, iotest.ErrTimeout)
	}
}

// Components of one name keep apart, whatever their modules are called.
func TestReadTraceModules(t *testing.T) {
	for _, test := range []struct {
		name, calls string // module/name of each
		want        []string
	}{
		{"one module", "m/f m/g", []string{"f", "g"}},
		{"each its own", "m/f n/g", []string{"f", "g"}},
		{"two with a name", "m/f n/f m/g", []string{"m.f", "n.f", "g"}},
		{"one without module", "m/f /f", []string{"m.f", "f"}},
		{"called like the two together", "m/f n/f /m.f", []string{"m..f", "n.f", "m.f"}},
		{"points in both", "a/b.c a.b/c x/b.c x/c", []string{"a.b.c", "a.b..c", "x.b.c", "x.c"}},
	} {
		var text, got []string
		for call := range strings.FieldsSeq(test.calls) {
			module, name, _ := strings.Cut(call, "/")
			readings := " [ t = 1 ]"
			if module != "" {
				readings = " [ m = " + module + ", t = 1 ]"
			}
			text = append(text, ">", name, readings, "<", name, readings)
		}
		for _, c := range readTrace(t, strings.Join(text, " "), toolkit.TraceOptions{}).Matrix.Components {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
