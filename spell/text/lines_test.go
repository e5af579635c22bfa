package text_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/text"
)

// lined is a run by function in which the lines of primes are known.
func lined(t *testing.T, source string) *record.Run {
	t.Helper()
	r := divided(t, source)
	r.Granularity, r.Matrix = spell.KindFunction, record.MatrixOf(r.Meter.Domains,
		record.Cell{C: 0, N: 2, TimeMS: 100, EnergyJ: record.Energy{spell.CPU: 10}}, record.Cell{C: 1, N: 1, TimeMS: 10, EnergyJ: record.Energy{spell.CPU: 1}})
	byID := func(id string) record.Component {
		for _, c := range r.Components {
			if c.ID == id {
				return c
			}
		}
		t.Fatalf("no component %s", id)
		return record.Component{}
	}
	primes, main := byID("sieve.primes"), byID("sieve.Main")
	primes.TimeMS, primes.EnergyJ = 100, record.Energy{spell.CPU: 10}
	primes.SetLines([]record.Line{
		{Line: 12, TimeMS: 160}, {Line: 5, TimeMS: 30, Callees: []record.Callee{{Name: "runtime.makeslice", Kind: spell.RuntimeCallee, TimeMS: 24}}},
		{Line: 7, TimeMS: 1},
	}, 200)
	primes.LinesHash = record.TextHash([]byte(source), primes.Line, primes.EndLine)
	r.Components = []record.Component{primes, main}
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	return r
}

// within is the page about primes from its listing on.
func within(t *testing.T, r *record.Run, source text.Source) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Write(&b, r, text.Options{Source: source, Within: "primes"}); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(b.String(), "Lines of ")
	before, _, _ := strings.Cut(after, "\nIn full ")
	return before
}

// Why: whoever knows the function asks for the line. Lines with less than a hundredth are left out.
func TestLinesInPlace(t *testing.T) {
	r := lined(t, sieve)
	got := within(t, r, func(string) []byte { return []byte(sieve) })
	const want = `primes at sieve.go:4. Shares are of the self time, from samples; what is missing is in
lines with too few of them.

 share  est. energy  line  source
                        4  func primes(max int) (list []int) {
15.0 %       1.50 J     5      composite := make([]bool, max)
                             in allocation (runtime.makeslice) 80.0 %
                        6      for n := 2; n < max; n++ {
                        7          if composite[n] {
                        8              continue
                        9          } else if n > 2 {
                       10              list = append(list, n)
                       11          }
80.0 %       8.00 J    12          for m := 2 * n; m < max; m += n { if m > 0 { composite[m] = tr...
                       13      }
                       14      return list
                       15  }
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := text.Write(&b, r, text.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Line 12 takes 80.0 % of the self time.", "To see its lines: spell-lsp report --within 'primes'"} {
		if page := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(page, want) {
			t.Errorf("the first screen does not say %q:\n%s", want, b.String())
		}
	}
}

// Why: source that was edited since must not stand beside figures of other lines.
func TestLinesWithoutSource(t *testing.T) {
	edited := strings.Replace(sieve, "n > 2", "n > 3", 1)
	moved := strings.Replace(strings.Replace(sieve, "	return list\n", "	// the end\n	return list\n", 1), "			continue\n		} else if", "			continue } else if", 1)
	for name, source := range map[string]text.Source{"none": nil, "gone": func(string) []byte { return nil }, "edited": func(string) []byte { return []byte(edited) }, "as many lines, of which some moved": func(string) []byte { return []byte(moved) }} {
		got := within(t, lined(t, sieve), source)
		const want = `primes at sieve.go:4. Shares are of the self time, from samples; what is missing is in
lines with too few of them. Its source was not found as it was measured, so only the numbers that
the lines had then are here.

 share  est. energy  line  mostly in
80.0 %       8.00 J    12
15.0 %       1.50 J     5  allocation (runtime.makeslice) 80.0 %
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The page of one function says which bytes it moved, and the page of all does not.
func TestMovedBytes(t *testing.T) {
	r := recordtest.Park()
	r.Components[0].Bytes = record.Bytes{ReadBytes: 4096, SentBytes: 12}
	const said = "In a round, its own code read 4.10 kB of files, and sent 12 B over networks and"
	for within, want := range map[string]bool{r.Components[0].ID: true, "Park": false, "": false} {
		for _, full := range []bool{false, true} {
			var b strings.Builder
			if err := text.Write(&b, r, text.Options{Within: within, Full: full}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), said) != want {
				t.Errorf("the page of %q says which bytes were moved: %t, want %t\n%s", within, !want, want, b.String())
			}
		}
	}
}
