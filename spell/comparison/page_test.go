package comparison_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

var update = flag.Bool("update", false, "write the golden files anew")

type renderer = func(io.Writer, *comparison.Comparison, comparison.PageOptions) error

func rendered(t *testing.T, as renderer, c *comparison.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := as(&b, c, comparison.PageOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// versions are two runs with something of everything: cheaper, dearer, renamed,
// new, gone, too small to be tested, and the same.
func versions(t *testing.T) (base, head *record.Run) {
	t.Helper()
	base = program(
		part{id: "m.Sort", hash: "1", file: "sort.go", joules: around(1, 10, 9, 0.01)},
		part{id: "m.(*Park).Add", hash: "2", file: "park.go", joules: around(2, 10, 2, 0.01)},
		part{id: "m.find", hash: "3", file: "park.go", joules: around(3, 10, 4, 0.01)},
		part{id: "m.gone", hash: "4", file: "park.go", joules: around(4, 10, 0.5, 0.01)},
		part{id: "m.tiny", hash: "5", file: "park.go", joules: around(5, 10, 0.01, 0.01)},
	)
	head = program(
		part{id: "m.Sort", hash: "9", file: "sort.go", joules: around(6, 10, 3, 0.01)},
		part{id: "m.(*Park).Add", hash: "2", file: "park.go", joules: around(7, 10, 3, 0.01), n: 3},
		part{id: "m.search", hash: "3", file: "park.go", joules: around(8, 10, 4, 0.01)},
		part{id: "m.fresh", hash: "6", file: "park.go", joules: around(9, 10, 0.2, 0.01)},
		part{id: "m.tiny", hash: "5", file: "park.go", joules: around(10, 10, 0.02, 0.01)},
	)
	head.Workspace.Revision, head.Workspace.Dirty = "abc123", true
	return base, head
}

// The pages, whole, as a reader gets them.
func TestPages(t *testing.T) {
	same := func() *record.Run { return program(part{id: "m.F", joules: around(1, 10, 9, 0.01)}) }
	for _, tt := range []struct {
		name string
		make func() (base, head *record.Run)
	}{
		{"changed", func() (*record.Run, *record.Run) { return versions(t) }},
		{"unchanged", func() (*record.Run, *record.Run) {
			return same(), program(part{id: "m.F", joules: around(2, 10, 9, 0.01)})
		}},
		{"too-few", func() (*record.Run, *record.Run) {
			return program(part{id: "m.F", joules: []float64{9, 9, 9}}), program(part{id: "m.F", joules: []float64{6, 6, 6}})
		}},
		{"much-more", func() (*record.Run, *record.Run) {
			return same(), program(part{id: "m.F", joules: around(2, 10, 40, 0.01)})
		}},
		{"hostile", func() (*record.Run, *record.Run) {
			name := "m.\x1b[2J|<img src=x>`*_[a](http://b)@user#1"
			return program(part{id: name, joules: around(1, 10, 9, 0.01)}), program(part{id: name, joules: around(2, 10, 6, 0.01)})
		}},
	} {
		base, head := tt.make()
		head.ID = "20261121T050000Z-0002"
		c := compared(t, base, head, comparison.Options{})
		for _, format := range []struct {
			ending string
			write  renderer
		}{{"txt", comparison.Text}, {"md", comparison.Markdown}} {
			file, got := filepath.Join("testdata", tt.name+"."+format.ending), rendered(t, format.write, c)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
			for i, line := range strings.Split(got, "\n") {
				if strings.ContainsAny(line, "\t\x1b") || strings.TrimRight(line, " ") != line {
					t.Errorf("%s: line %d has blanks at its end, tabs or control characters: %q", file, i+1, line)
				}
			}
		}
	}
}

// A table cell of a hostile name stays one cell.
func TestMarkdownCells(t *testing.T) {
	base, head := program(part{id: "a|b\n# c", joules: around(1, 10, 9, 0.01)}), program(part{id: "a|b\n# c", joules: around(2, 10, 6, 0.01)})
	var widths []int
	for _, line := range strings.Split(rendered(t, comparison.Markdown, compared(t, base, head, comparison.Options{})), "\n") {
		if strings.HasPrefix(line, "|") && strings.Contains(line, "better") && !strings.Contains(line, "TestAll") {
			widths = append(widths, strings.Count(line, "|"))
		}
	}
	if !slices.Equal(widths, []int{12}) {
		t.Errorf("rows have %v bars, want one of 12", widths)
	}
}

// Top cuts the tables and the lists, and says how much is missing.
func TestTop(t *testing.T) {
	base, head := versions(t)
	c := compared(t, base, head, comparison.Options{})
	var b bytes.Buffer
	if err := comparison.Text(&b, c, comparison.PageOptions{Top: 1}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "3 more components not shown.") || strings.Contains(text, "tiny") || !strings.Contains(text, "and 2 more") {
		t.Errorf("one component:\n%s", text)
	}
}

// The JSON form is read by scripts: always the same, without infinite numbers, and
// null where something is not defined.
func TestJSON(t *testing.T) {
	base, head := program(part{id: "m.F", joules: around(1, 10, 9, 0.01)}), program(part{id: "m.F", joules: make([]float64, 10)})
	write := func() []byte {
		var b bytes.Buffer
		if err := compared(t, base, head, comparison.Options{}).Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	text := write()
	if !bytes.Equal(text, write()) {
		t.Error("the same comparison is written in two ways")
	}
	if bytes.Contains(text, []byte(`"base": null`)) || bytes.Contains(text, []byte(`"neither": null`)) {
		t.Error("an empty list is null")
	}
	var got struct {
		Schema string
		Total  map[string]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "spell-lsp/comparison/v1" {
		t.Errorf("schema %q", got.Schema)
	}
	for _, name := range []string{"greenup", "speedup", "powerup"} {
		if value, there := got.Total[name]; !there || value != nil {
			t.Errorf("%s of a HEAD that used nothing is %v, want null", name, value)
		}
	}
	if headline := compared(t, base, head, comparison.Options{}).Headline(); !strings.Contains(headline, "HEAD uses 100 % less energy") || !strings.Contains(headline, "greenup not defined") {
		t.Errorf("the headline is %q", headline)
	}
	if c := compared(t, head, base, comparison.Options{}); c.Total.Greenup != nil || c.Total.Speedup != nil || c.Total.Powerup != nil || c.Total.EnergyJ.Change != nil {
		t.Errorf("of a BASE that used nothing: %+v", c.Total)
	} else if want := "HEAD uses some energy (estimated), where BASE uses none (significant, p 0.002, large effect); some running time, where BASE uses none; greenup not defined"; !strings.HasPrefix(c.Headline(), want) {
		t.Errorf("the headline is %q, want %q", c.Headline(), want)
	}
	var back comparison.Comparison
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compared(t, base, head, comparison.Options{}), &back); diff != "" {
		t.Errorf("did not survive (-want +got):\n%s", diff)
	}
}

// Whatever is in two records, the comparison can be written, and it changes neither.
func TestAnyRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	value := func() float64 {
		return []float64{0, 0, 1e-300, 1e-12, 1, rng.Float64(), 1e12, 1e299}[rng.IntN(8)]
	}
	run := func() *record.Run {
		rounds := 1 + rng.IntN(12)
		var parts []part
		for _, id := range []string{"m.A", "m.B", "m.C", "m.D"}[:1+rng.IntN(4)] {
			p := part{id: id, joules: make([]float64, rounds), hash: []string{"", "1", "2"}[rng.IntN(3)]}
			for k := range p.joules {
				p.joules[k] = min(value(), 1e100) // cells are at most spell.MaxValue
			}
			parts = append(parts, p)
		}
		return program(parts...)
	}
	for range 60 {
		base, head := run(), run()
		ranking.Analyze(base, spell.Options{}, false)
		ranking.Analyze(head, spell.Options{}, false)
		before := cmp.Diff(base, head)
		c, err := comparison.Compare(base, head, comparison.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if after := cmp.Diff(base, head); len(before) != len(after) {
			t.Fatal("the comparison changed a run")
		}
		if err := c.Write(io.Discard); err != nil {
			t.Fatal(err)
		}
		if text := rendered(t, comparison.Text, c); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Fatal(text)
		}
		rendered(t, comparison.Markdown, c)
	}
}
