package instrument

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/instrument/pclntab"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
)

// namesOf are the names of the functions of the program with probes.
func (b *bench) namesOf(t *testing.T, program string) *pclntab.FunctionNames {
	t.Helper()
	file, err := os.Open(filepath.Join(b.probed, program))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	names, err := pclntab.NamesOf(file)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// callees says what each test calls in which component; "" is nothing that takes long.
var callees = map[string]struct{ component, callee string }{
	"TestHashes":    {"Hashes", "crypto/sha256.Sum256"},
	"TestFinds":     {"Finds", "bytes.IndexByte"},
	"TestAssembly":  {"Assembly", "example.com/callees.spin assembly"},
	"TestInlined":   {"Inlined", "example.com/callees.spin assembly"},
	"TestLiteral":   {"Literal", "example.com/callees.spin assembly"},
	"TestNosplit":   {"Nosplit", "example.com/callees.tight"},
	"TestSorts":     {"Sorts", "slices.Sort"},
	"TestAllocates": {"Allocates", "runtime.makeslice"},
	"TestOwn":       {"Own", ""},
	"TestThrough":   {"Own", ""},
	"TestReturns":   {"Returns", ""}, // not what the runtime does for the deferred call of the probe
}

// See the archive. What a callee has is a share of the time of its component, in which at
// least a hundred samples fell on any machine with a clock of 250 Hz.
func TestSamplesNameCalleesWithoutAProbe(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/callees.txtar")})
	_, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers})
	for test := range callees {
		checkCallee(t, b, log, test)
	}
	checkLines(t, b, log)
	t.Run("deferred call of the probe", b.checkDeferred)
}

// A program has the names also without its symbol table: one test for each kind of callee.
func TestCalleesHaveNamesWithoutSymbols(t *testing.T) {
	tests := []string{"TestHashes", "TestAssembly", "TestNosplit", "TestSorts", "TestAllocates"}
	b := prepare(t, Params{Dir: unpack(t, "testdata/callees.txtar")}, "-ldflags=-s -w")
	_, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: b.Defers}, "-test.run=^("+strings.Join(tests, "|")+")$")
	for _, test := range tests {
		checkCallee(t, b, log, test)
	}
}

func checkCallee(t *testing.T, b *bench, log *probe.Log, test string) {
	t.Helper()
	const most, few = 0.5, 0.1
	want := callees[test]
	shares := calleeShares(t, b, log, test)[want.component]
	for callee, share := range shares {
		if strings.HasPrefix(callee, "runtime.asyncPreempt") {
			t.Errorf("%s: %s has %.2f of the time of %s, but nobody called it", test, callee, share, want.component)
		}
		if callee != want.callee && share > most || want.callee == "" && share > few {
			t.Errorf("%s: %s has %.2f of the time of %s", test, callee, share, want.component)
		}
	}
	if want.callee != "" && shares[want.callee] <= most {
		t.Errorf("%s: %s has %.2f of the time of %s, of which %v", test, want.callee, shares[want.callee], want.component, shares)
	}
}

// Why: the runtime runs the deferred call of a probe for some 20 ns where the compiler does not
// open-code it. That must not be taken for what the function does, but what the function itself
// defers is its own, unless it would be open-coded without a probe.
func (b *bench) checkDeferred(t *testing.T) {
	for why, tt := range map[string]struct {
		defers []bool
		test   string
		want   bool
	}{
		"the probe's is the only one":            {b.Defers, "TestReturns", false},
		"not known":                              {nil, "TestReturns", true},
		"without a probe it would be open-coded": {b.Defers, "TestUnlocks", false},
		"without a probe it would not":           {b.Defers, "TestDefers", true},
	} {
		_, log := b.runProbed(t, b.Tests[0], probe.Setup{Defers: tt.defers}, "-test.run="+tt.test+"$")
		deferring := 0.0
		for callee, share := range calleeShares(t, b, log, tt.test)[strings.TrimPrefix(tt.test, "Test")] {
			if strings.HasPrefix(callee, "runtime.(*_panic).") || strings.HasPrefix(callee, "runtime.deferproc") {
				deferring += share
			}
		}
		if deferring > 0.1 != tt.want {
			t.Errorf("%s: deferred calls have %.2f of its time", why, deferring)
		}
	}
}

// calleeShares gives, by component, what parts of its time in a test callees have.
func calleeShares(t *testing.T, b *bench, log *probe.Log, test string) map[string]map[string]float64 {
	t.Helper()
	names, own := b.namesOf(t, "callees.test"), ownNS(log, test)
	shares := make(map[string]map[string]float64)
	for _, c := range log.Parts[test] {
		if c.Name == 0 {
			continue
		}
		name, ok := names.At(c.Name)
		if !ok {
			t.Fatalf("%s: there is no name at %d", test, c.Name)
		}
		name = probe.WithoutTypeArguments(name)
		if c.Assembly {
			name += " assembly"
		}
		component := strings.TrimPrefix(b.Components[c.Row-1].ID, "example.com/callees.")
		if shares[component] == nil {
			shares[component] = make(map[string]float64)
		}
		shares[component][name] += float64(c.NS) / own[c.Row]
	}
	return shares
}

// ownNS is the own time of the components in a test, by row.
func ownNS(log *probe.Log, test string) map[int]float64 {
	own := make(map[int]float64)
	for _, c := range log.Calls[test] {
		own[c.Row] += float64(c.NS)
	}
	return own
}

// checkLines checks the shares of lines: of about 125 samples in each test, one that has 70 % gets
// within 15 points.
func checkLines(t *testing.T, b *bench, log *probe.Log) {
	t.Helper()
	for test, want := range map[string]struct {
		component string
		shares    map[int]float64 // by line, from that of the declaration on
	}{
		"TestLines":    {"Lines", map[int]float64{1: 0.7, 2: 0.2, 5: 0.1}},
		"TestInlined":  {"Inlined", map[int]float64{0: 1}},
		"TestLiteral":  {"Literal", map[int]float64{3: 1}},
		"TestAssembly": {"Assembly", map[int]float64{0: 1}},
		"TestThrough":  {"Own", map[int]float64{2: 1}},
	} {
		row := 1 + slices.IndexFunc(b.Components, func(c spell.Component) bool { return c.ID == "example.com/callees."+want.component })
		own, got := ownNS(log, test)[row], make(map[int]float64)
		for _, p := range log.Parts[test] {
			if p.Row == row {
				got[p.Line-b.Components[row-1].Line] += float64(p.NS) / own
			}
		}
		for line, share := range want.shares {
			if math.Abs(got[line]-share) > 0.15 {
				t.Errorf("%s: the lines of %s have the shares %v, want %v", test, want.component, got, want.shares)
				break
			}
		}
	}
}
