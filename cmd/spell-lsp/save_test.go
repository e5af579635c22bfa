package main

import (
	"testing"

	"spell-lsp/runner"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/settings"
)

// A run of programs must not be saved as one of everything: an editor would show it as the result of the
// folder, and later runs of the tests would be compared with it. It is saved under the scope that the
// editor gives to the same run.
func TestScopeOfPrograms(t *testing.T) {
	all := map[string]settings.Scenario{"serve": {Exec: "./cmd/serve -addr :0", For: 3e9}, "batch": {Exec: "./cmd/batch"}}
	for want, names := range map[string][]string{"scenarios batch, serve": {"batch", "serve"}, "scenario serve": {"serve"}} {
		p := runner.Params{}
		chosen := map[string]settings.Scenario{}
		for _, name := range names {
			p.Scenarios = append(p.Scenarios, scenario.Scenario{Name: name})
			chosen[name] = all[name]
		}
		p.Settings = withScenarios(settings.Settings{Scenarios: all}.Map(), chosen)
		if got := scope(p, "/m", "/m"); got != want {
			t.Errorf("the scope is %q, want %q", got, want)
		}
		if got := scope(p, "/m", "/m/sub"); got != want+" of sub" {
			t.Errorf("in a folder below the scope is %q", got)
		}
	}
	p := runner.Params{Scenarios: []scenario.Scenario{{Name: scenario.Main}}, Settings: map[string]any{}}
	p.Settings = withScenarios(p.Settings, map[string]settings.Scenario{scenario.Main: {Exec: "./cmd/x -v"}})
	if got := scope(p, "/m", "/m"); got != "program ./cmd/x -v" {
		t.Errorf("the scope of --exec is %q", got)
	}
}
