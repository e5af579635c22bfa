package gosource

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Budgets belong to the function directly below them; all others are stray.
func TestBudgets(t *testing.T) {
	const src = `package p

//spell:budget 1 J/call
// F is.
//spell:budget 2 J/call, 3 calls/test // why
func F() {
	//spell:budget 3 J/call
}

//spell:budget 4 J/call

func (t *T[K]) M() {}

//spell:budget 5 J/call
func asm()

//spell:budget 6 J/call
type T[K any] struct{}

//line other.go:100
//spell:budget 7 J/call
func G() {}

func H() {} //spell:budget 8 J/call
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	funcs := Functions(fset, file, []byte(src))
	var got []string
	add := func(of string, list []Budget) {
		for _, b := range list {
			got = append(got, fmt.Sprintf("%s: line %d: %s", of, b.From.Line, b.Amounts))
			if !strings.HasPrefix(src[b.From.Offset:], "//spell:budget") || !strings.HasPrefix(src[b.AmountFrom:], b.Amounts) {
				t.Errorf("%q is not where it says", b.Amounts)
			}
		}
	}
	for i := range funcs {
		add(funcs[i].Name, funcs[i].Budgets(fset, []byte(src)))
	}
	add("stray", StrayBudgets(fset, file, funcs, []byte(src)))
	want := []string{
		"F: line 3: 1 J/call", "F: line 5: 2 J/call, 3 calls/test", "G: line 21: 7 J/call",
		"stray: line 7: 3 J/call", "stray: line 10: 4 J/call", "stray: line 14: 5 J/call", "stray: line 17: 6 J/call", "stray: line 24: 8 J/call",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("budgets (-want +got):\n%s", diff)
	}
	crlf := strings.ReplaceAll("package p\n\n//spell:budget 1 J/call // why\nfunc F() {}\n", "\n", "\r\n")
	if list := budgetsOfFirst(t, crlf); len(list) != 1 || list[0].Amounts != "1 J/call" || !strings.HasPrefix(crlf[list[0].AmountFrom:], "1 J/call //") {
		t.Errorf("with Windows line endings the budgets are %+v", list)
	}
	with := strings.Replace("package p\n"+strings.Repeat("//spell:budget 1 J/call\n", 2)+"func F() {}\n", "1 J", "2 J", 1)
	if functions(t, "x.go", with)[0].Hash != functions(t, "x.go", "package p\nfunc F() {}\n")[0].Hash {
		t.Error("a budget changes the hash of its function")
	}
}

// budgetsOfFirst are the budgets of the first function.
func budgetsOfFirst(t *testing.T, src string) []Budget {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return Functions(fset, file, []byte(src))[0].Budgets(fset, []byte(src))
}
