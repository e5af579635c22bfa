package instrument

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/gocmd"
)

// loadIn loads packages as Prepare does.
func loadIn(t *testing.T, p Params) (*loaded, error) {
	t.Helper()
	env, err := gocmd.Ask(t.Context(), p.Dir, gocmd.Platform{})
	if err != nil {
		return nil, err
	}
	return load(t.Context(), env, p)
}

// Nothing but its tests makes a package a test program: folders, modules and
// commands can have names that end in .test.
func TestPackagesNamedLikeTestPrograms(t *testing.T) {
	dir := unpack(t, "testdata/dottest.txtar")
	l, err := loadIn(t, Params{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var main []string
	for _, p := range l.main {
		main = append(main, p.path)
	}
	if diff := cmp.Diff([]string{"shop.test", "shop.test/cmd.test", "shop.test/lib.test", "shop.test/only"}, main); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	want := []Package{{"shop.test", dir}, {"shop.test/lib.test", filepath.Join(dir, "lib.test")}, {"shop.test/only", filepath.Join(dir, "only")}}
	if diff := cmp.Diff(want, l.tests); diff != "" {
		t.Errorf("test programs (-want +got):\n%s", diff)
	}
	if l.module != "shop.test" {
		t.Errorf("module %q", l.module)
	}
}

// "No test" would not be true of a test file that only fits another system.
func TestLeftOutTestFilesAreNamed(t *testing.T) {
	dir := unpack(t, "testdata/lefttests.txtar")
	l, err := loadIn(t, Params{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.tests) != 0 || len(l.leftOut) != 1 || !strings.Contains(l.leftOut[0], "slow_test.go is left out") {
		t.Errorf("tests %v, problems %q", l.tests, l.problems)
	}
	if l, err = loadIn(t, Params{Dir: dir, Tags: []string{"slow"}}); err != nil || len(l.tests) != 1 || len(l.problems) != 0 {
		t.Errorf("with the tag: tests %v, problems %q, error %v", l.tests, l.leftOut, err)
	}
}
