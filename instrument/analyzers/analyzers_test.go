package analyzers_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"spell-lsp/instrument/analyzers"
	"spell-lsp/spell/advice"
)

// unpacked writes an archive to a folder.
func unpacked(t *testing.T, name string) (dir string, files map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dir, files = t.TempDir(), make(map[string]string)
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, files
}

func found(t *testing.T, dir string) []advice.Finding {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.LoadSyntax}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Error(e)
		}
	}
	return analyzers.Find(pkgs, dir)
}

// See the archive.
func TestFindings(t *testing.T) {
	dir, files := unpacked(t, "cost.txtar")
	var want, got []string
	mark := regexp.MustCompile(`// (next )?want ([a-z-]+)( alone)?`)
	alone := make(map[string]bool)
	for name, text := range files {
		for i, line := range strings.Split(text, "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				line := i + 1
				if m[1] != "" {
					line++
				}
				want = append(want, fmt.Sprintf("%s:%d %s", name, line, m[2]))
				alone[fmt.Sprintf("%s:%d", name, line)] = m[3] != ""
			}
		}
	}
	for _, f := range found(t, dir) {
		got = append(got, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Rule))
		if alone[fmt.Sprintf("%s:%d", f.File, f.Line)] && f.Edits != nil {
			t.Errorf("%s:%d has a fix, which is not certain to keep the meaning: %v", f.File, f.Line, f.Edits)
		}
		if f.Message == "" || f.Help == "" && !strings.Contains(f.Message, ":") || strings.HasSuffix(f.Message, ".") {
			t.Errorf("%s:%d: %q, %q: it must say what is done and what to do", f.File, f.Line, f.Message, f.Help)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// Why: a fix must not break the program, and must leave nothing to find.
func TestFixes(t *testing.T) {
	dir, files := unpacked(t, "cost.txtar")
	fixed, all := make(map[string]bool), found(t, dir)
	for _, f := range all {
		if len(f.Edits) == 0 {
			continue
		}
		name := filepath.Join(dir, f.File)
		text := files[f.File]
		if err := os.WriteFile(name, []byte(apply(text, f.Edits)), 0o644); err != nil {
			t.Fatal(err)
		}
		left := found(t, dir) // reports what does not compile, too
		if count(left, f, apply(text, f.Edits), text) >= count(all, f, text, text) {
			t.Errorf("%s:%d: %s is still found:\n%s", f.File, f.Line, f.Rule, apply(text, f.Edits))
		}
		fixed[f.Rule] = true
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, rule := range []string{"loop-invariant", "regexp-per-call", "formatting", "reflection", "conversion-back", "append-without-capacity", "copy-to-range", "map-search", "runes-to-range", "sort-by-reflection", "eager-message"} {
		if !fixed[rule] {
			t.Errorf("%s has no fix", rule)
		}
	}
}

// count is how often the rule of a finding, which is in a function of before, is found there now.
func count(list []advice.Finding, f advice.Finding, now, before string) (n int) {
	for _, g := range list {
		if g.Rule == f.Rule && g.File == f.File && function(now, g.Line) == function(before, f.Line) {
			n++
		}
	}
	return n
}

// Why: fixes that are made together must not give two things one name, and files may look unusual.
func TestAllFixes(t *testing.T) {
	for _, name := range []string{"cost.txtar", "odd.txtar"} {
		t.Run(name, func(t *testing.T) { fixAll(t, name) })
	}
}

func fixAll(t *testing.T, archive string) {
	dir, files := unpacked(t, archive)
	edits := make(map[string][]advice.Edit)
	for _, f := range found(t, dir) {
		for _, e := range f.Edits {
			edits[e.File] = append(edits[e.File], e)
		}
	}
	for name, list := range edits {
		text, err := advice.Apply([]byte(files[name]), list)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	found(t, dir) // reports what does not compile
	for name, want := range map[string][]string{"windows.go": {"strconv.Itoa(n)\r\n"}, "mark.go": {"\ufeffpackage odd"}, "dot.go": {"Sprintf"}, "generated.go": {"fmt.Sprintf"}, "line.go": {"Itoa", "slices"}, "none.go": {"slices.Grow(keys, len(m))", "import \"slices\""}} {
		for _, text := range want {
			if got, ok := files[name]; ok && archive == "odd.txtar" && !strings.Contains(got, text) {
				t.Errorf("%s has no %q:\n%s", name, text, got)
			}
		}
	}
}

// function is the last declaration before a line.
func function(text string, line int) string {
	name := ""
	for _, l := range strings.Split(text, "\n")[:line] {
		if after, ok := strings.CutPrefix(l, "func "); ok {
			name = after
		}
	}
	return name
}

func apply(text string, edits []advice.Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b advice.Edit) int { return cmp.Compare(b.Start, a.Start) })
	for _, e := range edits {
		text = text[:e.Start] + e.Text + text[e.End:]
	}
	return text
}
