package results

import (
	"spell-lsp/spell/record"
	"spell-lsp/spell/scaling"
)

// growthsOf are how the costs of the components of a run grow with sizes, by ID, the steepest first. Those
// without a formula are left out.
func growthsOf(run *record.Run) map[string][]*scaling.Growth {
	all, err := scaling.Of(run, scaling.Options{})
	if err != nil {
		return nil // it has no sizes
	}
	byID := make(map[string][]*scaling.Growth)
	for i := range all.Growths {
		if g := &all.Growths[i]; g.Component && g.Reason == "" {
			byID[g.Subject] = append(byID[g.Subject], g)
		}
	}
	return byID
}
