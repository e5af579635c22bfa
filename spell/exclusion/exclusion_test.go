package exclusion_test

import (
	"slices"
	"testing"

	"spell-lsp/spell/exclusion"
)

// A folder leaves out all below it; a glob is of whole names, as path.Match
// has it.
func TestFile(t *testing.T) {
	for _, c := range []struct {
		entry, file string
		want        bool
	}{
		{"gen", "gen/a.go", true}, {"gen/", "gen/deep/a.go", true}, {"gen", "gentle/a.go", false}, {"gen", "x/gen/a.go", false},
		{"*/gen", "x/gen/a.go", true}, {"*.pb.go", "a.pb.go", true}, {"*.pb.go", "x/a.pb.go", false}, {"gen/[", "gen/a.go", false},
		{"a.go", "a.go", true}, {"*", "x/a.go", true}, {"*", "/elsewhere/a.go", false},
	} {
		if got := exclusion.File([]string{"other", c.entry}, c.file); got != c.want {
			t.Errorf("%q matches %q: %v, must be %v", c.entry, c.file, got, c.want)
		}
	}
}

// A short entry must not leave out a function of the same name elsewhere: it
// begins at a slash of the import path.
func TestFunction(t *testing.T) {
	const id = "example.com/park.(*Park).Add"
	for entry, want := range map[string]bool{
		id: true, "park.(*Park).Add": true, "ark.(*Park).Add": false, "(*Park).Add": false, "Add": false, "": false,
		"park.(*Park).Ad": false, "example.com/park": false, "other/park.(*Park).Add": false,
	} {
		if got := exclusion.Function([]string{"gen", entry}, id); got != want {
			t.Errorf("%q leaves out %s: %v, must be %v", entry, id, got, want)
		}
	}
}

// What is kept of a package depends on the entries that can concern it, and
// on no others.
func TestFunctions(t *testing.T) {
	entries := []string{"gen", "park.F", "example.com/park.G", "example.com/other.H", "ark.I", "*.go"}
	if got, want := exclusion.Functions(entries, "example.com/park"), []string{"park.F", "example.com/park.G"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
