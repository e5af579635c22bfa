package instrument

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/wording"
)

// everything is what Go has, each archive with its reason and its programs.
var everything = []struct {
	name, archive, dir   string
	patterns, tags, args []string
	flags                []string // of go test -c
	tests                string   // the packages that have tests
	warnings             []string // what is said of functions without probes
	fallback             bool
}{
	{name: "behaviour", archive: "behaviour", tests: "behaviour"},
	{name: "language", archive: "language", tests: "all all/cmd/tool all/names all/tagged",
		warnings: []string{"directives.go:4: example.com/all.nosplit is not measured: it is marked //go:nosplit", "embeds.go is not measured: a //go:embed line", "assets/code.go is not measured: a //go:embed line"}},
	{name: "tags", archive: "language", tags: []string{"special", "more"}, patterns: []string{"./tagged"}, tests: "all/tagged"},
	{name: "stacks", archive: "stacks", tests: "stacks stacks/main"},
	{name: "runtime", archive: "runtime", tests: "runtime"},
	{name: "testing", archive: "testing", args: []string{"-test.bench=.", "-test.benchtime=5x"}, tests: "tests tests/bench tests/neverruns tests/nomain tests/onlytests"},
	{name: "cgo", archive: "cgo", tests: "cgo"},
	{name: "race", archive: "race", flags: []string{"-race"}, tests: "race"},
	{name: "sizes", archive: "sizes", flags: []string{"-race"}, tests: "sizes sizes/odd"},
	{name: "sizes without the runtime's edits", archive: "sizes", fallback: true, tests: "sizes sizes/odd"},
	{name: "workspace", archive: "workspace", tests: "app app/sub lib/v2"},
	{name: "module of a workspace", archive: "workspace", dir: "app", tests: "app app/sub"},
	{name: "two modules of a workspace", archive: "workspace", dir: "app", patterns: []string{".", "../lib/..."}, tests: "app lib/v2"},
	{name: "language without the runtime's edits", archive: "language", fallback: true, tests: "all all/cmd/tool all/names all/tagged"},
	{name: "stacks without the runtime's edits", archive: "stacks", fallback: true, tests: "stacks stacks/main"},
	{name: "runtime without its edits", archive: "runtime", fallback: true, tests: "runtime"},
	{name: "vendored", archive: "vendored", tests: "vendored"},
}

// Programs print what they see of themselves, and must print the same with
// probes, end with the same status, and be counted exactly; and no file of
// theirs may be touched.
func TestEverythingBehavesAsWithoutProbes(t *testing.T) {
	for _, test := range everything {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := unpack(t, filepath.Join("testdata", test.archive+".txtar"))
			finish(t, root)
			before := snapshot(t, root)
			b := prepare(t, Params{Dir: filepath.Join(root, test.dir), Patterns: test.patterns, Tags: test.tags, Fallback: test.fallback}, test.flags...)
			var tests []string
			for _, pkg := range b.Tests {
				tests = append(tests, strings.TrimPrefix(pkg.Path, "example.com/"))
				b.compare(t, pkg, test.args)
			}
			said := strings.Join(wording.Texts(b.Notes), "\n")
			for _, want := range test.warnings {
				if !strings.Contains(said, want) {
					t.Errorf("nothing says %q, only:\n%s", want, said)
				}
			}
			if got := strings.Join(tests, " "); got != test.tests {
				t.Errorf("packages with tests are %s, want %s", got, test.tests)
			}
			if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
				t.Errorf("the workspace was written (-before +after):\n%s", diff)
			}
		})
	}
}

// compare runs all tests of a package, and then each that kills its process.
func (b *bench) compare(t *testing.T, pkg Package, args []string) {
	t.Helper()
	plain, probed, log := b.run(t, pkg, append([]string{"-test.skip=^TestDies"}, args...)...)
	check(t, pkg.Path, plain, probed)
	checkCounts(t, probed.Output, b.Build, log)
	checkEnds(t, plain.Output, log)
	for name := range strings.FieldsSeq(b.runPlain(t, pkg, "-test.list=^TestDies").Output) {
		// A stack without room has none for the probe of its own package either,
		// which then is its innermost frame.
		if !strings.HasPrefix(name, "TestDies") || b.Fallback != "" && strings.HasSuffix(name, "StackOverflow") {
			continue
		}
		limit := "0"
		if strings.Contains(name, "Timeout") {
			limit = "1s"
		}
		plain, probed, log := b.run(t, pkg, "-test.run=^"+name+"$", "-test.timeout="+limit)
		check(t, name, plain, probed)
		checkCounts(t, probed.Output, b.Build, log)
	}
}

func check(t *testing.T, what string, plain, probed ending) {
	t.Helper()
	if diff := cmp.Diff(plain, probed); diff != "" {
		t.Errorf("%s: with probes the program ends differently (-plain +probed):\n%s", what, diff)
	}
}

// finish makes files that an archive cannot hold well: one with a byte order
// mark and carriage returns, and one with a function of 10,000 lines.
func finish(t *testing.T, root string) {
	t.Helper()
	edit := func(name string, f func(string) string) {
		path := filepath.Join(root, name)
		if text, err := os.ReadFile(path); err == nil {
			if err := os.WriteFile(path, []byte(f(string(text))), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit("crlf.go", func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") })
	edit("huge.go", func(s string) string {
		return strings.ReplaceAll(s, "\t// ten thousand lines\n", strings.Repeat("\tn = add(n, 1)\n", 10_000))
	})
}

// snapshot tells the content, mode and time of every file and folder.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if d.Type().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		files[path] = fmt.Sprintf("%v %v %x", info.Mode(), info.ModTime(), sha256.Sum256(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
