package generate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"spell-lsp/instrument/generate"
)

// checked unpacks an archive and type-checks a package of it with its test files, as instrument.Checked does.
func checked(t *testing.T, archive, pkg string) (dir string, pkgs []*packages.Package) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, load(t, dir, pkg, nil)
}

func load(t *testing.T, dir, pkg string, overlay map[string][]byte) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule | packages.NeedForTest, Tests: true, Dir: dir, Overlay: overlay}, pkg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Errorf("%s: %v", p.ID, e)
		}
	}
	return pkgs
}

// Type-checking takes long, so these share it.
func TestSignatures(t *testing.T) {
	dir, pkgs := checked(t, "signatures.txtar", "example.com/shop")
	t.Run("compile", func(t *testing.T) { benchmarksCompile(t, dir, pkgs) })
	t.Run("missing", func(t *testing.T) { missingArguments(t, pkgs) })
	t.Run("refused", func(t *testing.T) { argumentsAreRefused(t, pkgs) })
	t.Run("text", func(t *testing.T) { textOfSizes(t, pkgs) })
}

// What is generated compiles, whatever the signature: the benchmark, and the test that tries it.
func benchmarksCompile(t *testing.T, dir string, pkgs []*packages.Package) {
	texts := map[string][]byte{}
	for _, test := range []struct {
		function string
		args     map[string]string
		has      []string // must be in the text
		not      string   // must not
	}{
		{"Fib", nil, []string{`b.Run(fmt.Sprintf("n=%d", n)`, "Fib(n)"}, "order"},
		{"Sum", nil, []string{`fmt.Sprintf("order=%s/n=%d", order, n)`, "Sum(items)"}, "copy"},
		{"Sort", nil, []string{"copy(itemsCopy, items)", "Sort(itemsCopy)"}, ""},
		{"SortInner", nil, []string{"copy(itemsCopy, items)"}, ""},
		{"SortCars", nil, []string{"newCars := func() []*Car", "cars := newCars()", "&Car{Plate: Plate(", "owner: "}, "next"},
		{"Oldest", nil, []string{"Point{X: float64(k), Y: float64(k)}"}, "copy"},
		{"Words", nil, []string{"text := string(textBytes)", "Words(text)"}, ""},
		{"Same", nil, []string{"textBytes[i] = \"abcdefghijklmnopqrstuvwxyz \"[ranks[(i+n/2)%n]*27/n]"}, ""},
		{"Hash", nil, []string{"data := make([]byte, n)"}, "copy"},
		{"Join", nil, []string{"plates := make(map[Plate]*Car, n)", "Join(plates)"}, "Clone"},
		{"Clear", nil, []string{"maps.Clone(plates)"}, ""},
		{"Read", nil, []string{"Read(strings.NewReader(rText))"}, ""},
		{"Find", nil, []string{`wanted := fmt.Sprintf("%06d", n/2)`, "Find(items, wanted)"}, "copy"},
		{"Multiply", nil, []string{"a[row] = make([]float64, n)"}, ""},
		{"Park", nil, []string{"context.Background()"}, ""},
		{"Filter", nil, []string{"func(x int) bool { return x%2 == 0 }"}, ""},
		{"By", nil, []string{"func(x Car, y Car) bool { return x.Plate < y.Plate }"}, ""},
		{"All", nil, []string{"items := slices.Values(itemsList)"}, ""},
		{"Drain", nil, []string{"items := newItems()"}, ""},
		{"Max", nil, []string{"Max[int](items...)"}, ""},
		{"Max", map[string]string{"T": "string"}, []string{"Max[string](items...)"}, ""},
		{"Keys", nil, []string{"Keys[map[int]int, int, int](m)"}, ""},
		{"Map", nil, []string{"Map[[]int, int](list, ", "func(x int) int { return x }"}, ""},
		{"Show", nil, []string{"uint8(n)", "true", "time.Duration(n)"}, ""},
		{"Odd_", nil, nil, ""},
		{"Shapes", nil, []string{"Square{Side: float64(k)}"}, ""},
		{"(*Stack).Push", nil, []string{"&Stack[int]{}", "s.Push(k)", "newS()"}, ""},
		{"(*Stack).Len", nil, []string{"s.Push(k)", "s.Len()"}, "newS"},
		{"(*Stack).Has", nil, []string{"match := func(x int) bool { return x%2 == 0 }", "s.Has(match)"}, ""},
		{"(*Lot).Add", nil, []string{"NewLot(2 * n)", "b.Fatal(err)", "l.Add(Car{", "l.Add(c)", `Plate(fmt.Sprintf("%06d", n))`}, ""},
		{"(*Lot).Find", nil, []string{`Plate(fmt.Sprintf("%06d", n/2))`}, "newL"},
		{"(*Lot).Sort", nil, []string{"l := newL()", "l.Sort()"}, ""},
		{"Grid.Sum", nil, []string{"Grid{cells: "}, "newG"},
		{"(*Grid).Zero", nil, []string{"newG()"}, ""},
		{"List.Sum", nil, []string{"l := make(List, n)"}, ""},
		{"(*List).Add", nil, nil, ""},
		{"(*Cache).Get", nil, []string{"c := NewCache()", `c.Set(fmt.Sprintf("%06d", k), k)`, "c.Get(key)"}, "newC"},
		{"(*Cache).Set", nil, []string{"newC := func() *Cache", "c.Set(key, n)"}, ""},
		{"SortSame", nil, []string{"copy(itemsCopy, items)"}, ""},
		{"SortRest", nil, []string{"copy(itemsCopy, items)"}, ""},
		{"SumSame", nil, []string{"SumSame(items)"}, "copy"},
		{"(*Lot).SortAll", nil, []string{"l := newL()"}, ""},
		{"Rows", nil, []string{"row[rowArg] = make([]float64, n)"}, ""},
		{"(*Lot).Failed", nil, []string{"l, err := NewLot(", "l.Failed(errArg)"}, ""},
		{"(*Clock).Last", nil, []string{"clock.Last(n)"}, ""},
		{"Sum", map[string]string{"items": "sorted"}, []string{`fmt.Sprintf("order=sorted/n=%d", n)`}, "range []string"},
		{"Find", map[string]string{"wanted": `fixed:"x"`, "items": "reversed"}, []string{`Find(items, "x")`, "slices.Reverse(ranks)"}, ""},
		{"Fib", map[string]string{"n": "fixed:n / 1000"}, []string{"Fib(n / 1000)"}, ""},
	} {
		b, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop." + test.function, Arguments: test.args})
		if test.args["n"] != "" { // nothing grows
			if err == nil || !strings.Contains(err.Error(), "there is nothing that its cost could grow with") {
				t.Errorf("%s: %v", test.function, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.function, err)
			continue
		}
		if len(b.Missing) > 0 {
			t.Errorf("%s: %v", test.function, b.Missing)
		}
		text := string(b.Text(b.AllSizes()))
		for _, has := range test.has {
			if !strings.Contains(text, has) {
				t.Errorf("%s: the benchmark has no %s:\n%s", test.function, has, text)
			}
		}
		if test.not != "" && strings.Contains(text, test.not) {
			t.Errorf("%s: the benchmark has %s:\n%s", test.function, test.not, text)
		}
		if test.args == nil {
			texts[b.File()] = []byte(text)
			texts[strings.TrimSuffix(b.File(), "_test.go")+"_trial_test.go"] = renamed(b)
			texts[strings.TrimSuffix(b.File(), "_test.go")+"_guarded_test.go"] = own(b, "Guarded", b.Guarded(b.AllSizes()))
		}
	}
	load(t, dir, "example.com/shop", texts)
}

// Packages are imported under other names where the package has theirs.
func TestNamesOfThePackage(t *testing.T) {
	dir, pkgs := checked(t, "signatures.txtar", "example.com/shop/clash")
	texts := map[string][]byte{}
	for function, effects := range map[string]bool{"slices": true, "os": false} {
		b, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop/clash." + function, Effects: effects})
		if err != nil {
			t.Fatal(err)
		}
		texts[b.File()] = b.Text(b.AllSizes())
		texts[strings.TrimSuffix(b.File(), "_test.go")+"_guarded_test.go"] = own(b, "Guarded", b.Guarded(b.AllSizes()))
		texts[strings.TrimSuffix(b.File(), "_test.go")+"_trial_test.go"] = renamed(b)
	}
	load(t, dir, "example.com/shop/clash", texts)
}

// renamed is the trial of a benchmark with names of its own, so that several compile together.
func renamed(b *generate.Benchmark) []byte { return own(b, "Trial", b.Trial()) }

func own(b *generate.Benchmark, what string, text []byte) []byte {
	return []byte(strings.NewReplacer("SpellLSP", b.Name, "spellLSP", what+b.Name, "func "+b.Name, "func "+b.Name+what).Replace(string(text)))
}

// A number is the size itself, so sizes that it cannot be are left out. What is an element beside others may be any.
func TestNarrowNumbers(t *testing.T) {
	_, pkgs := checked(t, "signatures.txtar", "example.com/shop")
	for function, want := range map[string]string{
		"Narrow": "n=256 and above: parameter n of type uint8 is at most 255",
		"Holds":  "",
	} {
		b, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop." + function})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, wide := range b.TooWide {
			said += wide.String()
		}
		last := generate.DefaultSizes[len(generate.DefaultSizes)-1]
		if want != "" {
			last = 128
		}
		for order, sizes := range b.AllSizes() {
			if sizes[len(sizes)-1] != last || said != want {
				t.Errorf("%s, order %q: sizes %d, left out %q, want up to %d and %q", function, order, sizes, said, last, want)
			}
		}
	}
}

// A function cannot be called where the benchmark has a variable of its name.
func TestNamesOfTheBenchmark(t *testing.T) {
	_, pkgs := checked(t, "signatures.txtar", "example.com/shop")
	if _, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop.order"}); err == nil || err.Error() != "shop.order cannot be called: the benchmark has a variable of that name" {
		t.Error(err)
	}
}

// What cannot be generated is named with the reason, and has a place in the template.
func missingArguments(t *testing.T, pkgs []*packages.Package) {
	for function, want := range map[string][2]string{
		"Closed":        {"parameter h of type example.com/shop/lib.Handler: no generator", "var h lib.Handler // TODO: a value of size n"},
		"Unsendable":    {"parameter c of type chan int: no generator for channels that can be sent to", "var c chan int // TODO"},
		"(*Vault).Open": {"receiver of type *Vault: its constructor NewVault needs h of type example.com/shop/lib.Handler: no generator", "var v *Vault // TODO: a receiver of size n"},
	} {
		b, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop." + function})
		if err != nil {
			t.Errorf("%s: %v", function, err)
			continue
		}
		if len(b.Missing) != 1 || b.Missing[0].String() != want[0] {
			t.Errorf("%s: missing %v, want %s", function, b.Missing, want[0])
		}
		if text := string(b.Text(b.AllSizes())); !strings.Contains(text, want[1]) {
			t.Errorf("%s: the template has no %q:\n%s", function, want[1], text)
		}
	}
}

// What is chosen must be there.
func argumentsAreRefused(t *testing.T, pkgs []*packages.Package) {
	for _, test := range []struct{ function, name, generator, want string }{
		{"Sum", "item", "sorted", "--arg item=sorted: Sum has no parameter item; there are items"},
		{"Sum", "items", "shuffled", `--arg items=shuffled: no generator "shuffled": it must be random, sorted, reversed, equal, n, element, fixed:EXPRESSION`},
		{"Sum", "items", "fixed:[]int{", `--arg items=fixed:[]int{: "[]int{" is no Go expression`},
		{"Max", "T", "sorted", "--arg T=sorted: T is a type parameter: choose int, string, float64, byte or bool"},
		{"Max", "T", "bool", "Max cannot be instantiated: "},
	} {
		_, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop." + test.function, Arguments: map[string]string{test.name: test.generator}})
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s with %s=%s: %v, want %q", test.function, test.name, test.generator, err, test.want)
		}
	}
}

// A trial says which sizes can be measured, and why others cannot, however its process ended.
func TestTrials(t *testing.T) {
	for _, test := range []struct {
		why, output string
		sizes       int
		leftOut     string
		making      float64
		failed      string
	}{
		{"all goes well", "\nspell-lsp-trial begin 16\nnoise\nspell-lsp-trial end 16 100 300 \"\"\nPASS\n", 1, "", 0.25, ""},
		{"errors are told", "spell-lsp-trial begin 16\nspell-lsp-trial end 16 0 300 \"no such car\"\n", 1, "", 0, "no such car"},
		{"a panic is one size", "spell-lsp-trial begin 16\nspell-lsp-trial panic 16 \"index 3\\nmore\"\nspell-lsp-trial begin 32\nspell-lsp-trial end 32 0 1 \"\"\n", 1, "n=16: a call ends with: index 3", 0, ""},
		{"a slow call is the end", "spell-lsp-trial begin 16\nspell-lsp-trial slow 16\n", 0, "n=16 and above: a call takes more than 1s", 0, ""},
		{"so is a large one", "spell-lsp-trial begin 16\nspell-lsp-trial memory 16\n", 0, "n=16 and above: a call and its arguments take more than 1 GB", 0, ""},
		{"the process dies", "spell-lsp-trial begin 16\nruntime: goroutine stack exceeds\nfatal error: stack overflow\n", 0, "n=16 and above: the process ends: fatal error: stack overflow", 0, ""},
		{"it is killed", "spell-lsp-trial begin 16\n", 0, "n=16 and above: the process ends: without a word", 0, ""},
	} {
		got := generate.TriedOf("random", test.output)
		said, failed := "", ""
		for _, f := range got.Failed {
			failed += f.Error
		}
		for _, l := range got.LeftOut {
			said += l.String()
		}
		if test.output != "" && len(got.Lost([]int{16})) != 0 || len(got.Lost([]int{8})) != 1 {
			t.Errorf("%s: %v are lost of 16, and %v of 8", test.why, got.Lost([]int{16}), got.Lost([]int{8}))
		}
		if len(got.Sizes) != test.sizes || said != test.leftOut || got.Making != test.making || failed != test.failed {
			t.Errorf("%s: %+v, left out %q", test.why, got, said)
		}
	}
}

// Sizes that cannot be measured are not in the benchmark, and what is there is what a user would write.
func textOfSizes(t *testing.T, pkgs []*packages.Package) {
	b, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop.Sort"})
	if err != nil {
		t.Fatal(err)
	}
	if _, text := b.Kept(b.AllSizes()); string(text) != wholeBenchmark {
		t.Errorf("all sizes:\n%s", text)
	}
	if name, _ := b.Kept(b.AllSizes()); filepath.Base(name) != "grow_sort_test.go" {
		t.Errorf("the file is %s", name)
	}
	hash, err := generate.Of(pkgs, generate.Params{Function: "example.com/shop.Hash"})
	if err != nil || filepath.Base(hash.File()) != "grow_hash2_test.go" {
		t.Errorf("where a file has that name it is %v, %v", hash, err)
	}
	text := string(b.Text(generate.Sizes{"random": {16, 32, 64}, "sorted": {16, 64}}))
	if !strings.Contains(text, `{"random", []int{16, 32, 64}},`) || !strings.Contains(text, `{"sorted", []int{16, 64}},`) || !strings.Contains(text, "for _, n := range series.sizes {") {
		t.Errorf("sizes that differ by order:\n%s", text)
	}
	if text := string(b.Text(generate.Sizes{"random": {16, 20, 64}})); !strings.Contains(text, "for _, n := range []int{16, 20, 64} {") {
		t.Errorf("sizes that do not double:\n%s", text)
	}
}

const wholeBenchmark = `package shop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkGrow_Sort calls Sort with arguments of growing size.
func BenchmarkGrow_Sort(b *testing.B) {
	for _, order := range []string{"random", "sorted", "reversed", "equal"} {
		for n := 16; n <= 65536; n *= 2 {
			b.Run(fmt.Sprintf("order=%s/n=%d", order, n), func(b *testing.B) {
				ranks := rand.New(rand.NewPCG(1, 2)).Perm(n) // of the elements
				switch order {
				case "sorted":
					slices.Sort(ranks)
				case "reversed":
					slices.Sort(ranks)
					slices.Reverse(ranks)
				case "equal":
					clear(ranks)
				}
				items := make([]int, n)
				for i, k := range ranks {
					items[i] = k
				}
				itemsCopy := slices.Clone(items)
				for b.Loop() {
					copy(itemsCopy, items)
					Sort(itemsCopy)
				}
			})
		}
	}
}
`
