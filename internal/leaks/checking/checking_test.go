package checking

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"spell-lsp/internal/leaks/seeding"
)

// sample is a module of which the tests reach some functions, and hold one to its allocations.
const sample = `
-- go.mod --
module example.com/sample

go 1.26
-- list/list.go --
package list

func Reached(n int) []int {
	list := make([]int, 0, n)
	for i := range n {
		list = append(list, i)
	}
	return list
}

func Sum(list []int) int {
	sum := 0
	for _, n := range list {
		sum += n
	}
	return sum
}

func Max(list []int) int {
	top := 0
	for _, n := range list {
		top = max(top, n)
	}
	return top
}

func NotReached(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	return list
}
-- use/use_test.go --
package use

import (
	"testing"

	"example.com/sample/list"
)

func TestReached(t *testing.T) {
	for range 100000 {
		if list.Sum(list.Reached(10)) != 45 {
			t.Fatal("wrong")
		}
	}
}

func TestMax(t *testing.T) {
	numbers := []int{1, 2}
	if n := testing.AllocsPerRun(10, func() { list.Max(numbers) }); n > 0 {
		t.Fatal("allocates")
	}
}
-- broken/broken_test.go --
package broken

import "testing"

func TestBroken(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Fail() }) }
-- other/other_windows.go --
package other
`

func openSample(t *testing.T) *Module {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs")
	}
	files, err := txtar.FS(txtar.Parse([]byte(sample)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	m, err := Open(t.Context(), dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// Leaks are drawn among the functions that the tests reach, in the order of the seed. One
// that changes how a test ends is thrown away, and the copy is as it was.
func TestModule(t *testing.T) {
	m := openSample(t)
	if len(m.programs) != 2 || m.total <= 0 || m.programs[0].outcome != "exit status 1 TestBroken TestBroken/sub" || m.programs[1].outcome != "exit status 0" {
		t.Errorf("programs: %+v", m.programs)
	}
	drawn := m.Draw(1)
	functions := make(map[string]bool)
	for _, s := range drawn {
		functions[s.Function] = true
	}
	if want := map[string]bool{"example.com/sample/list.Reached": true, "example.com/sample/list.Sum": true, "example.com/sample/list.Max": true}; !cmp.Equal(functions, want) {
		t.Errorf("functions are %v, want %v", functions, want)
	}
	if !slices.Equal(drawn, m.Draw(1)) || slices.Equal(drawn, m.Draw(2)) {
		t.Error("the order is not that of the seed")
	}
	i := slices.IndexFunc(drawn, func(s seeding.Site) bool { return s.Kind == "defer-in-loop" && strings.HasSuffix(s.Function, "Max") })
	if leak, reason, err := m.Check(t.Context(), drawn[i]); leak != nil || reason != Fails || err != nil {
		t.Errorf("a loop with defer allocates: %v, %q, %v", leak, reason, err)
	}
	text, err := os.ReadFile(filepath.Join(m.dir, "list", "list.go"))
	if err != nil || strings.Contains(string(text), "defer") {
		t.Errorf("the leak is still there: %v\n%s", err, text)
	}
}

// Blocks are counted by lines and columns; a brace belongs to the block behind it.
func TestCounts(t *testing.T) {
	m := openSample(t)
	i := slices.IndexFunc(m.sources, func(s seeding.Source) bool { return s.Name == "list/list.go" })
	s := &m.sources[i]
	for code, want := range map[string]int{
		"list := make": 100000, "{\n\t\tlist = append": 1000000, "list = append": 1000000, "return list": 100000,
		"var list": 0, "sum := 0": 100000, "top := 0": 11, // AllocsPerRun calls once more
	} {
		if got := m.counts.at(s, strings.Index(string(s.Text), code)); got != want {
			t.Errorf("%q was executed %d times, want %d", code, got, want)
		}
	}
}

// A program finds empty folders, and nothing that it started outlives it.
func TestSandbox(t *testing.T) {
	s, err := newSandbox(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one does not see what the first one wrote
		out, err := s.run(t.Context(), s.dir, time.Minute, "sh", "-c", `ls "$HOME" "$TMPDIR"; touch "$HOME/x" "$TMPDIR/y"; sleep 1000 & echo $!`)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Fields(out)
		if want := []string{filepath.Join(s.dir, "home") + ":", filepath.Join(s.dir, "tmp") + ":"}; len(lines) != 3 || !slices.Equal(lines[:2], want) {
			t.Fatalf("it saw %q", out)
		}
		for { // the kernel ends it in its own time
			status, err := os.ReadFile("/proc/" + lines[2] + "/stat")
			if err != nil || strings.Contains(string(status), ") Z ") {
				break
			}
		}
	}
	if _, err := s.run(t.Context(), s.dir, time.Minute, "sh", "-c", "echo bad; exit 3"); err == nil || !strings.Contains(err.Error(), "exit status 3\nbad") {
		t.Errorf("a command that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.run(ctx, s.dir, time.Minute, "sleep", "1000"); err == nil {
		t.Error("a cancelled command succeeds")
	}
}
