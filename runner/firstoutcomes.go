package runner

import (
	"fmt"
	"slices"

	"spell-lsp/spell/record"
)

// firstOutcomes are what is known of the tests of one package from its first execution,
// which was in the order of the source.
type firstOutcomes struct {
	outcomes map[string]record.Outcome
	ordered  bool     // a test depends on those before it: the order stays
	once     []string // top-level tests that fail when they run more than once in one process
}

func (h *firstOutcomes) learn(r *round) {
	for _, o := range r.tests {
		h.outcomes[o.name] = o.outcome
	}
}

// order is the arguments that shuffle the tests; none for the first execution.
func (h *firstOutcomes) order(seed uint32, round int) []string {
	if len(h.outcomes) == 0 || h.ordered {
		return nil
	}
	return []string{fmt.Sprintf("-test.shuffle=%d", uint64(seed)+uint64(round))}
}

// differs tells of a test that ended otherwise than in the first execution; "" if
// none did.
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

// repeatable says whether a test can be executed several times in one process.
func (h *firstOutcomes) repeatable(test string) bool { return !slices.Contains(h.once, test) }
