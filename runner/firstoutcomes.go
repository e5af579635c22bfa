package runner

import (
	"fmt"
	"slices"

	"spell-lsp/spell/record"
)

// firstOutcomes are the outcomes of the tests of one package in its first execution, in the order
// of the source. Later executions are compared with them.
type firstOutcomes struct {
	outcomes map[string]record.Outcome
	ordered  bool     // the tests depend on their order: they are not shuffled
	once     []string // top-level tests that fail when they run more than once in one process
}

func (h *firstOutcomes) learn(r *round) {
	for _, o := range r.tests {
		h.outcomes[o.name] = o.outcome
	}
}

// order is the flags that shuffle the tests; there are none for the first execution.
func (h *firstOutcomes) order(seed uint32, round int) []string {
	if len(h.outcomes) == 0 || h.ordered {
		return nil
	}
	return []string{fmt.Sprintf("-test.shuffle=%d", uint64(seed)+uint64(round))}
}

// differs names a test whose outcome is another than in the first execution; "" if there is
// none.
func (h *firstOutcomes) differs(r *round) string {
	seen := make(map[string]bool)
	for _, o := range r.tests {
		seen[o.name] = true
		if first, ok := h.outcomes[o.name]; !ok {
			return fmt.Sprintf("%s did not run before", o.name)
		} else if first != o.outcome {
			return fmt.Sprintf("%s: %s, at first %s", o.name, o.outcome, first)
		}
	}
	for _, name := range sortedKeys(h.outcomes) {
		if !seen[name] {
			return fmt.Sprintf("%s did not run", name)
		}
	}
	return ""
}

// repeatable says whether a test may run several times in one process.
func (h *firstOutcomes) repeatable(test string) bool { return !slices.Contains(h.once, test) }
