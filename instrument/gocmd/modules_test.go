package gocmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// monorepo is a new folder with many modules.
func monorepo(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/monorepo.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

// An editor opens whatever folder its user works in. What can be measured there
// may be the folder itself, or several modules below it that know nothing of each
// other.
func TestModules(t *testing.T) {
	root := monorepo(t)
	for _, test := range []struct {
		why, dir, gowork string
		want             []string
	}{
		{"a module is one folder, whatever is below it", "plain", "", []string{"plain"}},
		{"a folder of a module is measured as it is", "plain/sub", "", []string{"plain/sub"}},
		{"modules that no go.work joins are measured one by one; nobody means those of others' code", "loose", "",
			[]string{"loose/a", "loose/a/nested", "loose/far/down/below/here"}},
		{"go.work joins modules", "joined", "", []string{"joined"}},
		{"a folder above some of them", "joined/libs", "", []string{"joined/libs"}},
		{"a module that go.work does not use", "joined/unused", "", []string{"joined/unused"}},
		{"a folder above a module that go.work does not use", "joined/other", "", []string{"joined/other/unused"}},
		{"go.work is not read", "joined", "off", []string{"joined/app", "joined/libs/one", "joined/libs/two", "joined/other/unused", "joined/unused"}},
	} {
		t.Setenv("GOWORK", test.gowork)
		got, err := Modules(t.Context(), filepath.Join(root, test.dir))
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
		}
		var want []string
		for _, dir := range test.want {
			want = append(want, filepath.Join(root, dir))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: folders (-want +got):\n%s", test.why, diff)
		}
	}
}

// Where nothing can be measured, the error says why, and does not name modules of
// no use.
func TestNoModules(t *testing.T) {
	root := monorepo(t)
	for _, test := range []struct{ why, dir, modules, want string }{
		{"an empty folder", t.TempDir(), "", "run `go mod init` there"},
		{"a folder that is not there", filepath.Join(root, "nowhere"), "", "is not a folder"},
		{"without modules", filepath.Join(root, "loose"), "off", "GO111MODULE is off"},
		{"a go.work that is not one", filepath.Join(root, "broken"), "", "unknown directive: uses"},
	} {
		t.Setenv("GO111MODULE", test.modules)
		if got, err := Modules(t.Context(), test.dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, error %v, want one with %q", test.why, got, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Modules(ctx, root); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, error %v", got, err)
	}
}

// With -mod=mod a mere question to the go command completes go.mod; with the
// other flags what is built is not what is to be measured.
func TestUnfitFlagsAreRefused(t *testing.T) {
	dir := filepath.Join(monorepo(t), "plain")
	for flags, refused := range map[string]string{
		"-mod=mod": "-mod=mod", "-v --mod=mod": "-mod=mod", "'-mod=mod'": "-mod=mod",
		"-cover": "-cover,", "-cover=true": "-cover,", "-covermode=set": "-covermode,", "-coverpkg=./...": "-coverpkg,",
		"-overlay=x.json": "-overlay,",
		"":                "", "-mod=readonly": "", "-mod=mod -mod=readonly": "", "-modcacherw": "", "-cover=false": "",
	} {
		t.Setenv("GOFLAGS", flags)
		_, err := Ask(t.Context(), dir, Platform{})
		if refused == "" && err != nil || refused != "" && (err == nil || !strings.Contains(err.Error(), "GOFLAGS has "+refused)) {
			t.Errorf("GOFLAGS=%s: %v, want %q refused", flags, err, refused)
		}
	}
}
