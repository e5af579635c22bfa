package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

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
	report, err := gate.Check(o.Rules, nil, r, nil)
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
		recordtest.Golden(t, "rules.xml", written(t, r, checked(t, r, "energy>10J", "energy>1J", "red", "time(Sort)>1ms")))
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
