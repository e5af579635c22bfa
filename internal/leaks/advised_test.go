package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/leaks/real"
	"spell-lsp/internal/leaks/seeding"
)

// Why: of each kind of leak it must be decided whether rules describe it, before it is known which are
// found.
func TestEachKindIsKnownOrNot(t *testing.T) {
	var kinds []string
	for _, k := range seeding.Kinds() {
		kinds = append(kinds, k.Name)
	}
	for _, r := range real.Repairs() {
		kinds = append(kinds, r.Kind)
	}
	for _, k := range kinds {
		if _, decided := known[k]; !decided {
			t.Errorf("known has no %s", k)
		}
	}
	for k := range known {
		if !slices.Contains(kinds, k) {
			t.Errorf("no leak is of the kind %s", k)
		}
	}
}

func TestSubjects(t *testing.T) {
	b := benchmark{real: realLeaks}
	list, err := b.subjects()
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, s := range list {
		if s.Leak != nil {
			continue
		}
		programs++
		if s.Program.Files["go.mod"] == "" || s.Program.Files[s.name()+".go"] == "" || s.Program.Files[s.name()+"_test.go"] == "" {
			t.Errorf("%s needs a go.mod, %[1]s.go and a test", s.name())
		}
	}
	if programs < 20 || len(list) < programs+len(real.Repairs()) {
		t.Errorf("there are %d programs, and %d subjects", programs, len(list))
	}
}

func TestAnswer(t *testing.T) {
	var a answer
	err := a.read(`{"advice": [
		{"rule": "sort-in-loop", "function": "m.F", "share": 0.5},
		{"rule": "formatting", "function": "m.F", "share": 0.2, "edits": [{}]},
		{"rule": "formatting", "function": "m.G", "share": 0.3, "edits": [{}]}
	]}`, &Leak{Functions: []string{"m.F"}})
	if err != nil || a.share != 0.3 || !slices.Equal(a.found, []string{"sort-in-loop", "formatting"}) || !slices.Equal(a.rewrote, []string{"formatting"}) {
		t.Errorf("%+v, %v", a, err)
	}
	if err := a.read("[", nil); err == nil || !strings.Contains(err.Error(), "reading the advice") {
		t.Errorf("what is no advice: %v", err)
	}
}

// A rewrite that breaks a program is told from one that does not, with the real tools.
func TestComparesAPair(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and executes a program many times")
	}
	box, err := newSandbox(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lab := &laboratory{sandbox: box}
	p := Program{Module: "m", Files: program}
	patch := "--- a/m.go\n+++ b/m.go\n@@ -13,1 +13,1 @@\n-func Often(n int) int { return n }\n+func Often(n int) int { return %s }\n"
	for value, want := range map[string]string{"n + 0": "", "n - 1": "TestSlow fails", "x": "does not compile"} {
		dir, err := lab.write(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lab.compare(t.Context(), p, dir, strings.Replace(patch, "%s", value, 1))
		if err != nil || !strings.HasPrefix(got.Broken, want) || (want == "") != (len(got.After) == turns && got.Broken == "") {
			t.Errorf("%s: %+v, %v", value, got, err)
		}
	}
	dir, err := lab.write(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lab.compare(t.Context(), p, dir, strings.Replace(patch, "Often(n int)", "Other(n int)", 2)); err != nil || !strings.HasPrefix(got.Broken, "the patch does not apply") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDecompress(t *testing.T) {
	dir := t.TempDir()
	packed, plain := filepath.Join(dir, "a.gz"), filepath.Join(dir, "a")
	if err := writeCompressed(packed, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if err := decompress(packed, plain); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(plain); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if err := decompress(plain, packed); err == nil || !strings.Contains(err.Error(), "reading") {
		t.Errorf("what is not compressed: %v", err)
	}
}
