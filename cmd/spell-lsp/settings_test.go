package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"spell-lsp/lsp"
	"spell-lsp/runner/meters"
	"spell-lsp/spell/settings"
)

// The settings accept exactly the meters that there are.
func TestSettingsNameEveryMeter(t *testing.T) {
	names := []string{meters.Auto}
	for _, d := range meters.Drivers() {
		names = append(names, d.Name)
	}
	if diff := cmp.Diff(names, settings.Meters()); diff != "" {
		t.Errorf("meters in the settings (-drivers +settings):\n%s", diff)
	}
}

// An editor's measurement looks at calmness, but for those that a user waits for in the middle of work.
func TestCalmnessInEditors(t *testing.T) {
	off := settings.Default()
	off.Calmness = false
	for _, c := range []struct {
		name    string
		request lsp.Request
		want    bool
	}{
		{"the workspace", lsp.Request{Settings: settings.Default()}, true},
		{"the setting", lsp.Request{Settings: off}, false},
		{"blocks", lsp.Request{Block: "example.com/a.F", Settings: settings.Default()}, false},
		{"the tests of a function", lsp.Request{Reach: "example.com/a.F", Settings: settings.Default()}, false},
		{"a trial", lsp.Request{Rounds: 5, Settings: settings.Default()}, false},
	} {
		if got := calmForEditor(c.request); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// The command looks at calmness as the setting says, unless the flag says otherwise.
func TestCalmnessOfTheCommand(t *testing.T) {
	for _, c := range []struct {
		args    []string
		setting bool
		want    bool
	}{
		{nil, true, true},
		{nil, false, false},
		{[]string{"--no-calm"}, true, false},
		{[]string{"--no-calm=false"}, false, true},
	} {
		var f measureFlags
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.BoolVar(&f.noCalm, "no-calm", false, "")
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		if got := f.calm(flags, settings.Settings{Calmness: c.setting}); got != c.want {
			t.Errorf("%q with the setting %t: %t, want %t", c.args, c.setting, got, c.want)
		}
	}
}

// A setting that asks for samples does not take the lenses away that need probes.
func TestModeOfEditors(t *testing.T) {
	sample := settings.Settings{Mode: "sample"}
	for _, c := range []struct {
		name    string
		request lsp.Request
		want    string
	}{
		{"the setting", lsp.Request{Settings: sample}, "sample"},
		{"the request before the setting", lsp.Request{Mode: "instrument", Settings: sample}, "instrument"},
		{"blocks", lsp.Request{Block: "example.com/a.F", Settings: sample}, "auto"},
		{"a benchmark", lsp.Request{Bench: "^BenchmarkF$", Settings: sample}, "auto"},
		{"the tests of a function", lsp.Request{Reach: "example.com/a.F", Settings: sample}, "auto"},
		{"blocks by samples, asked for", lsp.Request{Block: "example.com/a.F", Mode: "sample"}, "sample"}, // is refused
		{"probes", lsp.Request{Reach: "example.com/a.F", Settings: settings.Default()}, "instrument"},
	} {
		if got := modeForEditor(c.request); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
