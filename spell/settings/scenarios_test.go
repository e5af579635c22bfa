package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"spell-lsp/spell/settings"
)

// Of two scenarios of one name the second would hide the first. Editors cannot send that, as JSON
// objects of such names are refused.
func TestTwoScenariosOfOneName(t *testing.T) {
	_, err := settings.ParseYAML([]byte(`scenarios:
  serve: {exec: ./a}
  load: {exec: ./b}
  serve: {exec: ./c}
`), ".spell-lsp.yaml", settings.Default())
	want := ".spell-lsp.yaml:4:3: scenarios.serve is there twice: two scenarios cannot have one name, rename one"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = settings.ParseYAML([]byte("scenarios: {serve: {exec: ./a, stop: INT, exec: ./b}}"), "f", settings.Default())
	if want := "f:1:43: scenarios.serve.exec is there twice, remove one"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// What is wrong with a command is known when it is split: the error still says where it stands.
func TestLocate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, settings.FileName)
	if got := settings.Locate(dir, "scenarios", "serve"); got != "scenarios.serve" {
		t.Errorf("without a file: %s", got)
	}
	if err := os.WriteFile(file, []byte("top: 3\nscenarios:\n  serve:\n    exec: ./cmd/server\n    stop: SIGFOO\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, keys := range map[string][]string{
		file + ":5:11: scenarios.serve.stop": {"scenarios", "serve", "stop"},
		file + ":4:5: scenarios.serve":       {"scenarios", "serve"},
		file + ":1:6: top":                   {"top"},
		"scenarios.serve.load":               {"scenarios", "serve", "load"}, // a flag gave it
		"scenarios.other.stop":               {"scenarios", "other", "stop"},
		"zones.red":                          {"zones", "red"},
	} {
		if got := settings.Locate(dir, keys...); got != want {
			t.Errorf("%v is at %s, want %s", keys, got, want)
		}
	}
	if err := os.WriteFile(file, []byte("scenarios: ["), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := settings.Locate(dir, "scenarios", "serve"); got != "scenarios.serve" {
		t.Errorf("in a file that is no YAML: %s", got)
	}
}
