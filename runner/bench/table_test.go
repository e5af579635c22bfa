package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Why: the table is read as text and as Markdown, and the exit code follows its
// checks.
func TestTableShowsValuesBesideTheirBars(t *testing.T) {
	table := &table{title: "Title", header: []string{"module", "ratio"}, notes: []string{"two\nlines"}}
	table.row("a|b", "1.25")
	table.atMost("mean", "%.2f", 1.2, 1.2)
	if !table.passed() {
		t.Error("a value that is as high as its bar does not pass")
	}
	table.atMost("worst", "%.2f", 1.61, 1.6)
	const want = `
## Title

| module | ratio |
|--------|------:|
| a\|b   |  1.25 |

| check | value |          bar | result |
|-------|------:|-------------:|-------:|
| mean  |  1.20 | at most 1.20 |   pass |
| worst |  1.61 | at most 1.60 |   FAIL |

- two lines
`
	var got strings.Builder
	if err := table.write(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// Why: a table whose measurement failed, or that checked nothing, proves nothing.
func TestOnlyChecksThatAreMetPass(t *testing.T) {
	nothing, missed, notANumber := &table{}, &table{}, &table{}
	missed.missed("no such module")
	notANumber.atMost("mean", "%.2f", math.NaN(), 1.2)
	for name, table := range map[string]*table{"no check": nothing, "missed": missed, "not a number": notANumber} {
		if table.passed() {
			t.Errorf("%s: passes", name)
		}
	}
}

// Why: one disturbed run must not move a result.
func TestMediansAndMeans(t *testing.T) {
	if got := median([]time.Duration{9, 1, 1000, 3, 2}); got != 3 {
		t.Errorf("median is %d, want 3", got)
	}
	if got := geometricMean([]float64{2, 0.5, 8}); math.Abs(got-2) > 1e-12 {
		t.Errorf("geometric mean is %g, want 2", got)
	}
	c := comparison{plain: []time.Duration{10, 20, 10}, probed: []time.Duration{12, 12, 30}}
	if got, want := c.ratios(), (spread{1.2, 0.6, 3}); got != want {
		t.Errorf("ratios are %v, want %v", got, want)
	}
}

// Why: what a program prints of itself stands among lines of package testing.
func TestValuesAreReadFromLines(t *testing.T) {
	got := values("\x16=== RUN   TestCost\ntimed 1.5\n(*Box).Pointer 7\n--- PASS: TestCost (0.00s)\nPASS\nsum x\n")
	if diff := cmp.Diff(map[string]float64{"timed": 1.5, "(*Box).Pointer": 7}, got); diff != "" {
		t.Error(diff)
	}
}
