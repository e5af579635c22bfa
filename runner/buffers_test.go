package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Compile errors in unsaved text are reported with positions in that text.
func TestErrorsInUnsavedText(t *testing.T) {
	const unsaved = "package m\n\nfunc F() int { return \"unsaved\" }\n"
	dir := module(t, map[string]string{"a.go": "package m\n", "a_test.go": "package m\n"})
	_, err := Measure(t.Context(), Params{Dir: dir, Meter: "none", Buffers: map[string][]byte{filepath.Join(dir, "a.go"): []byte(unsaved)}})
	var build *BuildError
	if !errors.As(err, &build) || !strings.Contains(build.Output, "\n./a.go:3:23: cannot use \"unsaved\"") {
		t.Errorf("error %v, want one at ./a.go:3:23", err)
	}
}

// Unsaved text is measured even if the editor opened the folder through a link.
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
