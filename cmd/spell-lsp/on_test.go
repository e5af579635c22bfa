package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/spell/settings"
)

// Why: a workspace must not choose where its code is sent: its settings name a machine of the user's file, and
// nothing that ssh would take. Whoever types --on chooses freely, but for what ssh would take for an option.
func TestMachineOf(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("HOME", config)
	file, err := settings.MachinesFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("lab: me@lab.example.org\nrack: rack2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ on, setting, name, host, fault string }{
		{},
		{on: "lab", name: "lab", host: "me@lab.example.org"},
		{on: "you@other", name: "you@other", host: "you@other"},
		{setting: "rack", name: "rack", host: "rack2"},
		{on: "lab", setting: "rack", name: "lab", host: "me@lab.example.org"},
		{setting: "evil", fault: `machine is "evil", but ` + file + ` has no machine of that name (it has: lab, rack). Add the line`},
		{on: "-oProxyCommand=x", fault: "--on is \"-oProxyCommand=x\": a machine cannot begin with -"},
		{on: "a b", fault: "a machine cannot have blanks"},
	} {
		on := &test.on
		if test.on == "" {
			on = nil
		}
		name, host, err := machineOf(on, settings.Settings{Machine: test.setting})
		if name != test.name || host != test.host || (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("--on %q, machine %q: %q, %q, %v; want %q, %q, %s", test.on, test.setting, name, host, err, test.name, test.host, test.fault)
		}
	}
	if err := os.WriteFile(file, []byte("lab: -x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	here := ""
	if name, host, err := machineOf(&here, settings.Settings{Machine: "rack"}); name != "" || host != "" || err != nil {
		t.Errorf("--on '' is %q, %q, %v, want this machine", name, host, err)
	}
	lab := "lab"
	if _, _, err := machineOf(&lab, settings.Settings{}); err == nil || !strings.Contains(err.Error(), file+":1:6") {
		t.Errorf("a file with a fault: %v", err)
	}
}
