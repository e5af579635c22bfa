package validity

import (
	"fmt"

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
		)
		if err != nil {
			return err
		}
	}
	return nil
}
