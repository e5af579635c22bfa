package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/runner"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/suggestion"
)

// scenarioFlags choose programs that are measured in place of tests.
type scenarioFlags struct {
	exec, name, stdout string
	// of exec, or over what the scenario has
	ready, load, stop string
}

func (f *scenarioFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.exec, "exec", "", "measure a program in place of tests: `CMD` is a main package, or go run and one, and its arguments")
	flags.StringVar(&f.name, "scenario", "", "measure the program of the scenario `NAME` of "+settings.FileName+", or of all of them (all)")
	flags.StringVar(&f.ready, "ready", "", "measure from when `URL|[HOST:]PORT|REGEXP` answers, or a line that the program prints matches")
	flags.StringVar(&f.load, "load", "", "start `CMD` when the program is ready, and measure until CMD ends; $1 to $9 are the groups of --ready REGEXP")
	flags.StringVar(&f.stop, "stop", "", "end the program with `SIGNAL` after measuring (default SIGTERM)")
	flags.StringVar(&f.stdout, "stdout", "", "write what the program prints on standard output to `FILE`, not to standard error")
}

// scenarios reads the scenarios that the flags choose, by name.
func (f *scenarioFlags) scenarios(s settings.Settings, cmd *cobra.Command) (map[string]settings.Scenario, error) {
	chosen := make(map[string]settings.Scenario)
	given := cmd.Flags().Changed
	switch {
	case given("exec") && given("scenario"):
		return nil, errors.New("--exec and --scenario cannot be combined: a scenario has its own command")
	case given("exec"):
		chosen[scenario.Main] = settings.Scenario{Exec: f.exec}
	case f.name == "all":
		maps.Copy(chosen, s.Scenarios)
		if len(chosen) == 0 {
			return nil, fmt.Errorf("--scenario all: %s has no scenarios", settings.FileName)
		}
	case given("scenario"):
		one, ok := s.Scenarios[f.name]
		if !ok {
			return nil, f.unknown(s)
		}
		chosen[f.name] = one
	default:
		for _, name := range []string{"ready", "load", "stop", "stdout"} {
			if given(name) {
				return nil, fmt.Errorf("--%s is for programs: it needs --exec or --scenario", name)
			}
		}
		return nil, nil
	}
	for name, one := range chosen {
		for _, over := range []struct {
			flag string
			to   *string
		}{{f.ready, &one.Ready}, {f.load, &one.Load}, {f.stop, &one.Stop}} {
			if over.flag != "" {
				*over.to = over.flag
			}
		}
		if given("for") {
			one.For = s.For
		}
		chosen[name] = one
	}
	return chosen, nil
}

func (f *scenarioFlags) unknown(s settings.Settings) error {
	names := slices.Sorted(maps.Keys(s.Scenarios))
	if len(names) == 0 {
		return fmt.Errorf("--scenario %s: %s has no scenarios", f.name, settings.FileName)
	}
	for _, i := range suggestion.Nearest(f.name, names, 1) {
		return fmt.Errorf("--scenario %s: there is no such scenario; did you mean %s?", f.name, names[i])
	}
	return fmt.Errorf("--scenario %s: there is no such scenario; there are %s", f.name, strings.Join(names, ", "))
}

// apply makes the measurement one of programs, if the flags say so. They print to the writer. The
// result closes the file of --stdout.
func (f *scenarioFlags) apply(p *runner.Params, s settings.Settings, cmd *cobra.Command, w io.Writer) (done func() error, err error) {
	done = func() error { return nil }
	chosen, err := f.scenarios(s, cmd)
	if err != nil || chosen == nil {
		return done, err
	}
	if p.Scenarios, err = parseScenarios(chosen, func(name, key string) string {
		if cmd.Flags().Changed("exec") || cmd.Flags().Changed(key) {
			return "--" + key
		}
		return settings.Locate(settingsFolder(p.Dir), "scenarios", name, key)
	}); err != nil {
		return done, err
	}
	if cmd.Flags().Changed("for") {
		p.For = 0 // it is that of the scenario
	}
	if err := f.alone(cmd, p.Patterns); err != nil {
		return done, err
	}
	p.Run = ""
	p.Settings = withScenarios(p.Settings, chosen)
	p.Stdout, p.Stderr = w, w
	if f.stdout == "" {
		return done, nil
	}
	file, err := createStdout(f.stdout)
	if err != nil {
		return done, err
	}
	p.Stdout = file
	return file.Close, nil
}

// alone refuses what chooses tests.
func (f *scenarioFlags) alone(cmd *cobra.Command, patterns []string) error {
	which := "--exec"
	if f.name != "" {
		which = "--scenario"
	}
	for _, name := range []string{"run", "bench", "subtests", "reach"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("%s and --%s cannot be combined: a program has no tests", which, name)
		}
	}
	if len(patterns) > 0 {
		return fmt.Errorf("%s measures the program that it names: quote the whole command, and leave out %s", which, strings.Join(patterns, " "))
	}
	return nil
}

// parseScenarios reads scenarios in the order of their names. where says where the key of a
// scenario stands.
func parseScenarios(chosen map[string]settings.Scenario, where func(name, key string) string) ([]scenario.Scenario, error) {
	var list []scenario.Scenario
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		one, err := scenario.Parse(name, chosen[name])
		if wrong := new(scenario.Error); errors.As(err, &wrong) {
			return nil, fmt.Errorf("%s: %w", where(name, wrong.Key), wrong.Err)
		}
		list = append(list, one)
	}
	return list, nil
}

// withScenarios are the settings of the record, with the scenarios that ran.
func withScenarios(all map[string]any, chosen map[string]settings.Scenario) map[string]any {
	all = maps.Clone(all)
	all["scenarios"] = settings.Settings{Scenarios: chosen}.Map()["scenarios"]
	return all
}
