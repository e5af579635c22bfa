package lsp_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

const sorting = `package park

//spell:budget 50ms/call
func f() {}

func g() {}
`

// sizesLab has a benchmark of six sizes: in one operation f runs once, for n^2 microseconds, and g n times,
// for 50 ms together whatever n is.
func sizesLab() *lab {
	l := newLab(map[string]cost{"f": {1, 1, 1}, "g": {1, 1, 1}})
	l.source = record.NoEnergy
	l.alter = func(run *record.Run) {
		run.Tests, run.Matrix = nil, record.Matrix{}
		for i, n := range []float64{16, 32, 64, 128, 256, 512} {
			f, g := n*n/1000, 50.
			run.Tests = append(run.Tests, record.Test{
				Name: fmt.Sprintf("example.com/park.BenchmarkSort/n=%g", n), Package: "example.com/park", Outcome: record.Pass, Rounds: 3, Repeats: 100,
				PerOperation: true, TimeMS: f + g, RoundTimeMS: []float64{f + g, f + g, f + g},
			})
			for c, ms := range []float64{f, g} {
				run.Matrix.Cells = append(run.Matrix.Cells, spell.Cell{Test: int32(i), Component: int32(c), N: []float64{1, n}[c], TimeMS: ms})
				run.Matrix.CumTimeMS = append(run.Matrix.CumTimeMS, ms)
			}
		}
	}
	return l
}

func openSorting(t *testing.T) (e *lsptest.Editor, path string) {
	t.Helper()
	dir := module(t, map[string]string{"a.go": sorting})
	e, _ = serve(t, lsp.Options{Measure: sizesLab().measure})
	e.Folders = []string{dir}
	e.Start()
	path = filepath.Join(dir, "a.go")
	e.Open(path)
	measure(t, e)
	return e, path
}

// Why: a function that is green at the sizes of today's benchmarks may be the one that fails tomorrow. The lens says
// how it grows, the hover how sure that is and what it would take at larger sizes. One that does not grow has
// no such lens.
func TestGrowthIsShown(t *testing.T) {
	e, path := openSorting(t)
	titles := map[string]string{}
	for _, lens := range rawLenses(t, e, path) {
		titles[lens.Range.Of(e.Text(path))] = lens.Command.Title
	}
	if got := titles["f"]; !strings.Contains(got, " · grows as n^2.0 with n") {
		t.Errorf("the lens of f is %q", got)
	}
	if got := titles["g"]; strings.Contains(got, "grow") {
		t.Errorf("the lens of g is %q", got)
	}
	hover := e.Hover(path, "f()").Contents.Value
	for _, want := range []string{"Grows as n^2.0 (1.9 to 2.1) with n, 16 to 512: time with callees per operation of example.com/park.BenchmarkSort/n=", "Extrapolated: 26.2 s at 10 times the largest size"} {
		if !strings.Contains(strings.ReplaceAll(hover, `\`, ""), want) {
			t.Errorf("the hover does not say %q:\n%s", want, hover)
		}
	}
	if hover := e.Hover(path, "g()").Contents.Value; !strings.Contains(hover, "Does not grow with n, 16 to 512") {
		t.Errorf("the hover of g:\n%s", hover)
	}
}

// A budget that holds at the sizes of the benchmark breaks at the size that the user expects: the diagnostic at the
// budget says so once growth.size is set, and no earlier.
func TestBudgetBreaksAtALargerSize(t *testing.T) {
	e, path := openSorting(t)
	if got := budgetsAt(e, path); len(got) > 0 {
		t.Errorf("without a size: %q", got)
	}
	e.Configure(map[string]any{"growth": map[string]any{"size": 10_000}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	const want = "//spell:budget 50ms/call 1: Breaks the budget of 50 ms per call at n = 10,000: 100 s ("
	e.Eventually("the size at which the budget breaks", func() bool {
		return slices.ContainsFunc(budgetsAt(e, path), func(s string) bool {
			return strings.HasPrefix(s, want) && strings.HasSuffix(s, "as it grows as n^2.0 with n, extrapolated")
		})
	})
}

// Why: a function without a benchmark can be measured with generated input, and whoever likes that benchmark keeps it: by
// a file of the user's own, which is written when the action is taken, and no earlier.
func TestMeasureGrowthAndKeepTheBenchmark(t *testing.T) {
	dir := module(t, map[string]string{"a.go": sorting})
	l, file := sizesLab(), filepath.Join(dir, "grow_f_test.go")
	sized := l.alter
	l.alter = func(run *record.Run) {
		sized(run)
		for i := range run.Tests {
			run.Tests[i].Name = strings.Replace(run.Tests[i].Name, "BenchmarkSort", "BenchmarkGrow_f", 1)
		}
	}
	var generated []string
	e, _ := serve(t, lsp.Options{Measure: l.measure, Benchmarks: func(_ context.Context, r lsp.Request) (string, []byte, error) {
		generated = append(generated, r.Grow)
		return file, []byte("package park\n"), nil
	}})
	e.Folders = []string{dir}
	e.Behave(lsptest.Clients()[0]) // it creates files
	e.Start()
	path := filepath.Join(dir, "a.go")
	e.Open(path)
	measure(t, e)
	<-l.requests

	action := func(title string) lsptest.Action {
		t.Helper()
		all := e.Actions(path, spanOf(t, e.Text(path), "f()"))
		i := slices.IndexFunc(all, func(a lsptest.Action) bool { return a.Title == title })
		if i < 0 {
			t.Fatalf("no action %q among %+v", title, all)
		}
		return all[i]
	}
	if err := e.Do(action("Measure how f grows with its input")); err != nil {
		t.Fatal(err)
	}
	if r := <-l.requests; r.Grow != "example.com/park.f" || !slices.Equal(r.Patterns, []string{"."}) {
		t.Errorf("the request: %+v", r)
	}
	if len(generated) > 0 {
		t.Errorf("a benchmark was generated for %q", generated)
	}
	answer, failed := e.Execute("spell-lsp.measure", map[string]any{"scope": "growth", "uri": lsptest.URI(path), "name": "f"}).Wait()
	if failed != nil {
		t.Fatal(failed)
	}
	<-l.requests
	if said, want := into[struct{ Summary string }](t, answer).Summary, "park.f/n=* grows as n^2.0 (1.9 to 2.1) with n, 16 to 512."; said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
	if err := e.Do(action("Keep this benchmark")); err != nil {
		t.Fatal(err)
	}
	edit := into[struct{ Edit *lsptest.WorkspaceEdit }](t, e.AwaitMessage("workspace/applyEdit", 1).Params).Edit
	if err := e.Apply(edit); err != nil {
		t.Fatal(err)
	}
	if got := e.Text(file); got != "package park\n" || !slices.Equal(generated, []string{"example.com/park.f"}) {
		t.Errorf("the file has %q, of %q", got, generated)
	}
	err := e.Do(action("Keep this benchmark"))
	if err == nil || !strings.Contains(err.Error(), "grow_f_test.go exists: move or rename it first") {
		t.Errorf("the second time: %v", err)
	}
}
