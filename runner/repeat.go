package runner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"spell-lsp/spell/record"
)

const (
	// resolvedMS is the length of a window in which the error of its edges, where a
	// counter is up to a millisecond old, is below 1 %.
	resolvedMS = 330
	maxCopies  = 1000
	// repeatMS is what repetitions of a package's tests may take in a round, if its
	// tests do not take longer themselves.
	repeatMS = 2000
	// maxCells is how many counts of functions the repetitions may leave behind:
	// each window has those of all that ran in it.
	maxCells = 200_000
)

// A repetition is tests of about the same length that are executed so many times
// more in one process.
type repetition struct {
	copies int
	tests  []string
	ms     float64 // that it should take
}

// repeatShort executes those tests of a package again that pass in less time than
// the meter can resolve.
func (m *measurement) repeatShort(ctx context.Context, r *round, p program, h *firstOutcomes) error {
	if hasAlternatives(m.Run) {
		return nil
	}
	for _, again := range plannedRepetitions(r, h) {
		limit := time.Duration(again.ms*1e6)*10 + slackTimeout
		seen, err := m.executeOnce(ctx, p, []string{
			fmt.Sprintf("-test.count=%d", again.copies), "-test.run=" + choose(again.tests, m.Run), "-test.bench=",
			"-test.timeout=" + min(limit, m.Timeout).String(),
		})
		if err != nil {
			return err
		}
		for _, w := range seen.warnings {
			m.warn("of tests that were repeated within a round: " + w)
		}
		r.merge(seen, again, h)
		r.programs = append(r.programs, seen.programs...)
	}
	for _, test := range h.once {
		m.warn(fmt.Sprintf("%s.%s fails when it runs more than once in one process: it is executed once in a round", p.Path, test))
	}
	return nil
}

// hasAlternatives says of a pattern that which subtests of which test it means is not
// easily said otherwise.
func hasAlternatives(pattern string) bool {
	return strings.Contains(pattern, "/") && strings.ContainsAny(pattern, "|[(")
}

// slackTimeout is what a process may take that does nothing.
const slackTimeout = 5 * time.Second

// plannedRepetitions lists the repetitions of tests that passed, but for examples and
// benchmarks, which the testing package does not repeat, or does by itself.
func plannedRepetitions(r *round, h *firstOutcomes) []repetition {
	times, cells := make(map[string]float64), make(map[string]float64) // of top-level tests
	for _, o := range r.tests {
		top := topLevel(o.name)
		switch {
		case strings.HasPrefix(top, "Benchmark"), strings.HasPrefix(top, "Example"), !h.repeatable(top):
		case o.outcome != record.Pass && o.outcome != record.Skip:
			times[top] = math.Inf(1)
		default:
			times[top] += o.timeMS
			for _, v := range o.intervals {
				cells[top] += float64(len(v.Counts))
			}
		}
	}
	var all, extra, counts float64
	copies := make(map[string]float64)
	for _, top := range sortedKeys(times) {
		t := times[top]
		if !math.IsInf(t, 1) {
			all += t
		}
		if t > 0 && t < resolvedMS {
			// Powers of two make few groups.
			copies[top] = min(maxCopies, math.Exp2(math.Ceil(math.Log2(max(1, resolvedMS/t-1)))))
			extra += copies[top] * t
			counts += copies[top] * cells[top]
		}
	}
	factor := min(1, max(repeatMS, all)/max(extra, 1), maxCells/max(counts, 1))
	groups := make(map[int]repetition)
	for _, top := range sortedKeys(copies) {
		if n := int(copies[top] * factor); n > 0 {
			g := groups[n]
			groups[n] = repetition{n, append(g.tests, top), g.ms + float64(n)*times[top]}
		}
	}
	list := make([]repetition, 0, len(groups))
	for _, n := range sortedKeys(groups) {
		list = append(list, groups[n])
	}
	return list
}

// choose is a pattern for tests of these names and, of the user's pattern, what is
// about their subtests.
func choose(tests []string, pattern string) string {
	quoted := make([]string, len(tests))
	for i, name := range tests {
		quoted[i] = regexp.QuoteMeta(name)
	}
	own := "^(" + strings.Join(quoted, "|") + ")$"
	if _, subtests, ok := strings.Cut(pattern, "/"); ok {
		own += "/" + subtests
	}
	return own
}

// merge adds the repetitions of tests to what was observed of them. A test that
// ends otherwise than at first, or the process, is not repeated again, and what was
// seen of it is left out; so is that of tests which did not get their turn.
func (r *round) merge(again *round, planned repetition, h *firstOutcomes) {
	seen := make(map[string]*observation)
	for _, o := range again.tests {
		seen[o.name] = o
	}
	for _, top := range planned.tests {
		var of []*observation
		whole, guilty := true, false
		for _, o := range r.tests {
			if topLevel(o.name) != top {
				continue
			}
			of = append(of, o)
			more := seen[o.name]
			whole = whole && more != nil && more.outcome == o.outcome && more.ends == planned.copies
			guilty = guilty || more != nil && (more.running || more.ends > 0 && more.outcome != o.outcome && more.outcome != record.Crash)
		}
		switch {
		case whole:
			for _, o := range of {
				o.merge(seen[o.name], float64(planned.copies))
			}
		case guilty:
			h.once = append(h.once, top)
		}
	}
}

// merge takes the mean of one execution and of so many more.
func (o *observation) merge(more *observation, copies float64) {
	all := o.executions + copies
	o.timeMS = (o.timeMS*o.executions + more.timeMS) / all
	for d := range o.joules {
		o.joules[d] = (o.joules[d]*o.executions + more.joules[d]) / all
	}
	o.intervals, o.calls = append(o.intervals, more.intervals...), append(o.calls, more.calls...)
	o.executions = all
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
