package gosource

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func functions(t testing.TB, name, src string) []Func {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return Functions(fset, file, []byte(src))
}

func TestNamesAndPlaces(t *testing.T) {
	files := [][]Func{
		functions(t, "a.go", `package p

var v = func() int { return func() int { return 1 }() }

func init() {}

type T[K comparable, V any] struct{}

func (t *T[K, V]) Pointer() {}
func (T[_, V]) Value()     {}
func (I) plain()           {}
func ((*I)) parens()       {}

func F[A any](a A) {
	_ = func() {}
}

func _()      {}
func (I) _()  {}
func noBody()

//line other.go:100
func after() {
}
`),
		functions(t, "b.go", "package p\nfunc init() {}\nvar w = []func(){func() {}, func() {}}\nfunc init() {}\n"),
	}
	Number(files)
	var got []string
	for _, funcs := range files {
		for _, f := range funcs {
			c := f.Component("example.com/p", f.File)
			got = append(got, fmt.Sprintf("%s %s:%d:%d-%d", c.ID, c.File, c.Line, c.Column, c.EndLine))
		}
	}
	want := strings.Split(`example.com/p.init.func1 a.go:3:9-3
example.com/p.init.0 a.go:5:6-5
example.com/p.(*T).Pointer a.go:9:19-9
example.com/p.T.Value a.go:10:16-10
example.com/p.I.plain a.go:11:10-11
example.com/p.(*I).parens a.go:12:13-12
example.com/p.F a.go:14:6-16
example.com/p.after a.go:23:6-24
example.com/p.init.1 b.go:2:6-2
example.com/p.init.func2 b.go:3:18-3
example.com/p.init.func3 b.go:3:29-3
example.com/p.init.2 b.go:4:6-4`, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
}

// The hash tells whether what was measured is still what stands there.
func TestHash(t *testing.T) {
	const original = "func F(a int) int {\n\tif a > 0 {\n\t\treturn a // why\n\t}\n\treturn f(\n\t\ta,\n\t)\n}"
	for _, test := range []struct {
		why, src string
		same     bool
	}{
		{"comments do not run", strings.Replace(original, "// why", "/* because */", 1), true},
		{"nor does layout", "func F(a int) int { if a > 0 {\n\n\n return a; }; return f(\na,\n) }", true},
		{"a renamed function is the same", strings.Replace(original, "F(", "Other(", 1), true},
		{"so is one that became a method", strings.Replace(original, "func F", "func (T) F", 1), true},
		{"another constant is another body", strings.Replace(original, "> 0", "> 1", 1), false},
		{"so is another operator", strings.Replace(original, ">", "<", 1), false},
		{"and another parameter", strings.Replace(original, "(a int)", "(a int, b int)", 1), false},
		{"a directive for the compiler changes it", "//go:noinline\n" + original, false},
		{"other comments before it do not", "// F is.\n//\n//nolint:all\n" + original, true},
		{"so is another parameter of types", strings.Replace(original, "F(a int)", "F[T any](a int)", 1), false},
		{"a string with blanks is not layout", strings.Replace(original, "a,", `" a",`, 1), false},
	} {
		hash := func(src string) string { return functions(t, "x.go", "package p\n"+src+"\n")[0].Hash }
		if got := hash(test.src) == hash(original); got != test.same {
			t.Errorf("%s: same hash %v, want %v", test.why, got, test.same)
		}
	}
}

// Whatever parses has positions within the file and a hash for each function.
func FuzzFunctions(f *testing.F) {
	f.Add("package p\nfunc F() {}\n")
	f.Add("\xef\xbb\xbfpackage p\r\n\r\nfunc (t *T[K]) F() {\r\n}\r\n")
	f.Add("package p\nvar x = func() { func() {}() }\n//line y.go:1\nfunc init() {}")
	f.Add("package p\nfunc (a, b []int) F() {}\nfunc () G() {}")
	f.Fuzz(func(t *testing.T, src string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return
		}
		for _, fn := range Functions(fset, file, []byte(src)) {
			if fn.Name == "" || len(fn.Hash) != 16 || fn.Start.Line < 1 || fn.End.Offset >= len(src)+1 || fn.Start.Offset >= fn.End.Offset {
				t.Errorf("%+v in %q", fn, src)
			}
		}
	})
}
