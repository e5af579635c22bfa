package interop

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	reader "github.com/joshdk/go-junit"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/junit"
	"spell-lsp/spell/record"
)

func writeJUnit(t *testing.T, r *record.Run, o junit.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := junit.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checked are options with rules that were checked.
func checked(t *testing.T, r *record.Run, texts ...string) junit.Options {
	t.Helper()
	var o junit.Options
	for _, text := range texts {
		list, err := gate.ParseAll(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Rules = append(o.Rules, list...)
	}
	report, err := gate.Check(o.Rules, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Report = report
	return o
}

// A reader of another origin sees the tests as they ended, with their time.
func TestJUnitIsReadBack(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			r := run()
			r.Tests = append(r.Tests,
				record.Test{Name: recordtest.Module + ".TestSlow", Package: recordtest.Module, Outcome: record.Timeout, TimeMS: 1500, Output: "panic: test timed out"},
				record.Test{Name: recordtest.Module + ".TestBad", Package: recordtest.Module, Outcome: record.Crash, Output: "panic: bad"})
			got := readCases(t, writeJUnit(t, r, junit.Options{}))
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
func readCases(t *testing.T, text string) map[string]reader.Test {
	t.Helper()
	suites, err := reader.Ingest([]byte(text))
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
	r := recordtest.Park()
	got := readCases(t, writeJUnit(t, r, checked(t, r, "energy>1J", "red", "energy>1000J")))
	for rule, want := range map[string]string{"energy>1J": "HEAD uses ", "red": "(*Park).Add", "energy>1000J": ""} {
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
