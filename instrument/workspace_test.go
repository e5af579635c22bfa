package instrument

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The go command takes no pattern for a folder above modules; here it means
// the modules below.
func TestPatternsSpanModules(t *testing.T) {
	root := unpack(t, "testdata/workspace.txtar")
	all := []string{"example.com/app", "example.com/app/sub", "example.com/lib/v2"}
	for _, test := range []struct {
		why, dir string
		patterns []string
		want     []string
	}{
		{"all modules, in the folder of go.work", ".", nil, all},
		{"the same, when asked for", ".", []string{"./..."}, all},
		{"a folder above one module", "lib", nil, all[2:]},
		{"a module's folder is that module", "app", nil, all[:2]},
		{"a part of a module", ".", []string{"./app/sub/..."}, all[1:2]},
		{"a folder above others", "app", []string{"../..."}, all},
		{"an absolute pattern", "app", []string{filepath.Join(root, "lib") + "/..."}, all[2:]},
		{"import paths", "tools", []string{"example.com/lib/v2", "example.com/app/..."}, all},
	} {
		l, err := loadIn(t, Params{Dir: filepath.Join(root, test.dir), Patterns: test.patterns, Temp: t.TempDir()})
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		var got []string
		for _, pkg := range l.tests {
			got = append(got, pkg.Path)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: packages with tests (-want +got):\n%s", test.why, diff)
		}
	}
}

// Why: tests read files of modules that are on this machine but not measured. Those that were downloaded are everywhere
// the same, and many.
func TestModulesBeside(t *testing.T) {
	root := unpack(t, "testdata/workspace.txtar")
	for dir, want := range map[string][][]string{
		".":   {{"app", "lib/v2", "tools"}, {"outside"}},
		"app": {{"app", "lib/v2"}, {"outside", "tools"}},
		"lib": {{"lib/v2"}, {"app", "tools"}},
	} {
		l, err := loadIn(t, Params{Dir: filepath.Join(root, dir), Temp: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		got := [][]string{l.modules, l.beside}
		for _, list := range got {
			for i := range list {
				list[i] = strings.TrimPrefix(filepath.ToSlash(list[i]), filepath.ToSlash(root)+"/")
			}
			slices.Sort(list)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: modules, and those beside (-want +got):\n%s", dir, diff)
		}
	}
	plain := unpack(t, "testdata/dottest.txtar")
	if l, err := loadIn(t, Params{Dir: plain}); err != nil || len(l.beside) > 0 {
		t.Errorf("a module alone: %v, %v", l.beside, err)
	}
}

// A module can be inside of another. ./... then means both where go.work uses
// both: the go command alone stops at the inner one.
func TestPatternsSpanNestedModules(t *testing.T) {
	root := unpack(t, "testdata/nested.txtar")
	for _, test := range []struct {
		why, dir, pattern string
		want              []string
		module            string
	}{
		{"from the outer module", ".", "./...", []string{"example.com/outer", "example.com/outer/inner", "example.com/outer/inner/deep"}, "example.com/outer, example.com/outer/inner, example.com/outer/inner/deep"},
		{"from the inner one", "inner", "./...", []string{"example.com/outer/inner", "example.com/outer/inner/deep"}, "example.com/outer/inner, example.com/outer/inner/deep"},
		{"a folder of the inner one, above another", ".", "./inner/sub/...", []string{"example.com/outer/inner/deep"}, "example.com/outer/inner, example.com/outer/inner/deep"},
		{"one package", ".", ".", []string{"example.com/outer"}, "example.com/outer"},
	} {
		l, err := loadIn(t, Params{Dir: filepath.Join(root, test.dir), Patterns: []string{test.pattern}, Temp: t.TempDir()})
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		var got []string
		for _, pkg := range l.tests {
			got = append(got, pkg.Path)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || l.module != test.module {
			t.Errorf("%s: module %q, want %q; packages with tests (-want +got):\n%s", test.why, l.module, test.module, diff)
		}
	}
}

// A folder above modules that no go.work joins cannot be measured: the error
// says which modules there are.
func TestFolderAboveModules(t *testing.T) {
	root := unpack(t, "testdata/workspace.txtar")
	if err := os.Remove(filepath.Join(root, "go.work")); err != nil {
		t.Fatal(err)
	}
	for why, test := range map[string]struct{ dir, off, want string }{
		"modules below": {root, "", "no go.mod in " + root + " or a folder above it, but there are modules below it: app, lib/v2, outside, tools, tools/nested. Name one with -C, or join them with `go work init ./app ./lib/v2"},
		"nothing below": {t.TempDir(), "", "run `go mod init` there"},
		"no modules":    {filepath.Join(root, "app"), "off", "GO111MODULE is off"},
	} {
		t.Setenv("GO111MODULE", test.off)
		if _, err := loadIn(t, Params{Dir: test.dir, Temp: t.TempDir()}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, want one with %q", why, err, test.want)
		}
	}
}

// What is wrong with go.work is said of go.work, not of a copy of it.
func TestWorkspaceProblemsNameTheWorkspace(t *testing.T) {
	for _, text := range []string{"go 1.26\nuses ./app\n", "go 1.26\nuse ./nowhere\n", "go 1.20\nuse ./app\n"} {
		root, temp := unpack(t, "testdata/workspace.txtar"), t.TempDir()
		file := filepath.Join(root, "go.work")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := loadIn(t, Params{Dir: filepath.Join(root, "app"), Temp: temp})
		if err == nil || !strings.Contains(err.Error(), root) && !strings.Contains(err.Error(), "go.work") || strings.Contains(err.Error(), temp) {
			t.Errorf("%q: error is %v, want one that names %s", text, err, file)
		}
	}
}

// The go command says of a module that go.work does not use only that there is
// nothing: who measures it must learn why, and what to do.
func TestUnusedModuleIsExplained(t *testing.T) {
	root := unpack(t, "testdata/workspace.txtar")
	work := filepath.Join(root, "go.work")
	for _, test := range []struct{ dir, pattern, want string }{
		{"tools/nested", "./...", work + " does not use the module in " + filepath.Join(root, "tools/nested") + ": add it with `go work use"},
		{"outside", ".", work + " does not use the module in " + filepath.Join(root, "outside")},
		{"tools", "./nowhere", ""},
		{"empty", "./...", work + " uses no module in " + filepath.Join(root, "empty")},
	} {
		dir := filepath.Join(root, test.dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := loadIn(t, Params{Dir: dir, Patterns: []string{test.pattern}, Temp: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s in %s: error %v, want one with %q", test.pattern, test.dir, err, test.want)
		} else if test.want == "" && strings.Contains(err.Error(), "go.work") {
			t.Errorf("%s in %s: %v, which is not the fault of go.work", test.pattern, test.dir, err)
		}
	}
	t.Setenv("GOWORK", "off")
	l, err := loadIn(t, Params{Dir: filepath.Join(root, "tools/nested"), Temp: t.TempDir()})
	if err != nil || len(l.tests) != 1 {
		t.Errorf("with GOWORK=off: %v, want its tests", err)
	}
}

// dependencies are the modules of a proxy. Module b of the workspace chooses
// upper v1.1.0, whose lower v1.1.0 only module a needs: no go.sum has its sum,
// and the go command writes go.work.sum.
var dependencies = map[string]map[string]string{
	"example.com/lower@v1.0.0": {"go.mod": "module example.com/lower\n\ngo 1.26\n", "lower.go": "package lower\n\nconst Version = 0\n"},
	"example.com/lower@v1.1.0": {"go.mod": "module example.com/lower\n\ngo 1.26\n", "lower.go": "package lower\n\nconst Version = 1\n"},
	"example.com/upper@v1.0.0": {
		"go.mod":       "module example.com/upper\n\ngo 1.26\n\nrequire example.com/lower v1.0.0\n",
		"sub/sub.go":   "package sub\n\nimport \"example.com/lower\"\n\nconst Version = lower.Version\n",
		"alone/one.go": "package alone\n",
	},
	"example.com/upper@v1.1.0": {
		"go.mod":       "module example.com/upper\n\ngo 1.26\n\nrequire example.com/lower v1.1.0\n",
		"sub/sub.go":   "package sub\n\nimport \"example.com/lower\"\n\nconst Version = lower.Version\n",
		"alone/one.go": "package alone\n",
	},
}

// serve writes the dependencies as a module proxy has them, and makes the go
// command use it alone.
func serve(t *testing.T) {
	t.Helper()
	proxy := t.TempDir()
	for module, files := range dependencies {
		name, number, _ := strings.Cut(module, "@")
		var archive bytes.Buffer
		w := zip.NewWriter(&archive)
		for file, text := range files {
			must(must(w.Create(module + "/" + file)).Write([]byte(text)))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(proxy, name, "@v")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for end, text := range map[string][]byte{".zip": archive.Bytes(), ".mod": []byte(files["go.mod"]), ".info": []byte(`{"Version":"` + number + `"}`)} {
			if err := os.WriteFile(filepath.Join(dir, number+end), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("GOPROXY", "file://"+proxy)
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
}

func TestGoWorkSumIsNotWritten(t *testing.T) {
	serve(t)
	root := unpack(t, "testdata/sums.txtar")
	for _, module := range []string{"a", "b"} {
		goCommand(t, filepath.Join(root, module), "GOWORK=off", "mod", "tidy")
	}
	before := snapshot(t, root)
	build, err := Prepare(t.Context(), Params{Dir: root, Temp: t.TempDir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Build: build, dir: root, probed: t.TempDir()}
	b.goTest(t, b.probed, "-overlay="+b.Overlay)
	if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
		t.Errorf("the workspace was written (-before +after):\n%s", diff)
	}
	if out := b.execute(t, b.probed, b.Tests[0], nil, nil).Output; !strings.Contains(out, "a_test.go:5: 1\n") {
		t.Errorf("the test is to be built with version 1.1.0 of the lower module, and says:\n%s", out)
	}
	goCommand(t, root, "", "build", "./a")
	if _, err := os.Stat(filepath.Join(root, "go.work.sum")); err != nil {
		t.Errorf("the go command alone does not write go.work.sum either (%v): this test cannot fail", err)
	}
}

func goCommand(t *testing.T, dir, env string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}

// A vendored workspace is built from its vendor folder, for which the go command
// must be given go.work itself.
func TestVendoredWorkspace(t *testing.T) {
	root := unpack(t, "testdata/workspace.txtar")
	goCommand(t, root, "", "work", "vendor")
	if err := os.RemoveAll(filepath.Join(root, "outside")); err != nil { // only its copy is left
		t.Fatal(err)
	}
	before := snapshot(t, root)
	b := prepare(t, Params{Dir: root, Patterns: []string{"./app"}})
	b.compare(t, b.Tests[0], nil)
	if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
		t.Errorf("the workspace was written (-before +after):\n%s", diff)
	}
}
