package settings_test

import (
	"testing"

	"spell-lsp/spell/settings"
)

// Saved runs are compared with those of the same scope: it tells apart what ran, in any order of names.
func TestScenarioScope(t *testing.T) {
	for want, chosen := range map[string]map[string]settings.Scenario{
		"program ./cmd/x -v":   {settings.MainScenario: {Exec: "./cmd/x -v"}},
		"scenario serve":       {"serve": {Exec: "./cmd/x"}},
		"scenarios all-in, b":  {"b": {Exec: "."}, "all-in": {Exec: "."}},
		"scenarios main, zero": {"zero": {Exec: "."}, settings.MainScenario: {Exec: "."}},
	} {
		if got := settings.ScenarioScope(chosen); got != want {
			t.Errorf("the scope is %q, want %q", got, want)
		}
	}
}
