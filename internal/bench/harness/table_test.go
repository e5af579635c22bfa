package harness

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Why: the table is read as text and as Markdown, and the exit code follows its
// checks.
func TestTableShowsValuesBesideTheirBars(t *testing.T) {
	table := &Table{Title: "Title", Header: []string{"module", "ratio"}, Notes: []string{"two\nlines"}}
	table.Row("a|b", "1.25")
	table.AtMost("mean", "%.2f", 1.2, 1.2)
	if !table.Passed() {
		t.Error("a value that is as high as its bar does not pass")
	}
	table.AtMost("worst", "%.2f", 1.61, 1.6)
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
	if err := table.Write(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// Why: a table whose measurement failed, or that checked nothing, proves nothing.
func TestOnlyChecksThatAreMetPass(t *testing.T) {
	nothing, missed, notANumber := &Table{}, &Table{}, &Table{}
	missed.Missed("no such module")
	notANumber.AtMost("mean", "%.2f", math.NaN(), 1.2)
	for name, table := range map[string]*Table{"no check": nothing, "missed": missed, "not a number": notANumber} {
		if table.Passed() {
			t.Errorf("%s: passes", name)
		}
	}
}
