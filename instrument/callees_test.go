package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/instrument/probe"
)

// namesOf are the names of the functions of the program with probes.
func (b *bench) namesOf(t *testing.T, program string) *probe.FunctionNames {
	t.Helper()
	file, err := os.Open(filepath.Join(b.probed, program))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	names, err := probe.NamesOf(file)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// See the archive. What a callee has is a share of the time of its component, in which at
// least a hundred samples fell on any machine with a clock of 250 Hz.
func TestSamplesNameCalleesWithoutAProbe(t *testing.T) {
	for name, flags := range map[string][]string{"executable": nil, "without symbols": {"-ldflags=-s -w"}} {
		t.Run(name, func(t *testing.T) {
			b := prepare(t, Params{Dir: unpack(t, "testdata/callees.txtar")}, flags...)
			_, _, log := b.run(t, b.Tests[0])
			checkCallees(t, b, log, b.namesOf(t, "callees.test"))
		})
	}
}

func checkCallees(t *testing.T, b *bench, log *probe.Log, names *probe.FunctionNames) {
	t.Helper()
	const most, few = 0.5, 0.1
	for test, want := range map[string]struct{ component, callee string }{
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
	} {
		shares := calleeShares(t, b, log, test, names)[want.component]
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
}

// calleeShares gives, by component, what parts of its time in a test callees have.
func calleeShares(t *testing.T, b *bench, log *probe.Log, test string, names *probe.FunctionNames) map[string]map[string]float64 {
	t.Helper()
	own := make(map[int]float64)
	for _, c := range log.Calls[test] {
		own[c.Row] += float64(c.NS)
	}
	shares := make(map[string]map[string]float64)
	for _, c := range log.Callees[test] {
		name, ok := names.At(c.Name)
		if !ok {
			t.Fatalf("%s: there is no name at %d", test, c.Name)
		}
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
