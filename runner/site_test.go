package runner

import (
	"path/filepath"
	"slices"
	"testing"
)

// Why: files of a module beside the workspace must go along, and nothing else that lies in the folder that
// both are in.
func TestFoldersOfASite(t *testing.T) {
	for _, test := range []struct {
		root    string
		modules []string
		folders []string
		base    string
	}{
		{"/w/m", nil, []string{"/w/m"}, "/w/m"},
		{"/w", []string{"/w/a", "/w/b"}, []string{"/w"}, "/w"},
		{"/w/m", []string{"/w/m", "/w/x/y"}, []string{"/w/m", "/w/x/y"}, "/w"},
		{"/w/m", []string{"/w/mm"}, []string{"/w/m", "/w/mm"}, "/w"},
		{"/w", []string{"/"}, []string{"/"}, "/"},
	} {
		root, modules := filepath.FromSlash(test.root), test.modules
		folders := foldersOf(root, modules)
		if base := common(folders); !slices.Equal(folders, test.folders) || base != test.base {
			t.Errorf("%s with %q: %q in %s, want %q in %s", test.root, test.modules, folders, base, test.folders, test.base)
		}
	}
}
