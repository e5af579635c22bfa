package architecture

import (
	"bufio"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// raceList says how the Makefile tests the packages, or folders of packages (./lsp/...),
// in which something runs concurrently.
const raceList = ".ci/race"

// A data race in a package that is tested without the race detector is found by chance.
// With it all tests take several times as long, so it is for packages in which
// something runs concurrently: their code, or their tests.
func TestConcurrentPackagesAreListed(t *testing.T) {
	listed := readRaceList(t)
	concurrent, tested := make(map[string]string), make(map[string]bool)
	for _, f := range files(t, func(name string) bool { return !under(name, "examples") }) {
		dir := "./" + path.Dir(f.name)
		if strings.HasSuffix(f.name, "_test.go") {
			tested[dir] = true
		}
		if f.concurrent() {
			concurrent[dir] = f.name
		}
	}
	needed := make(map[string]bool)
	for dir, file := range concurrent {
		if !tested[dir] {
			continue
		}
		pattern := lineFor(listed, dir)
		if needed[pattern] = true; pattern == "" {
			t.Errorf("%s: %s is concurrent: list the package in %s", dir, file, raceList)
		}
	}
	for pattern := range listed {
		if !needed[pattern] {
			t.Errorf("%s lists %s, in which nothing is concurrent, or nothing is tested", raceList, pattern)
		}
	}
}

// lineFor is the pattern that lists a package: its own, or else ./a/... of a folder above.
func lineFor(listed map[string]bool, dir string) string {
	if listed[dir] {
		return dir
	}
	for ; dir != "."; dir = path.Dir(dir) {
		if listed["./"+path.Clean(dir)+"/..."] {
			return "./" + path.Clean(dir) + "/..."
		}
	}
	return ""
}

// concurrent tells whether a file starts goroutines or guards what they share. What is
// made once (sync.Once, OnceValue) is no reason by itself.
func (f sourceFile) concurrent() (found bool) {
	for _, u := range f.uses() {
		found = found || u.pkg == "sync/atomic" || u.pkg == "sync" && slices.Contains([]string{"Mutex", "RWMutex", "WaitGroup", "Cond", "Map"}, u.name)
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		_, ok := n.(*ast.GoStmt)
		found = found || ok
		return !found
	})
	return found
}

func readRaceList(t *testing.T) map[string]bool {
	t.Helper()
	file, err := os.Open(filepath.Join(moduleDir, raceList))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	listed := make(map[string]bool)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if line := lines.Text(); line != "" && !strings.HasPrefix(line, "#") {
			fields := strings.Fields(line)
			if len(fields) < 3 || !slices.Contains([]string{"alone", "race", "plain"}, fields[0]) || listed[fields[1]] {
				t.Fatalf("%s: %q must be: alone, race or plain, a package that is not listed yet, a reason", raceList, line)
			}
			listed[fields[1]] = true
		}
	}
	return listed
}
