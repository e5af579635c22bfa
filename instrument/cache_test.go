package instrument

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/instrument/overlay"
	"spell-lsp/spell"
	"spell-lsp/spell/wording"
)

// A shop is a module that is prepared again and again with one cache.
type shop struct {
	*testing.T
	dir, cache string
}

func newShop(t *testing.T) *shop {
	builds(t)
	return &shop{t, unpack(t, "testdata/cache.txtar"), t.TempDir()}
}

// prepare returns also whether the compiler was asked for its report, which
// happens if a package's text is made anew.
func (s *shop) prepare(change ...func(*Params)) (b *Build, asked bool) {
	s.Helper()
	p := Params{Dir: s.dir, Temp: s.TempDir(), Cache: s.cache, Run: func(cmd *exec.Cmd) error {
		if slices.Contains(cmd.Args, "-export") {
			asked = true
		}
		return cmd.Run()
	}}
	for _, f := range change {
		f(&p)
	}
	b, err := Prepare(s.Context(), p)
	if err != nil {
		s.Fatal(err)
	}
	return b, asked
}

func (s *shop) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

// rows lists the components by row.
func rows(b *Build) map[string]int {
	rows := make(map[string]int)
	for i, c := range b.Components {
		if c.ID != "" {
			rows[strings.TrimPrefix(c.ID, "example.com/shop/")] = i + 1
		}
	}
	return rows
}

// texts are the files that the overlay puts in place of the module's.
func (s *shop) texts(b *Build) map[string]string {
	s.Helper()
	texts := make(map[string]string)
	for original, copied := range must(overlay.Read(b.Overlay)) {
		if rel, err := filepath.Rel(s.dir, original); err == nil && !strings.HasPrefix(rel, "..") {
			texts[rel] = readText(copied)
		}
	}
	return texts
}

func TestUnchangedPackagesAreTakenFromTheCache(t *testing.T) {
	s := newShop(t)
	first, asked := s.prepare()
	if !asked || len(s.texts(first)) != 3 {
		t.Fatalf("asked the compiler: %v; files with probes: %v", asked, s.texts(first))
	}
	again, asked := s.prepare()
	if asked {
		t.Error("the compiler was asked again")
	}
	first.Overlay, again.Overlay = "", ""
	if diff := cmp.Diff(first, again, cmp.AllowUnexported(gocmd.Toolchain{})); diff != "" {
		t.Errorf("what comes from the cache differs (-first +again):\n%s", diff)
	}
}

// A build with the overlay of another temporary folder is the same build.
func TestUnchangedPackagesAreNotCompiledAgain(t *testing.T) {
	s := newShop(t)
	compiled := func() int {
		b, _ := s.prepare()
		cmd := exec.Command("go", "test", "-c", "-x", "-vet=off", "-overlay", b.Overlay, "-o", t.TempDir()+"/", "./...")
		cmd.Dir = s.dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Count(string(out), "compile -o")
	}
	if n := compiled(); n == 0 {
		t.Error("nothing was compiled the first time: the test proves nothing")
	}
	if n := compiled(); n != 0 {
		t.Errorf("%d packages were compiled the second time", n)
	}
}

func TestOtherPackagesKeepTheirTextWhenOneGrows(t *testing.T) {
	s := newShop(t)
	before, _ := s.prepare()
	texts := s.texts(before)

	s.write("price/price.go", readText(filepath.Join(s.dir, "price/price.go"))+"\nfunc More() {}\n")
	within, asked := s.prepare()
	if want := map[string]int{"price.Of": rows(before)["price.Of"], "price.each": rows(before)["price.each"], "price.More": rows(before)["price.each"] + 1}; !asked {
		t.Error("the changed package was taken from the cache")
	} else if got := onlyOf(rows(within), "price."); cmp.Diff(want, got) != "" {
		t.Errorf("rows of a package that grew a little: %v, want %v", got, want)
	}

	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, "\nfunc F%d() {}\n", i)
	}
	s.write("price/more.go", "package price\n"+many.String())
	after, _ := s.prepare()
	if got := onlyOf(rows(after), "price."); len(got) != 23 || got["price.Of"] == rows(before)["price.Of"] {
		t.Errorf("rows of a package that grew much: %v, want 23 at another place", got)
	}
	checkRows(t, after)
	for _, name := range []string{"shop.go", "stock/stock.go"} {
		if diff := cmp.Diff(texts[name], s.texts(after)[name]); diff != "" {
			t.Errorf("%s, which did not change, has another text (-before +after):\n%s", name, diff)
		}
	}
}

func readText(name string) string { return string(must(os.ReadFile(name))) }

func onlyOf(rows map[string]int, prefix string) map[string]int {
	for id := range rows {
		if !strings.HasPrefix(id, prefix) {
			delete(rows, id)
		}
	}
	return rows
}

// checkRows looks for the rows of the components in the texts.
func checkRows(t *testing.T, b *Build) {
	t.Helper()
	all := ""
	for original, copied := range must(overlay.Read(b.Overlay)) {
		if strings.HasPrefix(original, b.Root) {
			all += readText(copied)
		}
	}
	for id, row := range rows(b) {
		name := id[strings.LastIndexByte(id, '.')+1:]
		in := strings.Contains(all, fmt.Sprintf("(%d)", row)) || strings.Contains(all, fmt.Sprintf("(%d, ", row))
		if !in || !strings.Contains(all, "func "+name+"(") {
			t.Errorf("row %d of %s is not in a text", row, id)
		}
	}
}

// What was excluded must lose its probes at once, and get them back.
func TestWhatIsExcludedIsPartOfTheKey(t *testing.T) {
	s := newShop(t)
	s.prepare()
	exclude := func(p *Params) { p.Exclude = []string{"stock"} }
	b, asked := s.prepare(exclude)
	if _, measured := rows(b)["stock.Take"]; measured || !asked {
		t.Errorf("the excluded function is measured: %v, the text was made anew: %v", measured, asked)
	}
	if want := []string{"example.com/shop/stock.Take"}; cmp.Diff(want, b.Unprobed) != "" {
		t.Errorf("functions without a probe: %q, want %q", b.Unprobed, want)
	}
	if _, asked = s.prepare(exclude); asked {
		t.Error("the exclusion is not kept")
	}
	if b, asked = s.prepare(); asked || rows(b)["stock.Take"] == 0 {
		t.Errorf("without the exclusion: text made anew %v, rows %v", asked, rows(b))
	}
	_, asked = s.prepare(func(p *Params) { p.Tags = []string{"other"} })
	if !asked {
		t.Error("other build tags were given the same text")
	}
}

// One function can be left out by its ID: it must lose its probe at once, be
// named as such, and not be called a glob that matches nothing.
func TestAFunctionIsExcludedByItsID(t *testing.T) {
	s := newShop(t)
	s.prepare()
	b, asked := s.prepare(func(p *Params) { p.Exclude = []string{"stock.Take", "stock.None"} })
	if _, measured := rows(b)["stock.Take"]; measured || !asked {
		t.Errorf("the excluded function is measured: %v, the text was made anew: %v", measured, asked)
	}
	if want := []string{"example.com/shop/stock.Take"}; cmp.Diff(want, b.Unprobed) != "" {
		t.Errorf("functions without a probe: %q, want %q", b.Unprobed, want)
	}
	all := strings.Join(wording.Texts(b.Notes), "\n")
	if strings.Contains(all, "Take") || !strings.Contains(all, `entry "stock.None" matches nothing`) {
		t.Errorf("warnings: %q", all)
	}
	if b, asked = s.prepare(); asked || rows(b)["stock.Take"] == 0 {
		t.Errorf("without the exclusion: text made anew %v, rows %v", asked, rows(b))
	}
}

// Files that are not what was written count as absent, whoever broke them.
func TestDamagedEntriesAreMadeAnew(t *testing.T) {
	whole := newShop(t)
	first, _ := whole.prepare()
	want := whole.texts(first)
	for _, damage := range []struct {
		name string
		do   func(file string) error
	}{
		{"cut", func(file string) error { return os.Truncate(file, 20) }},
		{"emptied", func(file string) error { return os.Truncate(file, 0) }},
		{"removed", os.Remove},
		{"changed", func(file string) error {
			text := must(os.ReadFile(file))
			text[len(text)-2] ^= 1
			return os.WriteFile(file, text, 0o600)
		}},
	} {
		t.Run(damage.name, func(t *testing.T) {
			s := &shop{t, whole.dir, whole.cache}
			n := 0
			err := filepath.WalkDir(s.cache, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() || d.Name() == "trimmed" {
					return err
				}
				n++
				return damage.do(path)
			})
			if err != nil || n < 8 {
				t.Fatalf("damaged %d files: %v", n, err)
			}
			again, asked := s.prepare()
			if !asked {
				t.Error("nothing was made anew")
			}
			if diff := cmp.Diff(want, s.texts(again)); diff != "" {
				t.Errorf("texts (-before +after):\n%s", diff)
			}
			if _, asked = s.prepare(); asked {
				t.Error("what was made anew is not kept")
			}
		})
	}
}

// The structure of functions is that of the source as it is: what another package calls is looked at again
// when that one changed, with or without the cache.
func TestStructureFollowsTheSource(t *testing.T) {
	s := newShop(t)
	structures := func(change ...func(*Params)) map[string]spell.Structure {
		b, _ := s.prepare(change...)
		found := make(map[string]spell.Structure)
		for _, c := range b.Components {
			if c.ID != "" {
				found[strings.TrimPrefix(c.ID, "example.com/")] = c.Structure
			}
		}
		return found
	}
	want := map[string]spell.Structure{
		"shop.Buy":        {Complexity: 1, LinesOfCode: 4, FanOut: 2},
		"shop/price.Of":   {Complexity: 1, LinesOfCode: 4, FanIn: 1, FanOut: 1},
		"shop/price.each": {Complexity: 1, LinesOfCode: 1, FanIn: 1},
		"shop/stock.Take": {Complexity: 2, LinesOfCode: 6, FanIn: 1},
	}
	check := func(when string, change ...func(*Params)) {
		t.Helper()
		if diff := cmp.Diff(want, structures(change...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("made")
	kept := must(filepath.Glob(filepath.Join(s.cache, "structures", "*")))
	if len(kept) != 1 {
		t.Errorf("the cache keeps %q, want one file", kept)
	}
	check("from the cache")
	check("without probes", func(p *Params) { p.Sampled = true })
	s.write("stock/stock.go", "package stock\n\ntype Shelf int\n\nfunc (Shelf) Take(n int) {\n\tprintln(n)\n}\n\nvar Take = Shelf(1).Take\n")
	delete(want, "shop/stock.Take")
	want["shop/stock.Shelf.Take"] = spell.Structure{Complexity: 1, LinesOfCode: 3}
	want["shop.Buy"] = spell.Structure{Complexity: 1, LinesOfCode: 4, FanOut: 1}
	check("what Buy calls has become a variable")
	damage(t, s.cache)
	check("the kept file is damaged")
}

// damage appends to all structures that the cache keeps.
func damage(t *testing.T, dir string) {
	t.Helper()
	for _, name := range must(filepath.Glob(filepath.Join(dir, "structures", "*"))) {
		if err := os.WriteFile(name, append([]byte(readText(name)), '!'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A cache that cannot be written to is no reason not to measure.
func TestPreparesWithoutACache(t *testing.T) {
	s := newShop(t)
	before, _ := s.prepare()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, asked := s.prepare(func(p *Params) { p.Cache = file })
	if diff := cmp.Diff(s.texts(before), s.texts(b)); diff != "" || !asked {
		t.Errorf("texts (-with cache +without):\n%s", diff)
	}
}

// Who can write the cache can put code into the programs that are built from it.
func TestACacheThatOthersCanWriteIsNotUsed(t *testing.T) {
	s := newShop(t)
	if err := os.Chmod(s.cache, 0o777); err != nil {
		t.Fatal(err)
	}
	b, _ := s.prepare()
	if said := strings.Join(wording.Texts(b.Notes), "\n"); !strings.Contains(said, "everybody can write "+s.cache) || !strings.Contains(said, "set XDG_CACHE_HOME") {
		t.Errorf("warnings: %s", said)
	}
	if entries, err := os.ReadDir(s.cache); err != nil || len(entries) > 0 {
		t.Errorf("it has %v, %v; want nothing", entries, err)
	}
	checkRows(t, b)
}

func TestWhatIsNotUsedIsRemoved(t *testing.T) {
	s := newShop(t)
	s.prepare()
	parts := func() int {
		return len(must(filepath.Glob(filepath.Join(s.cache, "parts", "*", "*"))))
	}
	if parts() != 4 {
		t.Fatalf("%d parts, want 4", parts())
	}
	age := func(days int, pattern ...string) {
		t.Helper()
		at := time.Now().Add(-time.Duration(days)*24*time.Hour - time.Hour)
		for _, file := range must(filepath.Glob(filepath.Join(append([]string{s.cache}, pattern...)...))) {
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	age(cache.KeepDays-2, "parts", "*", "*", cache.Description)
	age(2, "trimmed")
	if _, asked := s.prepare(); asked || parts() != 4 {
		t.Errorf("made anew: %v, %d parts left; want those of %d days ago", asked, parts(), cache.KeepDays-2)
	}
	age(cache.KeepDays+2, "parts", "*", "*", cache.Description)
	age(cache.KeepDays+2, "structures", "*")
	age(2, "trimmed")
	cache.Open(s.cache).Trim(time.Now())
	if parts() != 0 {
		t.Errorf("%d parts are left after %d days", parts(), cache.KeepDays+2)
	}
	if left := must(filepath.Glob(filepath.Join(s.cache, "structures", "*"))); len(left) != 0 {
		t.Errorf("structures %q are left after %d days", left, cache.KeepDays+2)
	}
	if _, asked := s.prepare(); !asked || parts() != 4 {
		t.Errorf("made anew: %v, %d parts", asked, parts())
	}
}

// Several editors may measure one module at once.
func TestProcessesShareTheCache(t *testing.T) {
	if cache := os.Getenv("SPELL_TEST_CACHE"); cache != "" {
		s := &shop{t, os.Getenv("SPELL_TEST_DIR"), cache}
		for range 5 {
			b, _ := s.prepare()
			checkRows(t, b)
		}
		return
	}
	s := newShop(t)
	var processes []*exec.Cmd
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProcessesShareTheCache$")
		cmd.Env = append(os.Environ(), "SPELL_TEST_CACHE="+s.cache, "SPELL_TEST_DIR="+s.dir)
		cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, cmd)
	}
	for _, cmd := range processes {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if _, asked := s.prepare(); asked {
		t.Error("what the processes made is not kept")
	}
}
