package gosource

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The linker knows types, not aliases of them.
func TestMethodsOfAliases(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	var funcs [][]Func
	for _, src := range []string{
		"package p\ntype T struct{}\ntype A = T\ntype P = *A\nfunc (A) One() {}\nfunc (*A) Two() {}\nfunc (P) Three() {}\nfunc (C) Four() {}\nfunc (G[K]) Five() {}\nfunc Six() {}",
		"package p\ntype (\n\tC = P\n\tLoop = Loop\n)\nfunc (Loop) Seven() {}\nfunc ((A)) Eight() {}",
	} {
		file, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files, funcs = append(files, file), append(funcs, Functions(fset, file, []byte(src)))
	}
	names := func() (names []string) {
		for _, list := range funcs {
			for _, f := range list {
				names = append(names, f.Name)
			}
		}
		return names
	}
	if diff := cmp.Diff([]string{"T.One", "(*T).Two", "(*T).Three", "C.Four", "G.Five", "Six", "Loop.Seven", "A.Eight"}, names()); diff != "" {
		t.Errorf("names, as one file tells them (-want +got):\n%s", diff)
	}
	Unalias(files, funcs)
	if diff := cmp.Diff([]string{"T.One", "(*T).Two", "(*T).Three", "(*T).Four", "G.Five", "Six", "Loop.Seven", "T.Eight"}, names()); diff != "" {
		t.Errorf("names, as the package tells them (-want +got):\n%s", diff)
	}
}

func TestRuntimeName(t *testing.T) {
	for _, test := range []struct{ pkg, id, want string }{
		{"example.com/p", "example.com/p.F", "example.com/p.F"},
		{"gopkg.in/yaml.v3", "gopkg.in/yaml.v3.(*Node).Decode", "gopkg.in/yaml%2ev3.(*Node).Decode"},
		{"gopkg.in/yaml.v3/sub", "gopkg.in/yaml.v3/sub.F", "gopkg.in/yaml.v3/sub.F"},
		{"shop.test", "shop.test", "shop%2etest"},
		{"a/b%c d\"é", "a/b%c d\"é.Größe", "a/b%25c%20d%22%c3%a9.Größe"},
	} {
		if got := RuntimeName(test.pkg, test.id); got != test.want {
			t.Errorf("%s is %s at run time, want %s", test.id, got, test.want)
		}
	}
}
