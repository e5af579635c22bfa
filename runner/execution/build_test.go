package execution

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/instrument/overlay"
)

// building makes a module with an overlay that replaces the files in edited.
func building(t *testing.T, files, edited map[string]string) Source {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := Source{Dir: dir, Scratch: t.TempDir()}
	copies := make(map[string][]byte)
	for name, text := range edited {
		copies[filepath.Join(dir, name)] = []byte(text)
	}
	description, err := overlay.Write(s.Scratch, copies)
	if err != nil {
		t.Fatal(err)
	}
	s.Build = &instrument.Build{Toolchain: &gocmd.Toolchain{}, Overlay: description, Tests: []instrument.Package{{Path: "example.com/m", Dir: dir}}}
	return s
}

// If a build fails only with probes, the error says so, with positions in the user's files.
func TestBuildThatFailsOnlyWithProbes(t *testing.T) {
	s := building(t, map[string]string{"a.go": "package m\n", "a_test.go": "package m\n"}, map[string]string{"a.go": "package m\n\nvar x int = \"probe\"\n"})
	_, _, err := Compile(t.Context(), s)
	var build *BuildError
	if !errors.As(err, &build) {
		t.Fatalf("error %v, want a BuildError", err)
	}
	for _, want := range []string{"built without probes, but not with them: example.com/m. This is a fault of spell-lsp", "./a.go:3:13: cannot use"} {
		if !strings.Contains(build.Output, want) {
			t.Errorf("the output does not contain %q:\n%s", want, build.Output)
		}
	}
	if strings.Contains(build.Output, s.Scratch) {
		t.Errorf("the output names a copy:\n%s", build.Output)
	}
}

// Positions in copies become positions in the user's files, relative to the folder of the build.
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

// The linker does not say which disk is full, so the error says what to do.
func TestErrorOfAFullDisk(t *testing.T) {
	for output, want := range map[string]bool{"link: mapping output file failed: no space left on device": true, "x.go:1:1: syntax error": false} {
		if got := strings.Contains((&BuildError{Output: output}).Error(), "set GOTMPDIR"); got != want {
			t.Errorf("%q: the error names GOTMPDIR: %t", output, got)
		}
	}
}

// Packages with the same last element are in different groups: in one folder, the program of one
// would overwrite the program of the other.
func TestGroupsHaveDistinctProgramNames(t *testing.T) {
	got := Groups([]instrument.Package{{Path: "m/a"}, {Path: "m/b"}, {Path: "m/x/a"}, {Path: "m/y/a"}})
	want := [][]instrument.Package{{{Path: "m/a"}, {Path: "m/b"}}, {{Path: "m/x/a"}}, {{Path: "m/y/a"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// The name is the one that the go command gives to the program of a package.
func TestProgramName(t *testing.T) {
	for pkg, want := range map[string]string{
		"example.com/a": "a.test", "a": "a.test", "example.com/a/v2": "a.test", "example.com/a/v12": "a.test",
		"example.com/a/v1": "v1.test", "example.com/a/v0": "v0.test", "example.com/a.v2": "a.v2.test", "v2": "v2.test", "m/vx": "vx.test",
	} {
		if got := ProgramName(pkg); got != want {
			t.Errorf("%s: %s, want %s", pkg, got, want)
		}
	}
}
