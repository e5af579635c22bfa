// Package benchfmt writes the benchmarks, tests and components of a run for tools that follow
// benchmarks: in Go's benchmark format, for benchstat and everything else that reads it, and as
// the JSON of github-action-benchmark.
//
// The format is that of https://go.dev/design/14313-benchmark-format: configuration lines,
// then one line for each round. benchstat makes a table of each combination of configuration
// values, so the configuration has only what two runs that may be compared have in common: the
// run, its commit and its number of rounds are in a comment.
//
// An operation is one of the b.N of a benchmark, one execution of a test, one call of a component. Where
// calls were not counted, values are per round. Units are joules (J/op, and cpu-J/op, dram-J/op
// and so on where there are several domains), the wall time of a test (sec/op), the running time of
// a component (cpu-sec/op) and its calls (calls/round). Joules that were not measured have the prefix
// est-, so that no tool compares them with measured ones. A test below resolution has no joules. A
// component below it, or too short for samples (record.Run.TooShort), has its calls alone.
package benchfmt

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// Options say how much is written. The zero value is everything.
type Options struct {
	Top int // the number of components, by rank; 0 or negative = all
}

// ErrNoRounds says that nothing in the run has values by round.
var ErrNoRounds = errors.New("the run has no values by round, of which benchfmt has one line each: " +
	"measure again with this version, or use github-benchmark, which has means")

// Write writes an analysed run in Go's benchmark format. Results are sorted by package, and then
// stand as in the run: benchmarks, tests, components by rank. Results that are not known by round are
// left out; ErrNoRounds says that these are all there are.
func Write(w io.Writer, r *record.Run, o Options) error {
	list := resultsOf(r, o.Top)
	byRound := slices.DeleteFunc(slices.Clone(list), func(x result) bool { return x.rounds() == 0 })
	if len(byRound) == 0 && len(list) > 0 {
		return ErrNoRounds
	}
	slices.SortStableFunc(byRound, func(a, b result) int { return cmp.Compare(a.pkg, b.pkg) })
	name(byRound)
	var b bytes.Buffer
	writeHeader(&b, r)
	writeUnits(&b, byRound)
	for i := range byRound {
		var before *result
		if i > 0 {
			before = &byRound[i-1]
		}
		writeResult(&b, before, &byRound[i])
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the benchmark results: %w", err)
	}
	return nil
}

// writeHeader writes which run this is, and the configuration of all results.
func writeHeader(b *bytes.Buffer, r *record.Run) {
	fmt.Fprintf(b, "# spell-lsp, %s", units.Plural(r.Rounds, "round"))
	if r.ID != "" {
		b.WriteString(", run " + text(r.ID))
	}
	if revision := r.Workspace.Revision; revision != "" {
		b.WriteString(", commit " + text(revision))
		if r.Workspace.Dirty {
			b.WriteString(" with changes")
		}
	}
	b.WriteByte('\n')
	for _, c := range [][2]string{
		{"goos", r.Host.OS}, {"goarch", r.Host.Arch}, {"cpu", r.Host.CPU},
		{"energy", origin(r)}, {"meter", meterOf(r)}, {"mode", r.Mode},
	} {
		config(b, c[0], c[1])
	}
}

// config writes a configuration line, if there is a value.
func config(b *bytes.Buffer, key, value string) {
	if value != "" {
		fmt.Fprintf(b, "%s: %s\n", key, text(value))
	}
}

// writeUnits says of every unit that less is better. Calls are counted once for all rounds, so more
// lines make them no surer.
func writeUnits(b *bytes.Buffer, list []result) {
	var used []string
	for i := range list {
		for _, v := range list[i].values {
			if len(v.byRound) > 0 && !slices.Contains(used, v.unit) {
				used = append(used, v.unit)
			}
		}
	}
	slices.Sort(used)
	if len(used) > 0 {
		b.WriteByte('\n')
	}
	for _, unit := range used {
		exact := ""
		if unit == callsUnit {
			exact = " assume=exact"
		}
		fmt.Fprintf(b, "Unit %s better=lower%s\n", unit, exact)
	}
}

// writeResult writes the lines of a result, and what of its configuration differs from that of
// the one before it; nil = there is none.
func writeResult(b *bytes.Buffer, before, x *result) {
	if before == nil || before.pkg != x.pkg || before.kind != x.kind {
		b.WriteByte('\n')
		if before == nil || before.pkg != x.pkg {
			config(b, "pkg", x.pkg)
		}
		config(b, "kind", x.kind)
	}
	for round := range x.rounds() {
		b.WriteString("Benchmark" + x.name + " " + strconv.FormatFloat(x.operations, 'f', 0, 64))
		for _, v := range x.values {
			if len(v.byRound) > 0 {
				b.WriteString(" " + strconv.FormatFloat(v.byRound[round], 'g', -1, 64) + " " + v.unit)
			}
		}
		b.WriteByte('\n')
	}
}

// name gives every result the name of a benchmark, without the word Benchmark: that of a benchmark
// is its own, others have their kind in front. Two that would have the same name get numbers, as in
// package testing, by the order of what the run calls them.
func name(list []result) {
	order := make([]*result, len(list))
	for i := range list {
		x := &list[i]
		own := x.id
		if x.pkg != "" {
			own = strings.TrimPrefix(own, x.pkg+".")
		}
		if rest, ok := strings.CutPrefix(own, "Benchmark"); ok && x.kind == benchmarkKind {
			x.name = field(rest)
		} else {
			x.name = strings.ToUpper(x.kind[:1]) + x.kind[1:] + "/" + field(own)
		}
		order[i] = x
	}
	slices.SortStableFunc(order, func(a, b *result) int { return cmp.Compare(a.id, b.id) })
	taken := make(map[[3]string]bool)
	for _, x := range order {
		at := [3]string{x.pkg, x.kind, x.name}
		for n := 1; taken[at]; n++ {
			at[2] = fmt.Sprintf("%s#%02d", x.name, n)
		}
		taken[at], x.name = true, at[2]
	}
}
