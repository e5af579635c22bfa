package architecture

import (
	"bufio"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// raceList has a line for each package that the Makefile tests with the race detector,
// and for each one that has concurrency and is tested without, both with a reason.
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
	for dir, why := range concurrent {
		if tested[dir] && !listed[dir] {
			t.Errorf("%s: %s is concurrent: list the package in %s", dir, why, raceList)
		}
	}
	for dir := range listed {
		if concurrent[dir] == "" || !tested[dir] {
			t.Errorf("%s lists %s, in which nothing is concurrent, or tested", raceList, dir)
		}
	}
}

// concurrent tells whether a file starts goroutines or guards what they share.
func (f sourceFile) concurrent() (found bool) {
	for _, from := range f.imports() {
		found = found || from == "sync" || from == "sync/atomic"
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
			if len(fields) < 3 || fields[0] != "race" && fields[0] != "plain" || listed[fields[1]] {
				t.Fatalf("%s: %q must be: race or plain, a package that is not listed yet, a reason", raceList, line)
			}
			listed[fields[1]] = true
		}
	}
	return listed
}
