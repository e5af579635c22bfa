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
		beside  []string
		folders []string
		base    string
	}{
		{"/w/m", nil, nil, []string{"/w/m"}, "/w/m"},
		{"/w", []string{"/w/a", "/w/b"}, nil, []string{"/w"}, "/w"},
		{"/w/m", []string{"/w/m", "/w/x/y"}, nil, []string{"/w/m", "/w/x/y"}, "/w"},
		{"/w/m", []string{"/w/mm"}, nil, []string{"/w/m", "/w/mm"}, "/w"},
		{"/w", []string{"/"}, nil, []string{"/"}, "/"},
		// A replaced module: beside the workspace, in it, far away, and far away where all else is, too.
		{"/home/joe/m", nil, []string{"/home/joe/lib"}, []string{"/home/joe/lib", "/home/joe/m"}, "/home/joe"},
		{"/home/joe/m", nil, []string{"/home/joe/m/lib"}, []string{"/home/joe/m"}, "/home/joe/m"},
		{"/home/joe/m", nil, []string{"/home/ann/lib", "/opt/lib"}, []string{"/home/joe/m"}, "/home/joe/m"},
		{"/w/m", []string{"/w/x"}, []string{"/opt/lib", "/w/lib"}, []string{"/w/lib", "/w/m", "/w/x"}, "/w"},
	} {
		root, modules := filepath.FromSlash(test.root), test.modules
		folders := foldersOf(root, modules, test.beside)
		if base := common(folders); !slices.Equal(folders, test.folders) || base != test.base {
			t.Errorf("%s with %q and %q: %q in %s, want %q in %s", test.root, test.modules, test.beside, folders, base, test.folders, test.base)
		}
	}
}
