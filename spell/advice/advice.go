// Package advice prices what analysers of source code found: with the energy that a run has in the
// lines that a finding is about. A finding without energy in its lines is no advice.
package advice

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A Finding is code that does more than it must, as an analyser found it. It knows no costs.
type Finding struct {
	Rule      string // of the analyser: "regexp-per-call"
	File      string // relative to the workspace root, with forward slashes
	Line      int    // from 1: the first line whose cost it is
	Column    int    // from 1, in bytes
	EndLine   int    // the last line whose cost it is
	EndColumn int    // where it ends in its last line, from 1, in bytes; 0 = not known
	Message   string // what is done without need, without a full stop
	Help      string // what to do instead
	// Callees are the functions without a probe in which its cost shows, as the linker has them; one
	// that ends in * stands for all that begin so. nil = the lines themselves.
	Callees []string
	Edits   []Edit // that do it; nil = there is no rewrite that keeps the meaning for certain
}

// An Edit replaces bytes of a file.
type Edit struct {
	File  string `json:"file"`  // as in Finding
	Start int    `json:"start"` // offsets of the text as it was analysed, in bytes
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// An Advice is a finding with its price: what the lines that it is about use in a round.
type Advice struct {
	Finding
	Component int           // index of the function that it is in
	EnergyJ   record.Energy // at most what can be saved; a part of the function's self energy
	TimeMS    float64
	Share     float64 // of the self values of all functions, 0 to 1
}

// leastShare is the share of all functions from which on a finding is worth a word.
const leastShare = 0.005

// Price returns the findings that hold at least half a hundredth of what all functions of a run
// use in the tests that count, the costliest first. What several findings would save together is no
// more than their lines hold: of findings with the same lines and callees the first stands.
func Price(r *record.Run, findings []Finding) []Advice {
	all := total(r)
	inFile := make(map[string][]int)
	for i := range r.Components {
		if c := &r.Components[i]; c.Kind == spell.KindFunction && len(c.Lines) > 0 {
			inFile[c.File] = append(inFile[c.File], i)
		}
	}
	var list []Advice
	for _, f := range findings {
		a, ok := price(r, f, inFile[f.File])
		if !ok || all == 0 {
			continue
		}
		if a.Share = amount(r, a.EnergyJ, a.TimeMS) / all; a.Share >= leastShare {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.CompactFunc(list, func(a, b Advice) bool {
		return a.File == b.File && a.Line == b.Line && a.EndLine == b.EndLine && slices.Equal(a.Callees, b.Callees)
	})
}

// price finds the function around a finding, among those of its file, and what its lines hold.
func price(r *record.Run, f Finding, functions []int) (Advice, bool) {
	at := slices.IndexFunc(functions, func(i int) bool {
		c := &r.Components[i]
		return f.Line >= c.Line && f.EndLine <= c.EndLine
	})
	if at < 0 {
		return Advice{}, false
	}
	i := functions[at]
	a := Advice{Finding: f, Component: i, EnergyJ: make(record.Energy)}
	for _, l := range r.Components[i].Lines {
		if l.Line < f.Line || l.Line > f.EndLine {
			continue
		}
		if f.Callees == nil {
			a.add(l.EnergyJ, l.TimeMS)
			continue
		}
		for _, c := range l.Callees {
			if f.causes(c.Name) {
				a.add(c.EnergyJ, c.TimeMS)
			}
		}
	}
	return a, a.TimeMS > 0
}

func (a *Advice) add(e record.Energy, ms float64) {
	a.TimeMS += ms
	for domain, joules := range e {
		a.EnergyJ[domain] += joules
	}
}

// causes tells whether the cost of a finding shows in a function.
func (f *Finding) causes(callee string) bool {
	return slices.ContainsFunc(f.Callees, func(name string) bool {
		begin, open := strings.CutSuffix(name, "*")
		return callee == name || open && strings.HasPrefix(callee, begin)
	})
}

// total is what all functions of a run use: joules or, where none are known, milliseconds.
func total(r *record.Run) float64 {
	sum := 0.0
	for i := range r.Components {
		sum += amount(r, r.Components[i].EnergyJ, r.Components[i].TimeMS)
	}
	return sum
}

func amount(r *record.Run, e record.Energy, ms float64) float64 {
	if r.Meter.KnowsEnergy() && len(r.Matrix.Domains) > 0 {
		return e.Total()
	}
	return ms
}

// Apply makes edits of one file, which do not overlap; the same edit twice counts once, as two rewrites
// may need the same import. Imports that the text no longer needs are removed. It is an error if an
// edit is outside of the text.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	edits = withoutImportRemovals(text, slices.Clone(edits))
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	edits = slices.Compact(edits)
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return nil, fmt.Errorf("the change of bytes %d to %d does not fit: the file was edited, or another change is there", e.Start, e.End)
		}
		at = e.End
	}
	return withoutUnused(text, spliced(text, edits)), nil
}

// Overlap tells whether an edit cannot be made together with others. Insertions at one place can.
func Overlap(e Edit, others []Edit) bool {
	return slices.ContainsFunc(others, func(o Edit) bool {
		return o != e && o.File == e.File && e.Start < o.End && o.Start < e.End
	})
}

// spliced makes edits that are in order.
func spliced(text []byte, edits []Edit) []byte {
	var after []byte
	at := 0
	for _, e := range edits {
		after = append(append(after, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(after, text[at:]...)
}

// Rewrite makes edits of a Go file, and formats it if it was formatted before. Where its lines end as
// on Windows, all do.
func Rewrite(text []byte, edits []Edit) ([]byte, error) {
	if bytes.Contains(text, []byte("\r\n")) {
		edits = slices.Clone(edits)
		for i := range edits {
			edits[i].Text = strings.ReplaceAll(strings.ReplaceAll(edits[i].Text, "\r\n", "\n"), "\n", "\r\n")
		}
	}
	after, err := Apply(text, edits)
	if err != nil {
		return nil, err
	}
	if was, err := format.Source(text); err == nil && bytes.Equal(was, text) {
		if formatted, err := format.Source(after); err == nil {
			return formatted, nil
		}
	}
	return after, nil
}

// ByFile sorts edits by their files, whose names files lists in order.
func ByFile(edits []Edit) (files []string, of map[string][]Edit) {
	of = make(map[string][]Edit)
	for _, e := range edits {
		if of[e.File] == nil {
			files = append(files, e.File)
		}
		of[e.File] = append(of[e.File], e)
	}
	slices.Sort(files)
	return files, of
}
