package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

func machinesFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "machines.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Why: a workspace names a machine, and only the user says where it is.
func TestMachines(t *testing.T) {
	file := machinesFile(t, "lab: me@lab.example.org\nrack-2: rack2 # from ~/.ssh/config\n")
	all, err := settings.LoadMachines(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(settings.Machines{File: file, Of: map[string]string{"lab": "me@lab.example.org", "rack-2": "rack2"}}, all); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, text := range []string{"", "# none yet\n", "---\n"} {
		if all, err := settings.LoadMachines(machinesFile(t, text)); err != nil || len(all.Of) > 0 {
			t.Errorf("%q: %v, %v", text, all, err)
		}
	}
	if all, err := settings.LoadMachines(filepath.Join(t.TempDir(), "none.yaml")); err != nil || len(all.Of) > 0 {
		t.Errorf("without the file: %v, %v", all, err)
	}
}

// Why: what ssh takes for an option could start any program.
func TestMachinesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"lab: -oProxyCommand=evil\n": `machines.yaml:1:6: lab is "-oProxyCommand=evil": a machine cannot begin with -`,
		"lab: 'a b'\n":               `:1:6: lab is "a b": a machine cannot have blanks`,
		"lab: ''\n":                  `:1:6: lab is empty`,
		"lab: [a]\n":                 `:1:6: lab is a list, must be what ssh connects to`,
		"-x: a\n":                    `:1:1: -x is no name of a machine`,
		"a: b\na: c\n":               "a",
		"- lab\n":                    `:1:1: the file is a list, must be a group of machines`,
		"a: b\n--- \nc: d\n":         "a second document begins",
		"a: [\n":                     "not YAML",
	} {
		if _, err := settings.LoadMachines(machinesFile(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	open := machinesFile(t, "lab: lab.example.org\n")
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := settings.LoadMachines(open); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("others can write the file: %v", err)
	}
	file := machinesFile(t, "lab: lab.example.org\n")
	if err := os.Chmod(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := settings.LoadMachines(file); err == nil || !strings.Contains(err.Error(), "reading your machines") {
		t.Errorf("others can change the file: %v", err)
	}
}
