package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Before something is measured it can be tried: the tests of a package are run as they are, once for each selection,
// in a process of its own, with text that no file has.
func TestOutputsOfTests(t *testing.T) {
	dir := module(t, map[string]string{
		"a.go":   "package m\n",
		"b/b.go": "package b\n\nfunc B() {}\n",
	})
	p := Params{Dir: dir, Patterns: []string{"."}, Buffers: map[string][]byte{
		filepath.Join(dir, "a_test.go"): []byte(`package m

import (
	"fmt"
	"os"
	"testing"
)

var runs int

func TestA(t *testing.T) { runs++; fmt.Println("A", runs) }
func TestB(t *testing.T) { runs++; fmt.Println("B", runs); os.Exit(3) }
`),
	}}
	outputs, err := Outputs(t.Context(), p, []string{"^TestA$", "^TestB$"}, "mark ")
	if err != nil {
		t.Fatal(err)
	}
	if len(outputs) != 2 || !strings.Contains(outputs[0], "A 1\n") || strings.Contains(outputs[0], "B") || !strings.Contains(outputs[1], "B 1\n") {
		t.Errorf("outputs %q", outputs)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Outputs(ended, p, []string{"^TestA$"}, "mark "); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
	p.Buffers[filepath.Join(dir, "a_test.go")] = []byte("package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { missing() }\n")
	broken := (*BuildError)(nil)
	if _, err := Outputs(t.Context(), p, []string{"^TestA$"}, "mark "); !errors.As(err, &broken) || !strings.Contains(err.Error(), "a_test.go:5") {
		t.Errorf("tests that do not build: %v", err)
	}
	p.Patterns, p.Buffers[filepath.Join(dir, "b", "b_test.go")] = []string{"./..."}, []byte("package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n")
	p.Buffers[filepath.Join(dir, "a_test.go")] = []byte("package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n")
	if _, err := Outputs(t.Context(), p, []string{"^TestA$"}, "mark "); err == nil || !strings.Contains(err.Error(), "2 packages have tests, and not one") {
		t.Errorf("tests of two packages: %v", err)
	}
}
