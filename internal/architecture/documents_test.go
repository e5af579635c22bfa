package architecture

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// documents are the pages that users and contributors read.
func documents(t *testing.T) []string {
	t.Helper()
	list := []string{
		"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md",
		"lsp/editors/README.md", "vscode-client/README.md", "examples/parking/README.md", "examples/collections/README.md",
		"examples/growth/README.md",
	}
	docs, err := filepath.Glob(filepath.Join(moduleDir, "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatalf("there are no pages in docs: %v", err)
	}
	for _, d := range docs {
		list = append(list, path.Join("docs", filepath.Base(d)))
	}
	return list
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleDir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

// Every link of a document leads to a file that exists, and to a heading of it.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, name := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(document(t, name), -1) {
			if strings.HasPrefix(match[1], "https://") {
				continue
			}
			file, anchor, _ := strings.Cut(match[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(moduleDir, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s: %v", name, match[1], err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(document(t, target)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", name, match[1])
			}
		}
	}
}

// anchors are the names under which GitHub links to the headings of a page.
func anchors(page string) []string {
	var list []string
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		list = append(list, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, match[1]))
	}
	return list
}

// A newcomer reads README in a few minutes; everything else is in docs.
func TestREADMEIsShort(t *testing.T) {
	if lines := strings.Count(document(t, "README.md"), "\n"); lines > 150 {
		t.Errorf("README.md has %d lines, more than 150: move some to docs", lines)
	}
}

// The map in ARCHITECTURE.md has a row for each package, and no row for a folder that is gone.
// Folders in a list of one row may leave out what they share with the first.
func TestMapNamesEveryPackage(t *testing.T) {
	mapped := map[string]bool{"examples/parking": true, "examples/collections": true, "examples/growth": true}
	_, rest, _ := strings.Cut(document(t, "ARCHITECTURE.md"), "\n## Map\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	for line := range strings.Lines(text) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		parent := ""
		for _, match := range codeSpan.FindAllStringSubmatch(cells[0], -1) {
			folder := match[1]
			if parent != "" && !isFolder(folder) {
				folder = path.Join(parent, folder)
			}
			if !isFolder(folder) {
				t.Errorf("the map names %s, which is no folder", match[1])
			}
			mapped[folder] = true
			parent = path.Dir(folder)
		}
	}
	err := filepath.WalkDir(moduleDir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(moduleDir, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() && name != "." && (strings.ContainsAny(entry.Name()[:1], "._") || slices.Contains([]string{"node_modules", "testdata", "bin"}, entry.Name())) {
			return filepath.SkipDir
		}
		if dir := path.Dir(name); path.Ext(name) == ".go" && !covered(mapped, dir) {
			t.Errorf("the map in ARCHITECTURE.md has no row for %s", dir)
			mapped[dir] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// covered reports whether a row names the folder, or it is part of a folder that has no
// row of its own: a command's second program, or the sessions of an editor.
func covered(mapped map[string]bool, folder string) bool {
	if mapped[folder] {
		return true
	}
	for _, whole := range []string{"internal/powercapsim", "internal/interop", "lsp/editors", "runner/model", "examples/parking"} {
		if strings.HasPrefix(folder, whole+"/") && mapped[whole] {
			return true
		}
	}
	return folder == "runner/model" // its row names it beside the other sources
}

func isFolder(name string) bool {
	info, err := os.Stat(filepath.Join(moduleDir, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// Every test that SECURITY.md names exists: it is what holds a promise. A name may end in
// *, which stands for several tests.
func TestSecurityNamesTests(t *testing.T) {
	all := map[string]bool{}
	err := filepath.WalkDir(moduleDir, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, match := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			all[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)(\\*?)`").FindAllStringSubmatch(document(t, "SECURITY.md"), -1) {
		found := all[match[1]]
		for name := range all {
			found = found || match[2] != "" && strings.HasPrefix(name, match[1])
		}
		if !found {
			t.Errorf("SECURITY.md names the test %s%s, which does not exist", match[1], match[2])
		}
	}
}
