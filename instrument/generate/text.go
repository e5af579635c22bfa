package generate

import (
	"fmt"
	"go/format"
	"go/version"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Sizes are the sizes with which a benchmark calls its function, by order; by "" where it has no orders.
type Sizes map[string][]int

// AllSizes are all sizes that were asked for, in all orders.
func (b *Benchmark) AllSizes() Sizes {
	sizes := make(Sizes)
	for _, order := range b.orders() {
		sizes[order] = b.sizes
	}
	return sizes
}

// orders are the orders, or one without a name.
func (b *Benchmark) orders() []string {
	if len(b.Orders) == 0 {
		return []string{""}
	}
	return b.Orders
}

// Text is the benchmark as a file of its package, formatted. It is what a test file of the package can have in it: see
// Kept.
func (b *Benchmark) Text(sizes Sizes) []byte { return b.text(sizes, "", "") }

// text has statements at the beginning of the benchmark, and declarations behind it.
func (b *Benchmark) text(sizes Sizes, begin, rest string) []byte {
	var body strings.Builder
	fmt.Fprintf(&body, "// %s calls %s with arguments of growing size.\nfunc %s%s", b.Name, b.shortName(), b.Name, b.plan.own("(b *testing.B) {\n"))
	if b.effects {
		body.WriteString(homeCode)
	}
	body.WriteString(begin)
	b.writeLoops(&body, sizes)
	body.WriteString("}\n" + rest)
	return b.file(body.String())
}

// homeCode gives a benchmark a home of its own. A user's settings and temporary files have places that are set apart from it.
const homeCode = `home := b.TempDir()
for _, name := range []string{"HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
b.Setenv(name, home)
}
b.Chdir(home)
`

// home is the home of a benchmark, for code that ends the process and has to remove it.
func (b *Benchmark) home() string {
	if b.effects {
		return "home"
	}
	return `""`
}

// Guarded is Text with a guard, as it is measured: a function whose calls leave something behind, in a variable say,
// would use up the memory of the machine, because a benchmark calls it very often. Its process ends then.
func (b *Benchmark) Guarded(sizes Sizes) []byte {
	guard := "spellLSPGuard" + strings.TrimPrefix(b.Name, "Benchmark") // alternatives may be of one package
	code := fmt.Sprintf(guardCode, int64(2*MemoryLimit), b.shortName(), guard)
	return b.text(sizes, "spellLSPDone := make(chan bool)\ndefer close(spellLSPDone)\ngo "+guard+"("+b.home()+", spellLSPDone)\n", b.plan.own(code))
}

// guardCode looks so rarely that it takes no time to speak of. Twice the memory are what is live, and garbage.
const guardCode = `
func %[3]s(home string, done chan bool) {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	for {
		select {
		case <-done:
			return
		case <-time.After(50 * time.Millisecond):
		}
		if metrics.Read(used); used[0].Value.Uint64() > %[1]d || used[1].Value.Uint64()+used[2].Value.Uint64() > 2*%[1]d {
			fmt.Fprintln(os.Stderr, "calls of %[2]s leave memory behind, more than 2 GB by now: a benchmark, which calls it very often, cannot measure it")
			if home != "" {
				os.RemoveAll(filepath.Dir(home)) // as the test does at its end
			}
			os.Exit(1)
		}
	}
}
`

// Kept is the benchmark as a file that a user keeps in the package: its name, absolute, which no file has, and its
// text. It has what was generated, and nothing that needs spell-lsp.
func (b *Benchmark) Kept(sizes Sizes) (name string, text []byte) { return b.File(), b.Text(sizes) }

// shortName is the function as source in its package names it.
func (b *Benchmark) shortName() string { return strings.TrimPrefix(b.Function, b.Package+".") }

// writeLoops writes the loops over orders and sizes around the benchmark of one of them.
func (b *Benchmark) writeLoops(body *strings.Builder, sizes Sizes) {
	var orders []string
	for _, order := range b.orders() {
		if len(sizes[order]) > 0 {
			orders = append(orders, order)
		}
	}
	same := !slices.ContainsFunc(orders, func(order string) bool { return !slices.Equal(sizes[order], sizes[orders[0]]) })
	ends, name := 0, `fmt.Sprintf("n=%d", n)`
	loop := "for _, n := range %s {\n"
	switch {
	case len(orders) == 0: // nothing could be called
		orders = []string{""}
	case len(b.Orders) == 1:
	case len(b.Orders) > 1 && same:
		fmt.Fprintf(body, "for _, order := range []string{%s} {\n", quoted(orders))
		ends++
	case len(b.Orders) > 1:
		body.WriteString("for _, series := range []struct {\norder string\nsizes []int\n}{\n")
		for _, order := range orders {
			fmt.Fprintf(body, "{%q, %s},\n", order, list(sizes[order]))
		}
		body.WriteString("} {\norder := series.order\n")
		ends++
	}
	switch len(b.Orders) {
	case 0:
	case 1:
		name = `fmt.Sprintf("order=` + b.Orders[0] + `/n=%d", n)`
	default:
		name = `fmt.Sprintf("order=%s/n=%d", order, n)`
	}
	if b.label != "" {
		name = strings.Replace(name, `"`, `"func=`+b.label+`/`, 1)
	}
	if first := sizes[orders[0]]; same {
		if last := len(first) - 1; last > 0 && slices.Equal(first, Doubling(first[0], first[last])) {
			fmt.Fprintf(body, "for n := %d; n <= %d; n *= 2 {\n", first[0], first[last])
		} else {
			fmt.Fprintf(body, loop, list(first))
		}
	} else {
		body.WriteString("for _, n := range series.sizes {\n")
	}
	fmt.Fprintf(body, "%s", b.plan.own("b.Run("+name+", func(b *testing.B) {\n"))
	b.writeSetup(body)
	body.WriteString("for b.Loop() {\n")
	for _, a := range b.plan.arguments {
		writeLines(body, a.renew)
	}
	body.WriteString(b.plan.call + "\n}\n})\n}\n" + strings.Repeat("}\n", ends))
}

// writeSetup writes what is made before the calls.
func (b *Benchmark) writeSetup(body *strings.Builder) {
	if b.plan.ordered {
		body.WriteString(b.plan.own("ranks := rand.New(rand.NewPCG(1, 2)).Perm(n) // of the elements\n"))
		if len(b.Orders) > 1 {
			body.WriteString(b.plan.own("switch order {\ncase \"sorted\":\nslices.Sort(ranks)\ncase \"reversed\":\nslices.Sort(ranks)\nslices.Reverse(ranks)\ncase \"equal\":\nclear(ranks)\n}\n"))
		} else if len(b.Orders) == 1 {
			body.WriteString(b.plan.own(map[string]string{"random": "", "sorted": "slices.Sort(ranks)\n", "reversed": "slices.Sort(ranks)\nslices.Reverse(ranks)\n", "equal": "clear(ranks)\n"}[b.Orders[0]]))
		}
	}
	for _, a := range b.plan.arguments {
		writeLines(body, a.setup)
	}
}

func writeLines(body *strings.Builder, lines []string) {
	for _, line := range lines {
		body.WriteString(line + "\n")
	}
}

// file is a file of the package with a body, and the imports that it uses.
func (b *Benchmark) file(body string) []byte {
	named := b.plan.imports
	var text strings.Builder
	if m := b.pkg.Module; m != nil && version.Compare("go"+m.GoVersion, neededGo) < 0 {
		text.WriteString("//go:build " + neededGo + "\n\n")
	}
	fmt.Fprintf(&text, "package %s\n\nimport (\n", b.plan.types.Name())
	for _, path := range slices.Sorted(maps.Keys(named)) {
		if !regexp.MustCompile(`\b` + named[path] + `\.`).MatchString(body) {
			continue
		}
		if named[path] != baseName(path) {
			text.WriteString(named[path] + " ")
		}
		text.WriteString(strconv.Quote(path) + "\n")
	}
	text.WriteString(")\n\n" + body)
	formatted, err := format.Source([]byte(text.String()))
	if err != nil { // a template has what was typed by hand
		return []byte(text.String())
	}
	return formatted
}

// neededGo is the first release with B.Loop. Where go.mod names an earlier one, a build constraint says so, which also
// gives the file the language of that release.
const neededGo = "go1.24"

// ownImports are the packages that code uses beside arguments, by the names that it has for them.
var ownImports = map[string]string{
	"atomic": "sync/atomic", "filepath": "path/filepath", "fmt": "fmt", "metrics": "runtime/metrics", "os": "os", "rand": "math/rand/v2", "slices": "slices",
	"syscall": "syscall", "testing": "testing", "time": "time",
}

var ownImport = regexp.MustCompile(`\b(atomic|filepath|fmt|metrics|os|rand|slices|syscall|testing|time)\.`)

// own is code with the names under which packages are imported.
func (p *plan) own(code string) string {
	return ownImport.ReplaceAllStringFunc(code, func(name string) string {
		return p.imported(ownImports[strings.TrimSuffix(name, ".")]) + "."
	})
}

// baseName is how a package of the standard library is called.
func baseName(path string) string {
	if path == "math/rand/v2" {
		return "rand"
	}
	return filepath.Base(path)
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strconv.Quote(name)
	}
	return strings.Join(list, ", ")
}

func list(sizes []int) string {
	text := make([]string, len(sizes))
	for i, n := range sizes {
		text[i] = strconv.Itoa(n)
	}
	return "[]int{" + strings.Join(text, ", ") + "}"
}
