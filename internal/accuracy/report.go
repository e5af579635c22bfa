package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// A report is the whole table, with the machine's load while it was made.
type report struct {
	Rows    []*row       `json:"rows"`
	Load    []string     `json:"load"` // averages of the machine, before and after
	outside float64      // bar for the functions outside of their intervals, in per cent
	Callers []*callerRow `json:"callers"`
	Same    *same        `json:"same,omitempty"` // comparisons of measurements of one program
}

// checks are the checks over all rows together.
func (r *report) checks() []check {
	all := append(r.coverage(spellLSP, "functions whose interval does not have the truth in it"), r.coverage(sampling, "the same without probes")...)
	for _, row := range r.Callers {
		all = append(all, row.Checks...)
	}
	if r.Same != nil {
		all = append(all, r.Same.checks()...)
	}
	return all
}

// coverage checks the intervals of all rows.
func (r *report) coverage(method int, what string) []check {
	var functions, known, covered int
	for _, row := range r.Rows {
		f, k, c := row.intervals(method)
		functions, known, covered = functions+f, known+k, covered+c
	}
	if functions == 0 {
		return nil
	}
	outside := 100 * float64(functions-covered) / float64(functions)
	value := fmt.Sprintf("%.1f %% of %d", outside, functions)
	if known < functions {
		value += fmt.Sprintf(", %d have no interval", functions-known)
	}
	return []check{{what, value, fmt.Sprintf("at most %g %%", r.outside), outside <= r.outside}}
}

func (r *report) passed() bool {
	some := len(r.Rows) > 0 || len(r.Callers) > 0 || r.Same != nil
	for _, row := range r.Rows {
		some = some && row.Fault == "" && !slices.ContainsFunc(row.Checks, missed)
	}
	return some && !slices.ContainsFunc(r.checks(), missed)
}

func missed(c check) bool { return !c.OK }

func (r *report) writeJSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(struct {
		*report
		Checks []check `json:"checks"`
		Passed bool    `json:"passed"`
	}{r, r.checks(), r.passed()})
}

// write writes the table as text.
func (r *report) write(w io.Writer, verbose bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Energy of functions against the truth of a simulated machine. %s, %s/%s, %d processors, load averages %s.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.Join(r.Load, ", then "))
	fmt.Fprintf(&b, "Errors of each function with %g %% of the energy or more, median / worst. The other methods are told the idle machine's power.\n\n", 100*share)
	cells := [][]string{append([]string{"workload", "functions"}, append(methodNames[:], "counter", "parts", "in interval", "bars")...)}
	for _, row := range r.Rows {
		cells = append(cells, row.cells())
	}
	grid(&b, cells)
	for _, row := range r.Rows {
		if row.excuse != "" {
			fmt.Fprintf(&b, "\n%s: %s\n", row.Name, row.excuse)
		}
	}
	writeCallers(&b, r.Callers)
	b.WriteByte('\n')
	for _, c := range r.checks() {
		fmt.Fprintf(&b, "%s: %s (%s): %s\n", c.What, c.Value, c.Bar, verdict(c))
	}
	if verbose {
		for _, row := range r.Rows {
			row.details(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func verdict(c check) string {
	if c.OK {
		return "pass"
	}
	return "FAIL"
}

func (r *row) cells() []string {
	if r.Fault != "" {
		first, _, _ := strings.Cut(r.Fault, "\n")
		return []string{r.Name, "", "", "", "", "", "", "", "", "", "FAIL: " + first}
	}
	count := len(r.errors(spellLSP))
	all := []string{r.Name, fmt.Sprintf("%d of %d", count, len(r.Functions))}
	for _, m := range r.Methods {
		if count == 0 || m.Name == methodNames[simpler] && !r.simplerMeasured() {
			all = append(all, "-")
		} else {
			all = append(all, fmt.Sprintf("%.1f / %.1f %%", 100*m.Median, 100*m.Worst))
		}
	}
	functions, known, covered := r.intervals(spellLSP)
	inside := "-"
	if known > 0 {
		inside = fmt.Sprintf("%d of %d", covered, functions)
	}
	var failed []string
	for _, c := range r.Checks {
		if !c.OK {
			failed = append(failed, fmt.Sprintf("%s %s (%s)", c.What, c.Value, c.Bar))
		}
	}
	bars := "pass"
	if len(failed) > 0 {
		bars = "FAIL: " + strings.Join(failed, "; ")
	}
	return append(all, fmt.Sprintf("%+.2f %%", 100*(r.CounterJ/r.TruthJ-1)), fmt.Sprintf("%.2f %%", 100*math.Abs(r.Imbalance)), inside, bars)
}

// details writes the values of each function.
func (r *row) details(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %s\n", r.Name, r.About)
	if r.Fault != "" {
		fmt.Fprintln(b, r.Fault)
		return
	}
	fmt.Fprintf(b, "the test ran %d times, for %.3f s and %.3f J each; the idle machine was measured to use %.2f W, and uses %d W; %s\n", r.Runs, r.Seconds, r.TruthJ, r.IdleW, idleCPUW+idleDRAMW, r.punctuality)
	if r.Quality != "" {
		fmt.Fprintf(b, "the run says: %s\n", r.Quality)
	}
	fmt.Fprintf(b, "without probes, %s\n", r.sampledRun)
	cells := [][]string{{"function", "truth, J", "ours, J", "interval", "error", methodNames[sampling], methodNames[simpler], methodNames[bracketing], methodNames[equalSplit], methodNames[cpuProfile], ""}}
	for _, c := range r.Functions {
		cells = append(cells, c.cells())
	}
	grid(b, cells)
	for _, c := range r.Checks {
		fmt.Fprintf(b, "%s: %s (%s): %s\n", c.What, c.Value, c.Bar, verdict(c))
	}
}

func (c *compared) cells() []string {
	interval := "-"
	if c.Interval != nil {
		interval = fmt.Sprintf("%.4f to %.4f", c.Interval[0], c.Interval[1])
	}
	all := []string{c.Name, fmt.Sprintf("%.4f", c.Truth[spellLSP]), fmt.Sprintf("%.4f", c.Got[spellLSP]), interval}
	for m := range methods {
		if c.Truth[m] == 0 {
			all = append(all, fmt.Sprintf("%.4f J", c.Got[m]))
		} else {
			all = append(all, fmt.Sprintf("%+.1f %%", 100*c.off(m)))
		}
	}
	var says []string
	if !c.Counts {
		says = append(says, "does not count")
	}
	if c.BelowResolution {
		says = append(says, "below resolution")
	} else if c.Interval != nil && !c.covered(spellLSP) {
		says = append(says, "OUTSIDE")
	}
	return append(all, strings.Join(says, ", "))
}

// grid writes rows in aligned columns; the first row is the header.
func grid(b *strings.Builder, rows [][]string) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = io.WriteString(w, strings.Join(row, "\t")+"\n") // a strings.Builder never fails
	}
	_ = w.Flush()
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
