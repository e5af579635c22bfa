package instrument

import (
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/gosource"
)

func TestComponentsHaveTheNamesOfTheRuntime(t *testing.T) {
	dir := unpack(t, "testdata/runtimenames.txtar")
	b, err := Prepare(t.Context(), Params{Dir: dir, Temp: t.TempDir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range b.Components {
		if c.ID != "" && !strings.HasSuffix(c.Package, "/who") {
			want = append(want, fmt.Sprint(gosource.RuntimeName(c.Package, c.ID), " ", c.Line))
		}
	}
	slices.Sort(want)
	cmd := exec.Command("go", "test", "-vet=off", "-gcflags=-l", "-v", "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := make(map[string]bool)
	for _, m := range regexp.MustCompile(`NAME (.*)`).FindAllStringSubmatch(string(out), -1) {
		got[strings.ReplaceAll(m[1], "[...]", "")] = true
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("names (-components +printed):\n%s", diff)
	}
	for name := range got {
		pkg, _, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
		if pkg = name[:strings.LastIndexByte(name, '/')+1] + pkg; !slices.Contains(b.Packages, pkg) {
			t.Errorf("%s is of no package: %q", name, b.Packages)
		}
	}
}
