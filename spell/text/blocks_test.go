package text_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/text"
)

const sieve = `package sieve

// primes are below max.
func primes(max int) (list []int) {
	composite := make([]bool, max)
	for n := 2; n < max; n++ {
		if composite[n] {
			continue
		} else if n > 2 {
			list = append(list, n)
		}
		for m := 2 * n; m < max; m += n { if m > 0 { composite[m] = true } }
	}
	return list
}
`

// divided is a run of the blocks of primes in a source, beside a function that calls it.
func divided(t *testing.T, source string) *record.Run {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "sieve.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	f := gosource.Functions(fset, file, []byte(source))[0]
	r := &record.Run{
		Rounds: 1, Granularity: spell.KindBlock, Mode: "instrument", Workspace: record.Workspace{Module: "sieve"},
		Meter: record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}},
		Tests: []record.Test{{Name: "sieve.TestPrimes", Outcome: record.Pass, Rounds: 1, TimeMS: 110, EnergyJ: record.Energy{spell.CPU: 11}}},
		Components: []record.Component{
			{ID: "sieve.primes", Kind: spell.KindFunction, Package: "sieve", File: "sieve.go", Line: f.Start.Line, EndLine: f.End.Line, Hash: f.Hash},
			{ID: "sieve.Main", Kind: spell.KindFunction, Package: "sieve", File: "main.go", Line: 3},
		},
	}
	for _, b := range gosource.Blocks(fset, f.Body, []byte(source)) {
		r.Components = append(r.Components, record.Component{
			ID: "sieve.primes#" + b.Path, Kind: spell.KindBlock, Package: "sieve", File: "sieve.go", Line: b.Start.Line, Column: b.Start.Column, EndLine: b.End.Line, Hash: b.Hash,
		})
	}
	cell := func(c int, n, joules float64) record.Cell {
		energy := record.Energy{spell.CPU: joules}
		return record.Cell{C: c, N: n, TimeMS: 10 * joules, EnergyJ: energy, CumTimeMS: 10 * joules, CumEnergyJ: energy}
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cell(0, 2, 0.5), cell(1, 1, 1), cell(2, 18, 1), cell(3, 10, 0), cell(4, 6, 0.5), cell(5, 14, 2), cell(6, 14, 6))
	ranking.Analyze(r, spell.Options{}, false)
	return r
}

// inside is the part of a page about the inside of primes.
func inside(t *testing.T, r *record.Run, source text.Source) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Write(&b, r, text.Options{Source: source}); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(b.String(), "Inside of ")
	before, _, _ := strings.Cut(after, "\nIn full ")
	return before
}

// Why: whoever measured the blocks of a function asks which of its lines costs what. What stands
// beside the lines adds up to the function.
func TestBlocksInPlace(t *testing.T) {
	got := inside(t, divided(t, sieve), func(string) []byte { return []byte(sieve) })
	const want = `primes at sieve.go:4: est. 10.0 J, 90.9 % of the energy of all functions and blocks.
Shares are of this total; # ranks its parts. A nested block is not counted in the outer one.

#   share  est. energy  calls  line  source
4   5.0 %       500 mJ      2     4  func primes(max int) (list []int) {
                                  5      composite := make([]bool, max)
3  10.0 %       1.00 J     18     6      for n := 2; n < max; n++ {
    0.0 %          0 J     10     7          if composite[n] {
                                  8              continue
5   5.0 %       500 mJ      6     9          } else if n > 2 {
                                 10              list = append(list, n)
                                 11          }
2  20.0 %       2.00 J     14    12          for m := 2 * n; m < max; m += n { if m > 0 { composi...
1  60.0 %       6.00 J     14    12  (for1.for1.if1)
                                 13      }
                                 14      return list
                                 15  }
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Why: the source may be gone, or edited since. Lines that were not measured must not stand
// beside figures.
func TestBlocksWithoutSource(t *testing.T) {
	edited := strings.Replace(sieve, "n > 2", "n > 3", 1)
	for name, source := range map[string]text.Source{"no folder": nil, "no file": func(string) []byte { return nil }, "edited": func(string) []byte { return []byte(edited) }} {
		const want = `primes at sieve.go:4: est. 10.0 J, 90.9 % of the energy of all functions and blocks.
Shares are of this total; # ranks its parts. A nested block is not counted in the outer one.

#   share  est. energy  calls  line  block
4   5.0 %       500 mJ      2     4  outside of all blocks
3  10.0 %       1.00 J     18     6  for1
    0.0 %          0 J     10     7  for1.if1
5   5.0 %       500 mJ      6     9  for1.if2
2  20.0 %       2.00 J     14    12  for1.for1
1  60.0 %       6.00 J     14    12  for1.for1.if1
`
		if diff := cmp.Diff(want, inside(t, divided(t, sieve), source)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Why: of a function of hundreds of lines, only those near a block say something.
func TestBlocksOfALongFunction(t *testing.T) {
	long := strings.Replace(sieve, "return list", strings.Repeat("println()\n", 90)+"return list", 1)
	got := inside(t, divided(t, long), func(string) []byte { return []byte(long) })
	if lines := strings.Count(got, "println"); lines > 1 || !strings.Contains(got, "  ...\n") || strings.Contains(got, "return list") {
		t.Errorf("%d lines of the long part are shown:\n%s", lines, got)
	}
}

// Why: some files end their lines with \r\n, and figures of parts that ran too little must not
// look like the others.
func TestMarksOfBlocks(t *testing.T) {
	windows := strings.ReplaceAll(sieve, "\n", "\r\n")
	r := divided(t, windows)
	for i := range r.Components {
		r.Components[i].BelowResolution = r.Components[i].ID == "sieve.primes#for1.for1"
	}
	got := inside(t, r, func(string) []byte { return []byte(windows) })
	for _, want := range []string{"2  20.0 %     2.00 J ~  ", "~ is\nbelow resolution", "                                  5      composite := make([]bool, max)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not there:\n%s", want, got)
		}
	}
	if strings.Contains(got, `\r`) {
		t.Errorf("ends of lines are shown:\n%s", got)
	}
}

// Why: values with callees overlap, so that parts would be more than the whole.
func TestBlocksOfAnInclusiveRanking(t *testing.T) {
	r := divided(t, sieve)
	if _, err := ranking.AnalyzeInclusive(r, spell.Options{}, false); err != nil {
		t.Fatal(err)
	}
	if got := inside(t, r, nil); got != "" {
		t.Errorf("a function is divided:\n%s", got)
	}
}

// Why: whoever asks for what is inside of a function has its blocks among the rows, not the
// function. A page of three rows has no place for the inside of hundreds of functions.
func TestWhichFunctionsAreDivided(t *testing.T) {
	var b bytes.Buffer
	if err := text.Write(&b, divided(t, sieve), text.Options{Within: "sieve.primes"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "Inside of primes") {
		t.Errorf("--within has no inside:\n%s", b.String())
	}
	r := divided(t, sieve)
	for k, cell := range r.Matrix.Cells {
		if r.Components[cell.Component].ID != "sieve.Main" {
			r.Matrix.EnergyJ[k] = 0
		}
	}
	b.Reset()
	ranking.Analyze(r, spell.Options{}, false)
	if err := text.Write(&b, r, text.Options{First: 1}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "Inside of") {
		t.Errorf("a function is divided that is not shown:\n%s", b.String())
	}
}
