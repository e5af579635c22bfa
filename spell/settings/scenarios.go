package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Scenario is how a program or a service is run while it is measured, as the user wrote it.
type Scenario struct {
	Exec  string        // a main package, or go run and one, and the program's arguments
	Ready string        // a URL, a port, or a regular expression of a line that the program prints; "" = when it starts
	Load  string        // a command that runs when it is ready; "" = none
	For   time.Duration // how long it is measured from then on; 0 = no limit
	Stop  string        // the signal that ends it; "" = SIGTERM
}

// MainScenario is the name of the row of a program that is run without a name.
const MainScenario = "main"

// ScenarioScope says in words which scenarios were run, for the list of saved runs: runs are
// compared with those of the same scope.
func ScenarioScope(chosen map[string]Scenario) string {
	names := slices.Sorted(maps.Keys(chosen))
	switch {
	case len(names) > 1:
		return "scenarios " + strings.Join(names, ", ")
	case len(names) == 1 && names[0] == MainScenario:
		return "program " + chosen[MainScenario].Exec
	}
	return "scenario " + strings.Join(names, "")
}

// RecordedScenarios are the scenarios among the settings that a run was asked for; nil where these
// cannot be read.
func RecordedScenarios(recorded map[string]any) map[string]Scenario {
	text, err := json.Marshal(map[string]any{"scenarios": recorded["scenarios"]})
	if err != nil {
		return nil
	}
	s, err := ParseJSON(text, Settings{})
	if err != nil {
		return nil
	}
	return s.Scenarios
}

// scenarioKeys are the members of a scenario, in the order in which they are documented.
var scenarioKeys = []string{"exec", "ready", "load", "for", "stop"}

// scenarios is a group of groups: scenarios by name.
func scenarios(name, doc string, at func(*Settings) *map[string]Scenario) Key {
	allowed := "a group of scenarios by name, each a group of exec, ready, load, for and stop"
	return Key{
		Name: name, Type: "object", Allowed: allowed, Doc: doc, Trust: needsTrust,
		get: func(s *Settings) any {
			all := make(map[string]any)
			for name, scenario := range *at(s) {
				all[name] = scenario.asMap()
			}
			return all
		},
		copy: func(to, from *Settings) { *at(to) = maps.Clone(*at(from)) },
		set: func(s *Settings, v value) error {
			if v.kind != groupKind {
				return v.mustBe(allowed)
			}
			all := make(map[string]Scenario)
			for _, e := range v.group {
				if _, twice := all[e.name]; twice {
					return e.errorf("is there twice: two scenarios cannot have one name, rename one")
				}
				scenario, err := readScenario(e)
				if err != nil {
					return err
				}
				all[e.name] = scenario
			}
			*at(s) = all
			return nil
		},
	}
}

func readScenario(e entry) (s Scenario, err error) {
	if !isScenarioName(e.name) {
		return s, e.errorf("is no name of a scenario: it must have letters, digits, - and _, begin with a letter, and not be all")
	}
	if e.value.kind != groupKind {
		return s, e.value.mustBe("a group of exec, ready, load, for and stop")
	}
	seen := make(map[string]bool)
	for _, member := range e.value.group {
		v := member.value
		if !slices.Contains(scenarioKeys, member.name) {
			return s, member.errorf("is not a setting%s (there are %s)", didYouMean(member.name, scenarioKeys), strings.Join(scenarioKeys, ", "))
		}
		if seen[member.name] {
			return s, member.errorf("is there twice, remove one")
		}
		seen[member.name] = true
		if v.kind != textKind && (member.name != "ready" || v.kind != numberKind) { // ready: 8080
			return s, v.mustBe("a text")
		}
		if err := s.set(member.name, v); err != nil {
			return s, err
		}
	}
	if s.Exec == "" {
		return s, e.value.errorf("has no exec: it names the main package and its arguments, such as ./cmd/server -addr :0")
	}
	return s, nil
}

func (s *Scenario) set(key string, v value) (err error) {
	switch key {
	case "exec":
		s.Exec = v.text
	case "ready":
		s.Ready = v.text
	case "load":
		s.Load = v.text
	case "stop":
		s.Stop = v.text
	case "for":
		if s.For, err = time.ParseDuration(v.text); err != nil || s.For <= 0 {
			return v.mustBe("a duration above 0, such as 30s")
		}
	}
	return nil
}

// asMap is the scenario as it is written, without what is not set.
func (s Scenario) asMap() map[string]any {
	m := map[string]any{"exec": s.Exec}
	for name, text := range map[string]string{"ready": s.Ready, "load": s.Load, "stop": s.Stop} {
		if text != "" {
			m[name] = text
		}
	}
	if s.For > 0 {
		m["for"] = s.For.String()
	}
	return m
}

func isScenarioName(name string) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		later := c >= '0' && c <= '9' || c == '-' || c == '_' // not the first
		if !letter && (i == 0 || !later) {
			return false
		}
	}
	return name != "" && name != "all"
}
