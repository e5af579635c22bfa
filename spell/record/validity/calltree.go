package validity

import (
	"fmt"
	"slices"

	"spell-lsp/spell/record"
)

func checkCallTree(r *record.Run) error {
	for i, n := range r.CallTree {
		at := place{"call_tree", i}
		if n.Parent < -1 || n.Parent >= i {
			return &Fault{at.path("p"), fmt.Sprintf("is %d, must be the index of a node before it, or -1", n.Parent)}
		}
		if n.Cut && n.Parent >= 0 {
			return &Fault{at.path("cut"), "is true of a node that has a caller, must be of one that has none"}
		}
		err := firstError(
			inList(at, "c", n.Component, len(r.Components), "components"),
			checkValue(at, "time_ms", n.TimeMS),
			checkValue(at, "power", n.Power),
			checkValue(at, "power_ci", n.PowerCI[0]),
			checkValue(at, "power_ci", n.PowerCI[1]),
		)
		if err != nil {
			return err
		}
		if n.PowerCI[1] < n.PowerCI[0] {
			return &Fault{at.path("power_ci"), fmt.Sprintf("is %g to %g, must not end below its start", n.PowerCI[0], n.PowerCI[1])}
		}
		if !slices.Contains([]record.ByTime{"", record.Alike, record.Interleaved, record.Few}, n.ByTime) {
			return &Fault{at.path("by_time"), fmt.Sprintf("is %q, must be alike, interleaved or few", n.ByTime)}
		}
		if n.ByTime != "" && n.Power > 0 {
			return &Fault{at.path("by_time"), fmt.Sprintf("is %q beside a power: one of the two must be left out", n.ByTime)}
		}
	}
	return nil
}
