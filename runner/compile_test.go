package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/instrument"
)

// building is a measurement of a module whose overlay has the given text in
// place of files, in the state before the tests are compiled.
func building(t *testing.T, files, edited map[string]string) *measurement {
	t.Helper()
	m, err := newMeasurement(Params{Dir: module(t, files)})
	if err != nil {
		t.Fatal(err)
	}
	m.scratch = t.TempDir()
	copies := make(map[string][]byte)
	for name, text := range edited {
		copies[filepath.Join(m.Dir, name)] = []byte(text)
	}
	overlay, err := instrument.WriteOverlay(m.scratch, copies)
	if err != nil {
		t.Fatal(err)
	}
	m.build = &instrument.Build{Toolchain: &instrument.Toolchain{}, Overlay: overlay, Tests: []instrument.TestPackage{{Path: "example.com/m", Dir: m.Dir}}}
	return m
}

// Code that builds must not be called broken: if probes break it, that is said,
// and the places are still those of the user's files.
func TestAFaultOfTheProbesIsNotTheUsers(t *testing.T) {
	m := building(t, map[string]string{"a.go": "package m\n", "a_test.go": "package m\n"}, map[string]string{"a.go": "package m\n\nvar x int = \"probe\"\n"})
	_, err := m.compile(t.Context())
	var build *BuildError
	if !errors.As(err, &build) {
		t.Fatalf("error %v, want a BuildError", err)
	}
	for _, want := range []string{"built without probes, but not with them: example.com/m. This is a fault of spell-lsp", "./a.go:3:13: cannot use"} {
		if !strings.Contains(build.Output, want) {
			t.Errorf("%q is not in\n%s", want, build.Output)
		}
	}
	if strings.Contains(build.Output, m.scratch) {
		t.Errorf("the output names a copy:\n%s", build.Output)
	}
}

// An editor's text has no file of its own: its errors stand where it does.
func TestErrorsInUnsavedText(t *testing.T) {
	const unsaved = "package m\n\nfunc F() int { return \"unsaved\" }\n"
	dir := module(t, map[string]string{"a.go": "package m\n", "a_test.go": "package m\n"})
	_, err := Measure(t.Context(), Params{Dir: dir, Meter: "none", Buffers: map[string][]byte{filepath.Join(dir, "a.go"): []byte(unsaved)}})
	var build *BuildError
	if !errors.As(err, &build) || !strings.Contains(build.Output, "\n./a.go:3:23: cannot use \"unsaved\"") {
		t.Errorf("error %v, want one at ./a.go:3:23", err)
	}
}

func TestOriginalPlaces(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, []byte(`{"Replace":{"/home/m/a.go":"/tmp/o/1_a.go","/home/m/sub/a.go":"/tmp/o/11_a.go","/opt/a.go":"/tmp/o/2_a.go"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		"/tmp/o/1_a.go:3:4: oh":                        "./a.go:3:4: oh",
		"\t/tmp/o/11_a.go:3: oh, ../../tmp/o/1_a.go:5": "\tsub/a.go:3: oh, ./a.go:5",
		"/tmp/o/2_a.go:1:1: oh":                        "/opt/a.go:1:1: oh",
		"/tmp/o/12_a.go:1:1: oh":                       "/tmp/o/12_a.go:1:1: oh",
	} {
		if got, err := originalPlaces(said, name, "/home/m"); err != nil || got != want {
			t.Errorf("%q became %q (%v), want %q", said, got, err, want)
		}
	}
}

// An editor may know a folder by a link: the text is measured all the same.
func TestBuffersBehindALink(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package m\n", "a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	run, err := Measure(t.Context(), Params{Dir: link, Meter: "model", Rounds: 1, Buffers: map[string][]byte{
		filepath.Join(link, "a.go"): []byte("package m\n\nfunc F() {}\n"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Components) != 1 || run.Components[0].ID != "example.com/m.F" || run.Components[0].File != "a.go" {
		t.Errorf("components are %+v, want F of a.go", run.Components)
	}
}

func TestGlobs(t *testing.T) {
	got := strings.Join(globs([]string{"./sub", "sub/", "sub/**", "./a/b/**/", "*.pb.go", "gen/*"}), " ")
	if want := "sub sub sub a/b *.pb.go gen/*"; got != want {
		t.Errorf("globs are %s, want %s", got, want)
	}
}

// The linker does not name the folder that is full: who reads it must know what to do.
func TestAFullDiskIsSaid(t *testing.T) {
	for output, want := range map[string]bool{"link: mapping output file failed: no space left on device": true, "x.go:1:1: syntax error": false} {
		if got := strings.Contains((&BuildError{output}).Error(), "set GOTMPDIR"); got != want {
			t.Errorf("%q: told of GOTMPDIR is %v", output, got)
		}
	}
}
