package outline

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
)

const parked = `package park

func (p *Park) Add(c Car) { p.cars = append(p.cars, c) }

func oldest(cars []Car) Car {
	return cars[0]
}

var less = func(a, b Car) bool { return a.Plate < b.Plate }

func init() { register(less) }
`

// While the user types, the text seldom parses. Functions must stay at their names, and only those
// that the edit touched may be marked as edited.
func TestEditedSource(t *testing.T) {
	for _, c := range []struct{ why, old, new, want string }{
		{"nothing changed", "", "", "(*Park).Add oldest init.func init"},
		{"a broken line above moves all", "package park\n", "package park\n\nfunc (", "(*Park).Add oldest init.func init"},
		{"a broken body marks its function", "return cars[0]", "return cars[", "(*Park).Add oldest! init.func init"},
		{"a broken parameter list too", "oldest(cars []Car)", "oldest(cars []", "(*Park).Add oldest! init.func init"},
		{"a name that is being typed is gone", "func oldest(", "func olde+(", "(*Park).Add init.func init"},
		{"a deleted function is gone", "func oldest(cars []Car) Car {\n\treturn cars[0]\n}\n", "%", "(*Park).Add init.func init"},
		{"a broken end of the file", "init() { register(less) }\n", "init() { register(", "(*Park).Add oldest init.func init!"},
	} {
		before := NewSource(parked, nil)
		before.Outline()
		text := strings.Replace(parked, c.old, c.new, 1)
		after := NewSource(text, before).Outline()
		if intact := c.old == c.new; after.intact != intact {
			t.Errorf("%s: intact is %v", c.why, after.intact)
		}
		var got []string
		for _, f := range after.Functions {
			if f.Kind != spell.KindFunction {
				continue
			}
			name := f.Name
			if f.Touched {
				name += "!"
			}
			got = append(got, name)
			word := text[f.From:f.To]
			if word != "func" && !strings.HasSuffix(f.Name, word) {
				t.Errorf("%s: the name of %s is at %q", c.why, f.Name, word)
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, must be %s", c.why, got, c.want)
		}
	}
}

// wholly returns the outline that reparse should return, from the whole text.
func (f *Outline) wholly(text string) *Outline {
	if whole := Parse(text); whole.intact {
		return whole
	}
	return f.carryOver(text)
}

// Parsing an edited function alone must give the same outline as parsing the whole file: otherwise
// an edited function would look fresh. Offsets must be inside the text: otherwise a request for
// lenses would panic.
func FuzzEditedSource(f *testing.F) {
	f.Add("package p\nfunc f() {}\n", "package p\nfunc f() {\n")
	f.Add("package p\nfunc f() {}\nfunc f() {}\n", "package p\nfunc f() {}\nfunc f() {}\nfunc f(")
	f.Add("package p\nfunc ff() {}\n", "p(")
	f.Add("package p\ntype a = T\n//go:noinline\nfunc (x a) f() { /* */ }; func g() {}\n", "package p\ntype a = T\n//go:noinline\nfunc (x a) f() { x() /* */ }; func g() {}\n")
	f.Add("package p\nfunc f() { g() }\nvar x = func() {}\n", "package p\nfunc f() { g() }; func h() { i() }\nvar x = func() {}\n")
	f.Add("package p\nfunc f() {}\n", "package p\nfunc f()\nfunc g() {}\n")
	f.Add("package p\nfunc f() {}\nfunc (x f) g() {}\n", "package p\nfunc f() { {}\nfunc (x f) g() {}\n")
	f.Add("package p\nfunc f() {} // `\nvar x = 1 // `\n", "package p\nfunc f() {`} // `\nvar x = 1 // `\n")
	f.Add("package p\nfunc f() {}; func g() {}\n", "package p\nfunc f() { if }; func g() {}\n")
	f.Add("package p\nfunc f() {}\n", "package p\nfunc f() {}\n")
	f.Add("package p\n\n\t//line buffer: see below\nfunc f() { g() }\n", "package p\n\n\t//line buffer: see below\nfunc f() { h() }\n")
	f.Add("package p\n//line x.go:7\nfunc f() { g() }\n", "package p\n//line x.go:7\nfunc f() { h() }\n")
	f.Add("package p\r\nfunc f() {}\r\nfunc g() {}\r\n", "package p\r\nfunc f() { if }\r\nfunc g() {}\r\n")
	f.Add("package p\n// f\n\nfunc f() {\n}\n", "package p\n// f\n\nfunc f() {\n//go:noinline\n}\n")
	f.Add("package p\n//spell:budget 1 J/call\nfunc f() {\n}\n//spell:budget 2 J/call\nfunc g() {}\n", "package p\n//spell:budget 1 J/call\nfunc f() {\n//spell:budget 3 J/call\n}\n//spell:budget 2 J/call\nfunc g() {}\n")
	f.Add("0", "package p\n//spell:budget 1 \r/call\nfunc f() {///rpel")
	f.Add("package p\n//spell:budget 1 J/call\nfunc f() {}\n", "package p\n//spell:budget 2 J/call\nfunc f() {\n")
	f.Add("package p\nvar f = func() {\n}\n", "package p\nvar f = func() { g() \n}\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		old := NewSource(before, nil)
		if old.Outline().intact {
			whole := old.outline.wholly(after)
			if part := old.outline.reparse(after); part != nil && !cmp.Equal(part, whole, cmp.AllowUnexported(Outline{}, Function{})) {
				t.Errorf("%q to %q:\n%+v alone,\n%+v of the whole", before, after, part, whole)
			}
		}
		for _, g := range NewSource(after, old).Outline().Functions {
			for _, b := range g.Budgets {
				if b.From < 0 || b.From > b.To || b.To > len(after) || !strings.HasSuffix(after[b.From:b.To], b.Amounts) {
					t.Errorf("%q to %q: budget %+v", before, after, b)
				}
			}
			if g.Start < 0 || g.Start > g.From || g.From > g.To || g.To > g.End || g.End > len(after)+1 {
				t.Errorf("%q to %q: function %+v of %d bytes", before, after, g, len(after))
			}
		}
	})
}

// The lens "measure energy" must be above every test that go test runs, and above nothing else.
func TestIsTest(t *testing.T) {
	text := `package p
func Test(t *testing.T) {}
func TestA(t *testing.T) {}
func Test_a(*testing.T) {}
func TestÄ(t *testing.T) {}
func BenchmarkA(b *testing.B) {}
func Testa(t *testing.T) {}
func TestMain(m *testing.M) {}
func TestB(t testing.T) {}
func TestC(t *testing.B) {}
func TestD(t *testing.T, n int) {}
func TestE[T any](t *testing.T) {}
func TestF() {}
func (s Suite) TestG(t *testing.T) {}
func helper(t *testing.T) {}
`
	var got []string
	for _, f := range NewSource(text, nil).Outline().Functions {
		if f.Test {
			got = append(got, f.Name)
		}
	}
	if got := strings.Join(got, " "); got != "Test TestA Test_a TestÄ BenchmarkA" {
		t.Errorf("tests are %s", got)
	}
}

// After an edit within one function, only that function is parsed. Whatever was typed, parsing the
// whole file must give the same outline.
func TestReparsed(t *testing.T) {
	fragments := []string{"x()", "}", "{", "{}", "`", `"`, "'", "/*", "*/", "// why\n", "\n", "\n}\n\nfunc g() {\n", "func() {}", ";", "//go:noinline\n", "//spell:budget 1 J/call\n", "\r\n", "if x {\n}\n", ")"}
	rng := rand.New(rand.NewPCG(1, 2))
	alone, broken, declined := 0, 0, 0
	for _, name := range []string{"outline.go", "source_test.go", "../lifecycle.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		before := Parse(string(text))
		for range 300 {
			at := rng.IntN(len(text))
			to := min(len(text), at+rng.IntN(3)*rng.IntN(10))
			after := before.text[:at] + fragments[rng.IntN(len(fragments))] + before.text[to:]
			part := before.reparse(after)
			if part == nil {
				declined++
				continue
			}
			alone++
			if !part.intact {
				broken++
			}
			if diff := cmp.Diff(before.wholly(after), part, cmp.AllowUnexported(Outline{}, Function{})); diff != "" {
				t.Fatalf("%s with %q (-from the whole file, +from the function alone):\n%s", name, after[at-20:at+20], diff)
			}
		}
	}
	if alone < 300 || broken < 100 || declined < 100 {
		t.Errorf("%d edits were parsed alone, %d of them broken, and %d were not: too few to prove anything", alone, broken, declined)
	}
}

// Budgets stay with their functions while the text does not parse, unless they are edited.
func TestBudgetsOfEditedSource(t *testing.T) {
	const text = "package p\n\n//spell:budget 1 J/call\nfunc f() {}\n\n//spell:budget 2 J/call\nfunc g() {}\n\n//spell:budget 3 J/call\n\nvar x = 1\n"
	for _, c := range []struct{ why, old, new, want string }{
		{"nothing changed", "", "", "f: 1 J/call, g: 2 J/call, stray: 3 J/call"},
		{"another amount", "1 J/call", "5 ms/call", "f: 5 ms/call, g: 2 J/call, stray: 3 J/call"},
		{"a line above", "package p\n", "package p\n\n// here\n", "f: 1 J/call, g: 2 J/call, stray: 3 J/call"},
		{"an edited body", "f() {}", "f() { g() }", "f: 1 J/call, g: 2 J/call, stray: 3 J/call"},
		{"one in a body", "f() {}", "f() {\n//spell:budget 4 J/call\n}", "f: 1 J/call, g: 2 J/call, stray: 4 J/call, stray: 3 J/call"},
		{"a body that does not parse", "f() {}", "f() {{}", "f: 1 J/call, g: 2 J/call"},
		{"a line above that does not parse", "package p\n", "package p\n\nfunc (\n", "f: 1 J/call, g: 2 J/call"},
	} {
		before := NewSource(text, nil)
		before.Outline()
		after := strings.Replace(text, c.old, c.new, 1)
		found := NewSource(after, before).Outline()
		var got []string
		for _, f := range found.Functions {
			for _, b := range f.Budgets {
				got = append(got, f.Name+": "+b.Amounts)
				if !strings.HasSuffix(after[b.From:b.To], b.Amounts) {
					t.Errorf("%s: %s is at %q", c.why, b.Amounts, after[b.From:b.To])
				}
			}
		}
		for _, b := range found.Stray {
			got = append(got, "stray: "+b.Amounts)
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// Budgets are inside of the text after any deletion, and where it parses they are those of a text
// that is read for the first time.
func TestBudgetsAfterDeletions(t *testing.T) {
	const text = "package p\n\n//spell:budget 1 J/call\nfunc F() {}\n\n//spell:budget 2 J/call\nfunc G() {\n\treturn\n}\n//spell:budget 5 J/call\n"
	for from := range text {
		for to := from + 1; to <= len(text); to++ {
			before := NewSource(text, nil)
			before.Outline()
			after := text[:from] + text[to:]
			got, want := NewSource(after, before).Outline(), Parse(after)
			for _, f := range got.Functions {
				for _, b := range f.Budgets {
					if b.From < 0 || b.From > b.To || b.To > len(after) {
						t.Errorf("without %q, %s has a budget at %d to %d", text[from:to], f.Name, b.From, b.To)
					}
				}
			}
			if !want.intact {
				continue
			}
			if diff := cmp.Diff(budgetsByName(want), budgetsByName(got)); diff != "" {
				t.Errorf("without %q (-want +got):\n%s", text[from:to], diff)
			}
		}
	}
}

// budgetsByName are the budgets of an outline by function, the stray ones under "".
func budgetsByName(o *Outline) map[string][]Budget {
	all := make(map[string][]Budget)
	for _, f := range o.Functions {
		all[f.Name] = append(all[f.Name], f.Budgets...)
	}
	all[""] = append(all[""], o.Stray...)
	return all
}
