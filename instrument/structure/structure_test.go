package structure_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/structure"
	"spell-lsp/spell"
)

// of returns the structures of functions by file and name, or the word func of a literal. Each folder is a package.
func of(t *testing.T, files map[string]string) map[string]spell.Structure {
	t.Helper()
	byPath := make(map[string]*structure.Package)
	var packages []structure.Package
	for name, text := range files {
		folder, _, _ := strings.Cut(name, "/")
		path := "m/" + folder
		if byPath[path] == nil {
			byPath[path] = &structure.Package{Path: path}
		}
		byPath[path].Files = append(byPath[path].Files, structure.File{Name: name, Text: []byte(text)})
	}
	for _, p := range byPath {
		packages = append(packages, *p)
	}
	found := make(map[string]spell.Structure)
	for _, f := range structure.Of(t.Context(), packages) {
		line := strings.Split(files[f.File], "\n")[f.Line-1][f.Column-1:]
		found[f.File+" "+line[:strings.IndexAny(line, "([")]] = f.Structure
	}
	return found
}

// Each construct counts as McCabe has it, and literals count with their function.
func TestComplexity(t *testing.T) {
	for _, test := range []struct {
		why, body string
		want      int
	}{
		{"nothing", ``, 1},
		{"an if", `if a { }`, 2},
		{"else decides nothing", `if a { } else { }`, 2},
		{"else if does", `if a { } else if b { }`, 3},
		{"for with a condition", `for a { }`, 2},
		{"for without one", `for { }`, 2},
		{"for with range", `for range x { }`, 2},
		{"a switch by its clauses", `switch n { case 1: case 2, 3: }`, 3},
		{"default decides nothing", `switch n { case 1: default: }`, 2},
		{"a switch of types", `switch y.(type) { case int: case string: default: }`, 3},
		{"select by its clauses, without default", `select { case <-c: case c <- 1: default: }`, 3},
		{"and, or", `_ = a && b || a`, 3},
		{"not, bits and comparisons decide nothing", `_ = !a; _ = n & 1 | 2; _ = n < 3`, 1},
		{"go and defer decide nothing", `go f(); defer f(); goto end; end:`, 1},
		{"a literal counts with its function", `g := func() { if a { for range x { } } }; g()`, 3},
		{"what does not type-check counts", `if nowhere.Is(a) { for _, v := range nowhere.List() { if v.Is() { } } }`, 4},
	} {
		s := of(t, map[string]string{"p/p.go": "package p\nfunc f() { " + test.body + "\n}"})["p/p.go f"]
		if s.Complexity != test.want {
			t.Errorf("%s: %q has the complexity %d, want %d", test.why, test.body, s.Complexity, test.want)
		}
	}
}

// Blank lines and comments are no code; lines of a raw string are.
func TestLinesOfCode(t *testing.T) {
	for _, test := range []struct {
		why, text string
		want      int
	}{
		{"one line", "func f() {}", 1},
		{"two with braces alone", "func f() {\n}", 2},
		{"a comment beside code counts with it", "func f() { // why\n\tg() /* what */\n}", 3},
		{"blanks and comments", "func f() {\n\n\t// a\n\t/* b\n\tc */\n\tg()\n\n}", 3},
		{"two statements in a line", "func f() {\n\tg(); g()\n}", 3},
		{"a raw string with a blank line in it", "func f() {\n\t_ = `a\n\n\tb`; g()\n}", 5},
		{"what stands above or below is not of it", "// about f\nfunc f() {\n}\n\nvar x = 1", 2},
		{"parameters in lines of their own", "func f(\n\ta int,\n\n\tb int,\n) {\n}", 5},
	} {
		s := of(t, map[string]string{"p/p.go": "package p\nfunc g() {}\n" + test.text})["p/p.go f"]
		if s.LinesOfCode != test.want {
			t.Errorf("%s: %q has %d lines of code, want %d", test.why, test.text, s.LinesOfCode, test.want)
		}
	}
}

// All ways in which Go calls a function whose name the source tells count once for each pair; those
// that only a run knows do not.
func TestFans(t *testing.T) {
	type fan struct{ in, out int }
	got := make(map[string]fan)
	for name, s := range of(t, map[string]string{
		"a/a.go": `package a
import ("fmt"; "m/b"; other "m/b"; "example.com/elsewhere")
type doer interface { Do() }
type car struct { b.Base; part wheel; f func() }
type wheel struct{}
func (wheel) turn() {}
func (c *car) drive() { c.part.turn(); c.part.turn(); c.Start(); (*car).stop(c); c.f() }
func (c *car) stop() { defer c.drive(); go c.part.turn() }
func twice() { b.Open(); other.Open(); func() { b.Close() }() }
func again(n int) { if n > 0 { again(n - 1) } }
func unknown(d doer, f func()) { d.Do(); f(); fmt.Println(len("a"), int(1)); elsewhere.New().Run() }
func passed() { unknown(nil, twice) }
func inArgument() { fmt.Println(made(1)); elsewhere.Each(func(c *car) { c.stop() }) }
func made(n int) *car { return nil }
func generic() { b.Map[int](1); b.Map("x"); (&b.List[int]{}).Add(1) }
func ofParameter[T doer](v T) { v.Do() }
func _() { twice() }
var literal = func() { twice() }
var atStart = made(2)
`,
		"a/more.go": "package a\nfunc fromAnotherFile() { twice(); asm() }\nfunc asm()\n",
		"b/b.go": `package b
type Base struct{}
func (Base) Start() { Open() }
func Open() {}
func Close() {}
func Map[T any](v T) {}
type List[T any] struct{}
func (l *List[T]) Add(v T) { l.grow() }
func (l *List[T]) grow() {}
`,
		"broken/broken.go": "package broken\nfunc f( {",
	}) {
		got[name] = fan{s.FanIn, s.FanOut}
	}
	want := map[string]fan{
		"a/a.go turn": {2, 0}, "a/a.go drive": {1, 3}, "a/a.go stop": {2, 2}, "a/a.go twice": {2, 2},
		"a/a.go again": {0, 0}, "a/a.go unknown": {1, 0}, "a/a.go passed": {0, 1}, "a/a.go inArgument": {0, 2}, "a/a.go made": {1, 0},
		"a/a.go generic": {0, 2}, "a/a.go ofParameter": {0, 0}, "a/a.go func": {0, 1}, "a/more.go fromAnotherFile": {0, 2},
		"b/b.go Start": {1, 1}, "b/b.go Open": {2, 0}, "b/b.go Close": {1, 0}, "b/b.go Map": {1, 0}, "b/b.go Add": {1, 1}, "b/b.go grow": {1, 0},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(fan{})); diff != "" {
		t.Errorf("callers and callees (-want +got):\n%s", diff)
	}
}

// Packages that import each other do not build, but they must end the search no more than any other fault.
func TestImportsInACircle(t *testing.T) {
	got := of(t, map[string]string{
		"a/a.go": "package a\nimport \"m/b\"\nfunc A() { b.B() }\n",
		"b/b.go": "package b\nimport \"m/a\"\nfunc B() { a.A() }\n",
	})
	if len(got) != 2 {
		t.Errorf("functions are %v, want A and B", got)
	}
}
