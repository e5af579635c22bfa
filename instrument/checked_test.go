package instrument

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/instrument/gocmd"
)

// The function that a user names by the end of its ID is found, and its package is type-checked with its test files.
func TestCheckedFindsTheFunction(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/shop\n\ngo 1.25\n",
		"park/park.go":     "package park\n\nimport \"strings\"\n\ntype Park struct{}\n\nfunc (p *Park) Add(s string) string { return strings.ToUpper(s) }\n",
		"park/x_test.go":   "package park\n\nvar fixture Park\n",
		"other/other.go":   "package other\n\nfunc Add() {}\n",
		"broken/broken.go": "package broken\n\nfunc Broken() int { return \"\" }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name string) (string, bool, error) {
		id, pkgs, err := Checked(t.Context(), Params{Dir: dir, Temp: t.TempDir()}, name)
		fixture := false
		for _, p := range pkgs {
			fixture = fixture || p.Types.Scope().Lookup("fixture") != nil
		}
		return id, fixture, err
	}
	if id, fixture, err := check("Park.Add"); id != "example.com/shop/park.(*Park).Add" || !fixture || err != nil {
		t.Errorf("found %q, with the fixture of its tests: %v, error %v", id, fixture, err)
	}
	if _, _, err := check("Add"); err == nil || !strings.Contains(err.Error(), "could be any of example.com/shop/other.Add, example.com/shop/park.(*Park).Add") {
		t.Errorf("a name that two functions have: %v", err)
	}
	if _, _, err := check("Park.Ad"); err == nil || !strings.Contains(err.Error(), "did you mean example.com/shop/park.(*Park).Add") {
		t.Errorf("a misspelt name: %v", err)
	}
	problem := (*gocmd.LoadError)(nil)
	if _, _, err := check("Broken"); !errors.As(err, &problem) || !strings.Contains(err.Error(), "broken.go:3") {
		t.Errorf("a package that does not compile: %v", err)
	}
}
