package rendering_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/wording"
)

type renderer = func(io.Writer, *comparison.Comparison, rendering.Options) error

func rendered(t *testing.T, as renderer, c *comparison.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := as(&b, c, rendering.Options{Full: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// firstScreen is the page without Full, as the command compare shows it.
func firstScreen(w io.Writer, c *comparison.Comparison, o rendering.Options) error {
	o.Full, o.Command = false, "spell-lsp compare --full base head"
	return rendering.Text(w, c, o)
}

// versions are two runs with something of everything: cheaper, dearer, renamed,
// new, gone, too small to be tested, and the same.
func versions(t *testing.T) (base, head *record.Run) {
	t.Helper()
	base = recordtest.Program(
		recordtest.Part{ID: "m.Sort", Hash: "1", File: "sort.go", Joules: recordtest.Around(1, 10, 9, 0.01)},
		recordtest.Part{ID: "m.(*Park).Add", Hash: "2", File: "park.go", Joules: recordtest.Around(2, 10, 2, 0.01)},
		recordtest.Part{ID: "m.find", Hash: "3", File: "park.go", Joules: recordtest.Around(3, 10, 4, 0.01)},
		recordtest.Part{ID: "m.gone", Hash: "4", File: "park.go", Joules: recordtest.Around(4, 10, 0.5, 0.01)},
		recordtest.Part{ID: "m.tiny", Hash: "5", File: "park.go", Joules: recordtest.Around(5, 10, 0.01, 0.01)},
	)
	head = recordtest.Program(
		recordtest.Part{ID: "m.Sort", Hash: "9", File: "sort.go", Joules: recordtest.Around(6, 10, 3, 0.01)},
		recordtest.Part{ID: "m.(*Park).Add", Hash: "2", File: "park.go", Joules: recordtest.Around(7, 10, 3, 0.01), N: 3},
		recordtest.Part{ID: "m.search", Hash: "3", File: "park.go", Joules: recordtest.Around(8, 10, 4, 0.01)},
		recordtest.Part{ID: "m.fresh", Hash: "6", File: "park.go", Joules: recordtest.Around(9, 10, 0.2, 0.01)},
		recordtest.Part{ID: "m.tiny", Hash: "5", File: "park.go", Joules: recordtest.Around(10, 10, 0.02, 0.01)},
	)
	head.Workspace.Revision, head.Workspace.Dirty = "abc123", true
	return base, head
}

// The pages, whole, as a reader gets them.
func TestPages(t *testing.T) {
	same := func() *record.Run {
		return recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 10, 9, 0.01)})
	}
	for _, tt := range []struct {
		name string
		make func() (base, head *record.Run)
	}{
		{"changed", func() (*record.Run, *record.Run) { return versions(t) }},
		{"unchanged", func() (*record.Run, *record.Run) {
			return same(), recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(2, 10, 9, 0.01)})
		}},
		{"too-few", func() (*record.Run, *record.Run) {
			return recordtest.Program(recordtest.Part{ID: "m.F", Joules: []float64{9, 9, 9}}), recordtest.Program(recordtest.Part{ID: "m.F", Joules: []float64{6, 6, 6}})
		}},
		{"much-more", func() (*record.Run, *record.Run) {
			return same(), recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(2, 10, 40, 0.01)})
		}},
		{"hostile", func() (*record.Run, *record.Run) {
			name := "m.\x1b[2J|<img src=x>`*_[a](http://b)@user#1"
			return recordtest.Program(recordtest.Part{ID: name, Joules: recordtest.Around(1, 10, 9, 0.01)}), recordtest.Program(recordtest.Part{ID: name, Joules: recordtest.Around(2, 10, 6, 0.01)})
		}},
	} {
		base, head := tt.make()
		head.ID = "20261121T050000Z-0002"
		c := compared(t, base, head, comparison.Options{})
		for _, format := range []struct {
			ending string
			write  renderer
		}{{"txt", rendering.Text}, {"md", rendering.Markdown}, {"first.txt", firstScreen}} {
			got := rendered(t, format.write, c)
			file := tt.name + "." + format.ending
			recordtest.Golden(t, file, got)
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
	base, head := recordtest.Program(recordtest.Part{ID: "a|b\n# c", Joules: recordtest.Around(1, 10, 9, 0.01)}), recordtest.Program(recordtest.Part{ID: "a|b\n# c", Joules: recordtest.Around(2, 10, 6, 0.01)})
	var widths []int
	for _, line := range strings.Split(rendered(t, rendering.Markdown, compared(t, base, head, comparison.Options{})), "\n") {
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
	if err := rendering.Text(&b, c, rendering.Options{Full: true, Top: 1}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "3 more components not shown.") || strings.Contains(text, "tiny") || !strings.Contains(text, "and 2 more") {
		t.Errorf("one component:\n%s", text)
	}
}

// The first screen has few rows: what else got better or worse is counted, so that nobody takes the
// rows for all.
func TestFirstScreenCountsTheOthers(t *testing.T) {
	base, head := versions(t)
	c := compared(t, base, head, comparison.Options{})
	var b bytes.Buffer
	if err := rendering.Text(&b, c, rendering.Options{First: 1}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "\nand 1 more: 1 WORSE.\n") {
		t.Errorf("one row, and one more function that got dearer:\n%s", text)
	}
}

// The JSON form is read by scripts: always the same, without infinite numbers, and
// null where something is not defined.
func TestJSON(t *testing.T) {
	base, head := recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 10, 9, 0.01)}), recordtest.Program(recordtest.Part{ID: "m.F", Joules: make([]float64, 10)})
	write := func() []byte {
		var b bytes.Buffer
		if err := rendering.JSON(&b, compared(t, base, head, comparison.Options{})); err != nil {
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
	if headline := rendering.Headline(compared(t, base, head, comparison.Options{}), wording.CommandLine); !strings.Contains(headline, "HEAD uses 100 % less energy") || !strings.Contains(headline, "greenup not defined") {
		t.Errorf("the headline is %q", headline)
	}
	if c := compared(t, head, base, comparison.Options{}); c.Total.Greenup != nil || c.Total.Speedup != nil || c.Total.Powerup != nil || c.Total.EnergyJ.Change != nil {
		t.Errorf("of a BASE that used nothing: %+v", c.Total)
	} else if want := "HEAD uses some energy (estimated), where BASE uses none (significant, p 0.002, large effect); some running time, where BASE uses none; greenup not defined"; !strings.HasPrefix(rendering.Headline(c, wording.CommandLine), want) {
		t.Errorf("the headline is %q, want %q", rendering.Headline(c, wording.CommandLine), want)
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
		var parts []recordtest.Part
		for _, id := range []string{"m.A", "m.B", "m.C", "m.D"}[:1+rng.IntN(4)] {
			p := recordtest.Part{ID: id, Joules: make([]float64, rounds), Hash: []string{"", "1", "2"}[rng.IntN(3)]}
			for k := range p.Joules {
				p.Joules[k] = min(value(), 1e100) // cells are at most spell.MaxValue
			}
			parts = append(parts, p)
		}
		return recordtest.Program(parts...)
	}
	for range 60 {
		base, head := run(), run()
		ranking.Analyze(base, spell.Options{Order: spell.OrderAuto}, false)
		ranking.Analyze(head, spell.Options{Order: spell.OrderAuto}, false)
		before := cmp.Diff(base, head)
		c, err := comparison.Compare(base, head, comparison.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if after := cmp.Diff(base, head); len(before) != len(after) {
			t.Fatal("the comparison changed a run")
		}
		if err := rendering.JSON(io.Discard, c); err != nil {
			t.Fatal(err)
		}
		if text := rendered(t, rendering.Text, c); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Fatal(text)
		}
		rendered(t, rendering.Markdown, c)
	}
}

// compared ranks and compares two runs.
func compared(t *testing.T, base, head *record.Run, o comparison.Options) *comparison.Comparison {
	t.Helper()
	ranking.Analyze(base, spell.Options{Order: spell.OrderAuto}, o.IncludeFailed)
	ranking.Analyze(head, spell.Options{Order: spell.OrderAuto}, o.IncludeFailed)
	c, err := comparison.Compare(base, head, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Zones are shares of a run: where the leader got cheaper, the next one turns red. The reader
// learns that it did not get dearer; of one that did, its verdict says so.
func TestRedByShare(t *testing.T) {
	run := func(seed uint64, sort, oldest float64) *record.Run {
		return recordtest.Program(
			recordtest.Part{ID: "m.Sort", Joules: recordtest.Around(seed, 10, sort, 0.01)},
			recordtest.Part{ID: "m.Oldest", Joules: recordtest.Around(seed+1, 10, oldest, 0.01)})
	}
	const about, legend = " It was yellow and is red: its share of the whole grew, it did not get more expensive.", "A function that turned red without WORSE did not get more expensive"
	for _, tt := range []struct {
		why          string
		sort, oldest float64
		want         bool
	}{{"repaired", 1, 3, true}, {"repaired, and the other got dearer", 1, 6, false}, {"as it was", 9, 3, false}} {
		c := compared(t, run(1, 9, 3), run(5, tt.sort, tt.oldest), comparison.Options{})
		page := strings.Join(strings.Fields(rendered(t, rendering.Text, c)), " ")
		if got := strings.Contains(page, legend); got != tt.want {
			t.Errorf("%s: the legend says so: %t, want %t:\n%s", tt.why, got, tt.want, page)
		}
		for i := range c.Components {
			text := rendering.About(c, &c.Components[i], wording.CommandLine)
			if got, want := strings.HasSuffix(text, about), tt.want && c.Components[i].ID == "m.Oldest"; got != want {
				t.Errorf("%s: %s: %s", tt.why, c.Components[i].ID, text)
			}
		}
	}
}

// Why: a mark that is explained must be on the page, and one that is there must be explained.
func TestMarksOfTheFirstScreen(t *testing.T) {
	base, head := versions(t)
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Components[0].BaseZone, c.Components[0].HeadZone = spell.Yellow, spell.Red
	for _, tt := range []struct {
		why         string
		width       int
		time, zones bool
	}{
		{"all columns", 0, true, true},
		{"no room for the time", 56, false, true},
	} {
		var b bytes.Buffer
		if err := rendering.Text(&b, c, rendering.Options{Width: tt.width}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		if got := strings.Contains(text, "* is a significant change of time"); got != tt.time {
			t.Errorf("%s: * is explained: %t, want %t:\n%s", tt.why, got, tt.time, b.String())
		}
		if got := strings.Contains(text, "G>R was green"); got != tt.zones {
			t.Errorf("%s: zones are explained: %t, want %t:\n%s", tt.why, got, tt.zones, b.String())
		}
	}
}
