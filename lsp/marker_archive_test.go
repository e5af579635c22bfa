package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"spell-lsp/internal/lsptest"
)

// An archive is a workspace and a script of steps in it.
type archive struct {
	name, why string
	files     map[string]string // of the workspace, by path with slashes
	other     map[string]string // costs, golden/...
	flags     map[string]string
	script    []string
}

// readArchive reads a file of testdata/marker.
func readArchive(t testing.TB, path string) *archive {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parseArchive(strings.TrimSuffix(filepath.Base(path), ".txtar"), raw)
}

func parseArchive(name string, raw []byte) *archive {
	parsed := txtar.Parse(raw)
	a := &archive{
		name: name, why: strings.TrimSpace(string(parsed.Comment)),
		files: map[string]string{}, other: map[string]string{}, flags: map[string]string{},
		script: []string{"measure", "check"},
	}
	hasModule := false
	for _, f := range parsed.Files {
		first, _, _ := strings.Cut(f.Name, "/")
		switch {
		case f.Name == "flags":
			for _, line := range Lines(string(f.Data)) {
				key, value, _ := strings.Cut(line, "=")
				a.flags[key] = value
			}
		case f.Name == "script":
			a.script = Lines(string(f.Data))
		case first == "golden", strings.HasPrefix(f.Name, "costs"), f.Name == "settings", f.Name == "options":
			a.other[f.Name] = string(f.Data)
		default:
			a.files[f.Name] = string(f.Data)
			hasModule = hasModule || filepath.Base(f.Name) == "go.mod"
		}
	}
	if !hasModule {
		a.files["go.mod"] = "module example.com/park\n\ngo 1.26\n"
	}
	for _, f := range a.list("crlf") {
		a.files[f] = strings.ReplaceAll(a.files[f], "\n", "\r\n")
	}
	for _, f := range a.list("bom") {
		a.files[f] = "\ufeff" + a.files[f]
	}
	return a
}

// Lines returns the lines of a text without empty lines and comments.
func Lines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// list returns the value of a flag whose value is a list.
func (a *archive) list(flag string) []string {
	if a.flags[flag] == "" {
		return nil
	}
	return strings.Split(a.flags[flag], ",")
}

func (a *archive) isFor(c lsptest.Client) bool {
	return a.flags["clients"] == "" || slices.Contains(a.list("clients"), c.Name)
}

// opened lists the files that are opened at the start.
func (a *archive) opened() []string {
	if _, ok := a.flags["open"]; ok {
		return a.list("open")
	}
	var list []string
	for name := range a.files {
		if strings.HasSuffix(name, ".go") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
