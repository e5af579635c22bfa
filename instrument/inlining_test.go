package instrument

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
	"spell-lsp/spell/wording"
)

func TestWhatTheCompilerInlinesIsCounted(t *testing.T) {
	builds(t)
	dir := unpack(t, "testdata/inlining.txtar")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	buffer := filepath.Join(dir, "a", "sub", "sub.go")
	for _, test := range []struct{ name, dir, flags, buffer string }{
		{name: "in the workspace's folder", dir: dir},
		{name: "below it", dir: filepath.Join(dir, "b", "cmd")},
		{name: "as go build -trimpath sees it", dir: dir, flags: "-trimpath"},
		{name: "with unsaved text", dir: dir, buffer: "package sub\n\nfunc Calls() int { defer recover(); return 1 } // timed\n\nfunc More() {} // counted\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOFLAGS", test.flags)
			p := Params{Dir: test.dir, Patterns: []string{"example.com/a/...", "example.com/b/..."}, Temp: t.TempDir(), Cache: t.TempDir()}
			if test.buffer != "" {
				p.Buffers = map[string][]byte{buffer: []byte(test.buffer)}
			}
			b, err := Prepare(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			checkChoices(t, b, p.Buffers)
			var without []string
			for _, n := range b.Notes {
				if n.Code == note.InliningUnknownOfCode {
					without = append(without, n.Args["package"].(string))
				}
			}
			if diff := cmp.Diff([]string{"example.com/b/bad", "example.com/b/usesbad"}, without); diff != "" {
				t.Errorf("packages that a warning says are timed (-want +got):\n%s", diff)
			}
		})
	}
}

// checkChoices compares what each function gets with the comment on its line.
func checkChoices(t *testing.T, b *Build, buffers map[string][]byte) {
	t.Helper()
	for i, c := range b.Components {
		if c.ID == "" {
			continue
		}
		name := filepath.Join(b.Root, c.File)
		src, ok := buffers[name]
		if !ok {
			src = must(os.ReadFile(name))
		}
		line := strings.TrimSpace(strings.Split(string(src), "\n")[c.Line-1])
		_, want, _ := strings.Cut(line[max(0, len(line)-12):], "// ")
		got := "timed"
		if b.Counted[i] {
			got = "counted"
		}
		if got != want {
			t.Errorf("%s:%d: %s is %s, want %s", c.File, c.Line, c.ID, got, want)
		}
	}
}

// Without a report everything is measured all the same, and it is said why it
// takes longer.
func TestEverythingIsTimedWithoutTheReport(t *testing.T) {
	builds(t)
	dir := unpack(t, "testdata/inlining.txtar")
	p := Params{Dir: filepath.Join(dir, "a"), Temp: t.TempDir(), Cache: t.TempDir()}
	p.Run = refuse("-export")
	b, err := Prepare(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range b.Components {
		if b.Counted[i] {
			t.Errorf("%s is counted", c.ID)
		}
	}
	if len(b.Notes) != 1 || b.Notes[0].Code != note.InliningUnknownCode || !strings.Contains(wording.Text(b.Notes[0]), "refused here") {
		t.Errorf("notes %v, want one that says why everything is timed", b.Notes)
	}
	p.Run, p.Temp = nil, t.TempDir()
	if b, err = Prepare(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	checkChoices(t, b, nil) // what was made without the report is not used again
}

// refuse runs commands but those with the argument.
func refuse(argument string) func(*exec.Cmd) error {
	return func(cmd *exec.Cmd) error {
		if slices.Contains(cmd.Args, argument) {
			return errors.New("refused here")
		}
		return cmd.Run()
	}
}
