package interop

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	reader "github.com/joshdk/go-junit"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/junit"
	"spell-lsp/spell/record"
)

// A reader of another origin sees the tests as they ended, with their time.
func TestJUnitIsReadBack(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			r := run()
			r.Tests = append(r.Tests,
				record.Test{Name: recordtest.Module + ".TestSlow", Package: recordtest.Module, Outcome: record.Timeout, TimeMS: 1500, Output: "panic: test timed out"},
				record.Test{Name: recordtest.Module + ".TestBad", Package: recordtest.Module, Outcome: record.Crash, Output: "panic: bad"})
			var b bytes.Buffer
			if err := junit.Write(&b, r, junit.Options{}); err != nil {
				t.Fatal(err)
			}
			got := readCases(t, b.Bytes())
			if len(got) != len(r.Tests) {
				t.Fatalf("%d tests were read, want %d", len(got), len(r.Tests))
			}
			for i := range r.Tests {
				test := &r.Tests[i]
				c, ok := got[test.Name]
				if !ok { // a hostile name was made visible, and has no package
					continue
				}
				want := map[record.Outcome]reader.Status{
					record.Pass: reader.StatusPassed, record.Fail: reader.StatusFailed, record.Skip: reader.StatusSkipped,
					record.Timeout: reader.StatusError, record.Crash: reader.StatusError,
				}[test.Outcome]
				if c.Status != want {
					t.Errorf("%s is %s, want %s", test.Name, c.Status, want)
				}
				if took := time.Duration(test.TimeMS * float64(time.Millisecond)); math.Abs(float64(c.Duration-took)) > float64(time.Microsecond) {
					t.Errorf("%s took %v, want %v", test.Name, c.Duration, took)
				}
				if c.Error != nil && name != "hostile" && c.Error.Error() != strings.TrimRight(test.Output, "\n") {
					t.Errorf("%s says %q, want %q", test.Name, c.Error, test.Output)
				}
			}
		})
	}
}

// readCases gives the cases by class and name.
func readCases(t *testing.T, text []byte) map[string]reader.Test {
	t.Helper()
	suites, err := reader.Ingest(text)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]reader.Test)
	for _, s := range suites {
		for _, c := range s.Tests {
			all[c.Classname+"."+c.Name] = c
		}
	}
	return all
}

// A rule that is broken is a test that failed, with the reason; the others passed.
func TestJUnitRules(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "spell", "junit", "testdata", "rules.xml"))
	if err != nil {
		t.Fatal(err)
	}
	got := readCases(t, text)
	for rule, want := range map[string]string{"time(Sort)>1ms": "runs for 400 ms", "red": "(*Park).Sort", "energy>1J": "HEAD uses ", "energy>10J": ""} {
		c, ok := got["fail-on."+rule]
		switch {
		case !ok:
			t.Errorf("there is no case of %s", rule)
		case want == "" && c.Status != reader.StatusPassed:
			t.Errorf("%s is %s: %s", rule, c.Status, c.Message)
		case want != "" && (c.Status != reader.StatusFailed || !strings.Contains(c.Error.Error(), want)):
			t.Errorf("%s is %s with %q, want a failure with %q", rule, c.Status, c.Error, want)
		}
	}
}
