package lsp_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell/record"
)

// After any edit, results must stay with their functions, and no result of a changed function may
// look fresh.
func TestEdits(t *testing.T) {
	add, sort, old := "Add 1 #1 psi 0.6328, 600 mJ estimated", "sortÄ 2 #2 psi 0.3662, 500 mJ estimated", "oldest 4 #4 psi <.0001, 10.0 mJ estimated"
	stale := func(s string) string {
		return strings.NewReplacer(" 1 #", " 4 #", " 2 #", " 4 #").Replace(s) + ", measured before this edit"
	}
	for _, c := range []struct {
		why   string
		edits []string // old, new, old, new, ...
		want  []string
	}{
		{"lines above move the results", []string{"package park\n", "package park\n\n// 🚗\n"}, []string{add, sort, old}},
		{"text before the name does", []string{"/* 🅿️ */ func", "func"}, []string{add, sort, old}},
		{"a comment and blanks in a body change nothing", []string{"p.cars = append", "// here\n\n\tp.cars  =  append"}, []string{add, sort, old}},
		{"a changed body is stale", []string{"append(p.cars, c)", "append(p.cars, c, c)"}, []string{stale(add), sort, old}},
		{"a changed parameter is stale", []string{"oldest(cars []Car)", "oldest(cars []Car, n int)"}, []string{add, sort, stale(old)}},
		{"undone, it is fresh again", []string{"append(p.cars, c)", "append(p.cars)", "append(p.cars)", "append(p.cars, c)"}, []string{add, sort, old}},
		{"a renamed function keeps its result", []string{"oldest(", "newest("}, []string{add, sort, strings.Replace(old, "oldest", "newest", 1)}},
		{"of two copies none is known to be the renamed one", []string{"func oldest(cars []Car) Car { return cars[0] }", "func a(cars []Car) Car { return cars[0] }\n\nfunc b(cars []Car) Car { return cars[0] }"}, []string{add, sort}},
		{"a copy under another name has no result", []string{"func never", "func copied(cars []Car) Car { return cars[0] }\n\nfunc never"}, []string{add, sort, old}},
		{"a renamed function that was edited too is another", []string{"oldest(cars []Car) Car { return cars[0]", "newest(cars []Car) Car { return cars[1]"}, []string{add, sort}},
		{"a receiver that is copied now is stale", []string{"(p *Park)", "(p Park)"}, []string{stale(add), sort, old}},
		{"a directive for the compiler makes it stale", []string{"func oldest", "//go:noinline\nfunc oldest"}, []string{add, sort, stale(old)}},
		{"a deleted function loses its result", []string{"func oldest(cars []Car) Car { return cars[0] }", ""}, []string{add, sort}},
		{"functions that swap places keep theirs", []string{
			"func oldest(cars []Car) Car { return cars[0] }\n", "",
			"package park\n", "package park\n\nfunc oldest(cars []Car) Car { return cars[0] }\n",
		}, []string{old, add, sort}},
		{"of a function that is declared twice one keeps it", []string{"func never", "func oldest(cars []Car) Car { return cars[1] }\n\nfunc never"}, []string{add, sort, old}},
		{"a broken body is stale, the others are fresh", []string{"append(p.cars, c)", "append("}, []string{stale(add), sort, old}},
		{"a broken line between functions leaves them fresh", []string{"func never", "fun( never"}, []string{add, sort, old}},
		{"broken and then mended", []string{"append(p.cars, c)", "append(", "append(", "append(p.cars, c)"}, []string{add, sort, old}},
		{"broken by a new function above", []string{"package park\n", "package park\n\nfunc new() {\n"}, []string{add, sort, old}},
	} {
		t.Run(strings.ReplaceAll(c.why, " ", "_"), func(t *testing.T) {
			e, _, parkGo := openPark(t, newLab(parkCosts))
			measure(t, e)
			for i := 0; i < len(c.edits); i += 2 {
				e.Edit(parkGo, c.edits[i], c.edits[i+1])
			}
			got := show(e.Text(parkGo), e.AwaitDiagnostics(parkGo))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
			// Diagnostics, lenses and hovers agree.
			for i, l := range e.Lenses(parkGo) {
				isStale := strings.Contains(got[i], "before this edit")
				if strings.HasPrefix(l.Command.Title, "measured before this edit") != isStale {
					t.Errorf("lens %q at %q", l.Command.Title, got[i])
				}
				h := e.Hover(parkGo, l.Range.Of(e.Text(parkGo))+"(")
				if h == nil || strings.Contains(h.Contents.Value, "Measured before this edit") != isStale {
					t.Errorf("hover %v at %q", h, got[i])
				}
			}
		})
	}
}

// Init functions and literals outside functions have no unique names. If one is edited, or a new
// one is written above, the results of the others must stay with their functions.
func TestNamelessFunctions(t *testing.T) {
	first, second := "init 4 #6 psi <.0001, 1.00 mJ estimated", "init 4 #5 psi <.0001, 2.00 mJ estimated"
	less, stale := "func 4 #3 psi 0.0011, 40.0 mJ estimated", ", measured before this edit"
	for _, c := range []struct {
		why, old, new string
		want          []string
	}{
		{"nothing changed", "package park", "package park", []string{less, first, second}},
		{"the first is edited", "_ = less", "_, _ = less, less", []string{less, first + stale, second}},
		{"one is written above", "func init() { _ = less }", "func init() {}\n\nfunc init() { _ = less }", []string{less, first, second}},
		{"the first is deleted", "func init() { _ = less }\n", "", []string{less, second}},
		{"a comment in the literal changes nothing", "return a.plate", "/* why */ return a.plate", []string{less, first, second}},
		{"the literal is edited", "a.plate < b.plate", "a.plate > b.plate", []string{less + stale, first, second}},
		{"a literal is written above", "var less", "var more = func() {}\n\nvar less", []string{less, first, second}},
		{"a literal is inside a function now", "var less = func(a, b Car) bool { return a.plate < b.plate }", "func less() { _ = func() {} }", []string{first, second}},
	} {
		e, _, parkGo := openPark(t, newLab(parkCosts))
		carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
		e.Open(carGo)
		measure(t, e)
		e.Edit(carGo, c.old, c.new)
		if diff := cmp.Diff(c.want, show(e.Text(carGo), e.AwaitDiagnostics(carGo))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, diff)
		}
	}
}

// A function that moves to another file of its package keeps its result. A copy of it gets none.
func TestMovedToAnotherFile(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	e.Open(carGo)
	measure(t, e)
	before := len(e.AwaitDiagnostics(carGo))
	const oldest = "func oldest(cars []Car) Car { return cars[0] }\n"
	e.Edit(carGo, "package park\n", "package park\n\n"+oldest)
	if got := show(e.Text(carGo), e.AwaitDiagnostics(carGo)); len(got) != before {
		t.Errorf("while it is in both files: %v", got)
	}
	e.Edit(parkGo, oldest, "")
	e.Eventually("one more diagnostic", func() bool { return len(e.Diagnostics(carGo)) == before+1 })
	want := "oldest 4 #4 psi <.0001, 10.0 mJ estimated"
	if got := show(e.Text(carGo), e.Diagnostics(carGo)); got[0] != want {
		t.Errorf("after the move: %v", got)
	}
	row := rows(t, e, map[string]any{})[3]
	if row.File != "car.go" || row.Line != 3 || row.Stale || row.URI != lsptest.URI(carGo) {
		t.Errorf("the ranking has it at %s:%d, stale %v", row.File, row.Line, row.Stale)
	}
}

// Results of a file that is not open follow its text on disk, after the editor reports a change
// or closes the file without saving it.
func TestChangesOnDisk(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	measure(t, e)
	text := strings.Replace(park["car.go"], "a.plate < b.plate", "a.plate > b.plate", 1)
	write(t, carGo, text)
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(carGo), "type": 2}}})
	e.Eventually("the change on disk to show", func() bool {
		return strings.HasSuffix(show(text, e.Diagnostics(carGo))[0], "measured before this edit")
	})
	e.Edit(parkGo, "append(p.cars, c)", "append(p.cars, c, c)")
	e.AwaitDiagnostics(parkGo)
	e.Close(parkGo)
	measure(t, e) // measures the files, because nothing is open, and waits for all diagnostics
	if got := show(park["park.go"], e.Diagnostics(parkGo)); strings.HasSuffix(got[0], "edit") {
		t.Errorf("after closing without saving: %v", got)
	}
	if err := os.Remove(carGo); err != nil {
		t.Fatal(err)
	}
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(carGo), "type": 3}}})
	e.MustCall("workspace/executeCommand", map[string]any{"command": "spell-lsp.ranking"})
	e.AwaitEmpty(carGo)
}

// A measurement uses the texts in the editor, saved or not.
func TestUnsavedBuffers(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	e.Open(carGo)
	notGo := filepath.Join(filepath.Dir(parkGo), "notes.txt")
	e.OpenText(notGo, "no Go")
	// Packages of a sibling module are built as well, so its buffers count.
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.go")
	e.OpenText(elsewhere, "package elsewhere")
	e.Edit(parkGo, "append(p.cars, c)", "append(p.cars, c, c)")
	measure(t, e)
	r := <-l.requests
	if len(r.Buffers) != 2 || string(r.Buffers[parkGo]) != e.Text(parkGo) || string(r.Buffers[elsewhere]) != "package elsewhere" {
		t.Errorf("%d buffers were measured: %q", len(r.Buffers), r.Buffers)
	}
	if got := show(e.Text(parkGo), e.AwaitDiagnostics(parkGo)); strings.Contains(got[0], "edit") {
		t.Errorf("the results of unsaved texts are not fresh: %v", got)
	}
	e.Save(parkGo)
	e.Close(elsewhere)
	measure(t, e)
	if r := <-l.requests; len(r.Buffers) != 0 {
		t.Errorf("buffers after saving: %q", r.Buffers)
	}
}

// The editor and the measurement may use different names for a file: blanks and percent signs
// are escaped in URIs, and symbolic links may be resolved.
func TestOddPaths(t *testing.T) {
	l := newLab(map[string]cost{"f": {1, 1, 1}})
	e, _ := serve(t, lspOptions(l))
	resolved := module(t, map[string]string{"a b%20ü/f.go": "package f\n\nfunc f() {}\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(resolved, link); err != nil {
		t.Fatal(err)
	}
	e.Folders = []string{link}
	e.Start()
	path := filepath.Join(link, "a b%20ü", "f.go")
	e.Open(path)
	measure(t, e)
	if got := show(e.Text(path), e.Diagnostics(path)); len(got) != 1 || !strings.HasPrefix(got[0], "f ") {
		t.Errorf("diagnostics %v", got)
	}
	l.root = resolved // a run may name the folder without symbolic links
	measure(t, e)
	if got := show(e.Text(path), e.Diagnostics(path)); len(got) != 1 || !strings.HasPrefix(got[0], "f ") {
		t.Errorf("diagnostics of a resolved root %v", got)
	}
}

// A folder is opened through a link, one file in it by its real name, and another by both names.
// Results and buffers must be joined, and the diagnostics of each document must have the URI that
// the editor uses.
func TestLinkedFolder(t *testing.T) {
	l := newLab(map[string]cost{"f": {1, 1, 1}, "g": {1, 1, 1}, "h": {1, 1, 1}})
	e, _ := serve(t, lspOptions(l))
	dir := module(t, map[string]string{"f.go": "package f\n\nfunc f() {}\n", "g.go": "package f\n\nfunc g() {}\n", "h.go": "package f\n\nfunc h() {}\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	e.Folders = []string{link}
	e.Start()
	f, h, linkedH := filepath.Join(dir, "f.go"), filepath.Join(dir, "h.go"), filepath.Join(link, "h.go")
	e.Open(f)
	e.Edit(f, "func f() {", "func f() { _ = 1 ")
	e.Open(h)
	e.Open(linkedH)
	result, failure := e.Execute("spell-lsp.measure", map[string]any{"scope": "package", "uri": lsptest.URI(f)}).Wait()
	if failure != nil {
		t.Fatalf("%s: %v", result, failure)
	}
	if r := <-l.requests; r.Dir != dir || string(r.Buffers[f]) != e.Text(f) {
		t.Errorf("measured %s with %q", r.Dir, r.Buffers)
	}
	for _, path := range []string{f, linkedH, filepath.Join(link, "g.go")} {
		if got := e.Diagnostics(path); len(got) != 1 || strings.Contains(got[0].Message, "edit") {
			t.Errorf("diagnostics of %s: %v", path, got)
		}
	}
	if got := e.Lenses(f); len(got) != 1 {
		t.Errorf("lenses %v", got)
	}
	e.Edit(f, "_ = 1", "_ = 2")
	if got := e.AwaitDiagnostics(f); len(got) != 1 || !strings.Contains(got[0].Message, "edit") {
		t.Errorf("after an edit: %v", got)
	}
	// When one of two documents of the same file is closed, the other stays.
	e.Close(linkedH)
	e.Edit(h, "func h() {", "func h() { _ = 3 ")
	if got := e.AwaitDiagnostics(h); len(got) != 1 || !strings.Contains(got[0].Message, "edit") {
		t.Errorf("after closing the other: %v", got)
	}
}

type row struct {
	Rank    int
	Share   float64
	ID      string
	Zone    string
	Psi     float64
	PsiCI   []float64 `json:"psi_ci"`
	Phi     map[string]float64
	EnergyJ map[string]float64 `json:"energy_j"`
	EPIJ    float64            `json:"epi_j"`
	N       float64
	TimeMS  float64 `json:"time_ms"`
	File    string
	URI     string
	Line    int
	Stale   bool
	Gone    bool
	// Estimated is a pointer because the member must never be absent.
	Estimated *bool
}

func rows(t *testing.T, e *lsptest.Editor, argument any) []row {
	t.Helper()
	result, err := e.Execute("spell-lsp.ranking", argument).Wait()
	if err != nil {
		t.Fatalf("ranking: %v", err)
	}
	var list []row
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	return list
}

// energyOf is the energy of all rows.
func energyOf(rows []row) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += r.EnergyJ["cpu"]
	}
	return sum
}

// identicalBodies opens a measured package with two methods of the same body, only one of which
// ran.
func identicalBodies(t *testing.T) (e *lsptest.Editor, dir string) {
	t.Helper()
	dir = module(t, map[string]string{"a.go": "package park\n\n" + closes("A"), "b.go": "package park\n\n" + closes("B")})
	e, _ = serve(t, lspOptions(newLab(map[string]cost{"(*A).Close": {600, 60, 0.6}})))
	e.Folders = []string{dir}
	e.Start()
	e.Open(filepath.Join(dir, "a.go"))
	e.Open(filepath.Join(dir, "b.go"))
	measure(t, e)
	return e, dir
}

func closes(typ string) string { return "func (*" + typ + ") Close() error { return nil }\n" }

// lensesIn lists the names that have lenses in files, each with the first word of its lens.
func lensesIn(e *lsptest.Editor, dir string, files ...string) string {
	var got []string
	for _, name := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if !e.IsOpen(path) {
			e.Open(path)
		}
		for _, l := range e.Lenses(path) {
			state, _, _ := strings.Cut(l.Command.Title, " ")
			got = append(got, name+": "+l.Range.Of(e.Text(path))+" "+state)
		}
	}
	return strings.Join(got, ", ")
}

// A function that did not run must never show the cost of another, wherever the other
// has moved: files without results, unopened files and unsaved buffers count too.
func TestIdenticalBodies(t *testing.T) {
	shuts := func(typ string) string { return strings.Replace(closes(typ), "Close", "Shut", 1) }
	for _, c := range []struct {
		why    string
		a      string            // replaces Close in a.go
		Cache  map[string]string // files that are written without the editor
		unsave string            // the text of new.go, which is only in the editor
		want   string
	}{
		{"it is where it was", closes("A"), nil, "", "a.go: Close RED"},
		{"it is gone", "", nil, "", ""},
		{"it was renamed, unless the identical method moved there", shuts("A"), nil, "", ""},
		{"it was renamed, and the identical method is not built", shuts("A"), map[string]string{"b.go": "//go:build never\n\npackage park\n\n" + closes("B")}, "", "a.go: Shut RED"},
		{"it was renamed, or moved to a file that is not open", shuts("A"), map[string]string{"b.go": "package park\n", "c.go": "package park\n\n" + shuts("C")}, "", ""},
		{"it was moved", "", nil, "package park\n\n" + closes("A"), "new.go: Close RED"},
		{"it was moved and edited", "", nil, "package park\n\nfunc (*A) Close() error { return err }\n", "new.go: Close measured"},
		{"it was moved, and is in a file for another system", "", map[string]string{"a_plan9.go": "package park\n\n" + closes("A")}, "package park\n\n" + closes("A"), "new.go: Close RED"},
		{"it was moved to one of two files", "", map[string]string{"c.go": "package park\n\n" + closes("A")}, "package park\n\n" + closes("A"), ""},
		{"it is in a test", "", map[string]string{"a_test.go": "package park_test\n\n" + closes("A")}, "", ""},
		{"another package has an identical method under another name", "", map[string]string{"sub/c.go": "package sub\n\n" + closes("C")}, "", ""},
	} {
		e, dir := identicalBodies(t)
		for _, name := range slices.Sorted(maps.Keys(c.Cache)) {
			if path := filepath.Join(dir, name); e.IsOpen(path) {
				e.SetText(path, c.Cache[name])
			}
			write(t, filepath.Join(dir, name), c.Cache[name])
		}
		e.Edit(filepath.Join(dir, "a.go"), closes("A"), c.a)
		files := slices.AppendSeq([]string{"a.go", "b.go"}, maps.Keys(c.Cache))
		if c.unsave != "" {
			e.OpenText(filepath.Join(dir, "new.go"), c.unsave)
			files = append(files, "new.go")
		}
		slices.Sort(files)
		if got := lensesIn(e, dir, slices.Compact(files)...); got != c.want {
			t.Errorf("%s: shown is %q, want %q", c.why, got, c.want)
		}
	}
}

// The run names the functions that did not run and have the same body as a component. They existed
// before, so the component was not renamed to them, and they do not hide its new name.
func TestIdenticalBodiesOfTheRun(t *testing.T) {
	shuts := func(typ string) string { return strings.Replace(closes(typ), "Close", "Shut", 1) }
	a, sub := "package park\n\n"+closes("A")+closes("C"), "package sub\n\n"+closes("A")
	for _, c := range []struct{ why, old, new, want string }{
		{"nothing changed", "", "", "a.go: Close RED"},
		{"it is gone", closes("A"), "", ""},
		{"it was renamed", closes("A"), shuts("A"), "a.go: Shut RED"},
		{"the identical method was renamed", closes("C"), shuts("C"), "a.go: Close RED"},
		{"it is gone, and the identical method was renamed", closes("A") + closes("C"), shuts("C"), ""},
		{"both were renamed", closes("A") + closes("C"), shuts("A") + shuts("C"), ""},
	} {
		dir := module(t, map[string]string{"a.go": a, "sub/c.go": sub})
		l := newLab(map[string]cost{"(*A).Close": {600, 60, 0.6}, "(*C).Close": {}})
		l.alter = func(run *record.Run) {
			for i := range run.Components {
				if c := &run.Components[i]; c.Package == "example.com/park/sub" { // only one of the two ran
					run.IdenticalBodies = append(run.IdenticalBodies, record.IdenticalBody{ID: c.ID, Package: c.Package, File: c.File, Hash: c.Hash})
					run.Components = slices.Delete(run.Components, i, i+1)
					break
				}
			}
			run.Matrix = record.Matrix{Domains: run.Matrix.Domains}
		}
		e, _ := serve(t, lspOptions(l))
		e.Folders = []string{dir}
		e.Start()
		e.Open(filepath.Join(dir, "a.go"))
		measure(t, e)
		e.Edit(filepath.Join(dir, "a.go"), c.old, c.new)
		if got := lensesIn(e, dir, "a.go", "sub/c.go"); got != c.want {
			t.Errorf("%s: shown is %q, want %q", c.why, got, c.want)
		}
	}
}
