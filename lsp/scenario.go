package lsp

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/results"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/suggestion"
)

// allScenarios is the name that stands for every scenario of a folder.
const allScenarios = "all"

// setScenarios makes a request one of programs in place of tests.
func (r *Request) setScenarios(chosen map[string]settings.Scenario) {
	r.Scenarios, r.Scope = chosen, settings.ScenarioScope(chosen)
	r.Patterns, r.Run, r.Bench, r.Reach = nil, "", "", ""
}

// narrowToProgram restricts a request to the program of a package, which runs without arguments.
func (s *session) narrowToProgram(r *Request, path, pattern string) error {
	if source := s.sourceOf(path); source != nil && strings.HasSuffix(path, ".go") && source.Package() != "main" {
		return fmt.Errorf("%s is of package %s, and only package main is a program: name a file of one", path, source.Package())
	}
	r.setScenarios(map[string]settings.Scenario{settings.MainScenario: {Exec: quoted(pattern)}})
	return nil
}

var plainWord = regexp.MustCompile(`^[\w./@+,=-]+$`)

// quoted writes a word as it stands in the command of a scenario.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// lookUp finds the scenarios that a job names.
func (s *session) lookUp(r *job) error {
	if r.scenario == "" {
		return nil
	}
	current, err := s.settingsOf(r.Dir)
	if err != nil {
		return err
	}
	one, ok := current.Scenarios[r.scenario]
	switch {
	case ok:
		r.setScenarios(map[string]settings.Scenario{r.scenario: one})
	case r.scenario == allScenarios && len(current.Scenarios) > 0:
		r.setScenarios(maps.Clone(current.Scenarios))
	default:
		return unknownScenario(r.scenario, r.Dir, current.Scenarios)
	}
	return nil
}

// scenarioDir is the folder whose settings name the scenarios.
func scenarioDir(uri string, folders []location.Folder) (string, error) {
	if uri == "" {
		return onlyFolder(folders)
	}
	path, err := location.Path(uri)
	if err != nil {
		return "", fmt.Errorf("uri is %q: %w", uri, err)
	}
	return moduleDir(path, folders)
}

// unknownScenario is the error of a name that no scenario has.
func unknownScenario(name, dir string, known map[string]settings.Scenario) error {
	names := slices.Sorted(maps.Keys(known))
	if len(names) == 0 {
		return fmt.Errorf("the settings of %s have no scenarios: name some under scenarios: in %s", dir, settings.FileName)
	}
	for _, i := range suggestion.Nearest(name, names, 1) {
		return fmt.Errorf("there is no scenario %q; did you mean %s?", name, names[i])
	}
	return fmt.Errorf("there is no scenario %q: there are %s, and all for every one", name, strings.Join(names, ", "))
}

// again returns the scenarios of the rows of a result that count, to be run again: as the settings have
// them now, else as they ran. What a loaded file says of them is not run: its commands may be anybody's.
func (s *session) again(r *results.Result, counts func(test int) bool) (map[string]settings.Scenario, error) {
	current, err := s.settingsOf(r.Dir)
	if err != nil {
		return nil, err
	}
	ran, chosen := r.Scenarios(), map[string]settings.Scenario{}
	for i := range r.Run.Tests {
		if !counts(i) {
			continue
		}
		name := results.ScenarioOf(&r.Run.Tests[i])
		scenario, ok := current.Scenarios[name]
		if as, known := ran[name]; known && !r.Loaded() && (!ok || name == settings.MainScenario) {
			scenario, ok = as, true
		}
		if !ok {
			return nil, fmt.Errorf("how %s was run is not in the settings of %s: measure the program first", r.Run.Tests[i].Name, r.Dir)
		}
		chosen[name] = scenario
	}
	return chosen, nil
}
