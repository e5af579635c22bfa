package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
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

func written(t *testing.T, r *record.Run, o junit.Options) string {
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

func TestGolden(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			got := written(t, run(), junit.Options{})
			wellFormed(t, got)
			recordtest.Golden(t, name+".xml", got)
		})
	}
	t.Run("rules", func(t *testing.T) {
		r := recordtest.Park()
		recordtest.Golden(t, "rules.xml", written(t, r, checked(t, r, "energy>10J", "red", "time(Sort)>1ms")))
	})
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
}

// A reader of another origin sees the tests as they ended, with their time.
func TestReadBack(t *testing.T) {
	for name, run := range recordtest.All() {
		t.Run(name, func(t *testing.T) {
			r := run()
			r.Tests = append(r.Tests,
				record.Test{Name: recordtest.Module + ".TestSlow", Package: recordtest.Module, Outcome: record.Timeout, TimeMS: 1500, Output: "panic: test timed out"},
				record.Test{Name: recordtest.Module + ".TestBad", Package: recordtest.Module, Outcome: record.Crash, Output: "panic: bad"})
			got := readBack(t, written(t, r, junit.Options{}))
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

// readBack gives the cases by class and name.
func readBack(t *testing.T, text string) map[string]reader.Test {
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
func TestRules(t *testing.T) {
	r := recordtest.Park()
	got := readBack(t, written(t, r, checked(t, r, "energy>1J", "red", "energy>1000J")))
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

// Totals of suites are those of their cases.
func TestCounts(t *testing.T) {
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	if err := xml.Unmarshal([]byte(written(t, recordtest.Park(), junit.Options{})), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 4 || got.Failures != 1 || got.Skipped != 1 {
		t.Errorf("the totals are %+v", got)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	if err := junit.Write(brokenPipe{}, recordtest.Park(), junit.Options{}); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("the error is %v", err)
	}
}
