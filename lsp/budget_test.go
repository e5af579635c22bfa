package lsp_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
)

const budgeted = `package park

// f is free.
//
//spell:budget 1nJ/call
//spell:budget 3 calls/test, 1000 calls/test // no more
func f() {}

//spell:budget 2 mJ/call
func g() {}

//spell:budget 25 mj/call
func h() {}

//spell:budget 1 J/call

var x = 1
`

var (
	ignored = []string{
		"//spell:budget 25 mj/call 2: The budget is ignored: column 4: \"mj\" is no unit, write mJ; amounts are like 25mJ/call, 2ms/call, 1200 calls/test",
		"//spell:budget 1 J/call 2: The budget is ignored: it is not directly above a function with a body, where it must stand",
	}
	broken    = "//spell:budget 1nJ/call 1: Budget of 1 nJ per call is broken: 1.00 mJ estimated"
	manyCalls = "//spell:budget 3 calls/test, 1000 calls/test 1: Budget of 3 calls per test is broken: 600 calls in TestPark"
	undecided = "//spell:budget 2 mJ/call 3: Budget of 2 mJ per call is undecided: 1.00 mJ estimated, below resolution"
)

// budgetsAt are the diagnostics of budgets as a user reads them: where, severity, message.
func budgetsAt(e *lsptest.Editor, path string) []string {
	var list []string
	for _, d := range e.AwaitDiagnostics(path) {
		if d.Code == "energy-budget" && d.Source == "spell" {
			list = append(list, fmt.Sprintf("%s %d: %s", d.Range.Of(e.Text(path)), d.Severity, d.Message))
		}
	}
	return list
}

// budgetLab has costs of f and g of budgeted, and g below resolution.
func budgetLab() *lab {
	l := newLab(map[string]cost{"f": {600, 60, 0.6}, "g": {500, 50, 0.5}})
	l.alter = func(run *record.Run) {
		run.Tests[0].Package = "example.com/park"
		for i := range run.Components {
			c := &run.Components[i]
			c.BelowResolution = strings.HasSuffix(c.ID, ".g")
		}
	}
	return l
}

func wantBudgets(t *testing.T, e *lsptest.Editor, path, when string, want ...string) {
	t.Helper()
	got := slices.Sorted(slices.Values(budgetsAt(e, path)))
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// Why: whoever changes a budget in its comment sees at once whether it is kept, and the function,
// which did not change, stays fresh.
func TestBudgets(t *testing.T) {
	dir := module(t, map[string]string{"a.go": budgeted})
	e, _ := serve(t, lsp.Options{Measure: budgetLab().measure})
	e.Folders = []string{dir}
	e.Start()
	path := filepath.Join(dir, "a.go")
	e.Open(path)
	wantBudgets(t, e, path, "before a measurement", ignored...)

	measure(t, e)
	wantBudgets(t, e, path, "measured", append(slices.Clone(ignored), broken, manyCalls, undecided)...)
	const said = "Budget of 1 nJ per call is broken: 1.00 mJ estimated. Budget of 3 calls per test is broken: 600 calls in TestPark. Budget of 1000 calls per test is kept: 600 calls in TestPark."
	if got := e.Hover(path, "f()").Contents.Value; !strings.Contains(got, said) {
		t.Errorf("the hover does not say %q:\n%s", said, got)
	}

	e.Edit(path, "1nJ/call", "1 J/call, 5 us/call")
	const slow = "//spell:budget 1 J/call, 5 us/call 1: Budget of 5 us per call is broken: 100 µs"
	wantBudgets(t, e, path, "another budget", append(slices.Clone(ignored), slow, manyCalls, undecided)...)
	if got := e.Hover(path, "f()").Contents.Value; strings.Contains(got, "before this edit") {
		t.Errorf("an edit of the comment made the function stale:\n%s", got)
	}

	e.Edit(path, "func f() {}", "func f() { g() }")
	hint := func(s string) string { return strings.Replace(s, " 1: ", " 4: ", 1) + ", measured before this edit" }
	wantBudgets(t, e, path, "an edited function", append(slices.Clone(ignored), hint(slow), hint(manyCalls), undecided)...)

	e.Configure(map[string]any{"severity": map[string]any{"budget": "off"}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("the mistakes alone", func() bool { return slices.Equal(budgetsAt(e, path), ignored) })
}

// A mistake in a budget goes when it is mended, also where nothing was measured.
func TestBudgetMended(t *testing.T) {
	dir := module(t, map[string]string{"a.go": budgeted})
	e, _ := serve(t, lsp.Options{Measure: budgetLab().measure})
	e.Folders = []string{dir}
	e.Start()
	path := filepath.Join(dir, "a.go")
	e.Open(path)
	wantBudgets(t, e, path, "at first", ignored...)
	e.Edit(path, "25 mj", "25 mJ")
	wantBudgets(t, e, path, "one mended", ignored[1])
	e.Edit(path, "//spell:budget 1 J/call\n", "")
	wantBudgets(t, e, path, "both mended")
}

// Why: saved results can be seen in a workspace that nobody trusts, and so can broken budgets.
func TestBudgetsWithoutTrust(t *testing.T) {
	saved := store.Open(t.TempDir())
	dir := module(t, map[string]string{"a.go": budgeted})
	first, _ := serve(t, lsp.Options{Measure: budgetLab().measure, Store: saved})
	first.Folders = []string{dir}
	first.Start()
	measure(t, first)
	first.Quit()

	e, _ := serve(t, lsp.Options{Measure: budgetLab().measure, Store: saved})
	e.Folders, e.Options = []string{dir}, map[string]any{"trusted": false}
	e.Start()
	path := filepath.Join(dir, "a.go")
	e.Open(path)
	e.Eventually("the budgets of the saved run", func() bool {
		return slices.ContainsFunc(budgetsAt(e, path), func(s string) bool {
			return strings.HasPrefix(s, broken) && strings.HasSuffix(s, ", measured 2026-11-10")
		})
	})
}

// Budgets of a test are at its comment in the test file. A test that was edited has them as hints.
func TestBudgetsOfTests(t *testing.T) {
	const text = "package park\n\nimport \"testing\"\n\n//spell:budget 1nJ/test, 50 s/test\nfunc TestPark(t *testing.T) { f() }\n"
	l := budgetLab()
	l.rounds = 3
	l.alter = func(run *record.Run) {
		test := &run.Tests[0]
		test.Name, test.Package, test.File = "example.com/park.TestPark", "example.com/park", "a_test.go"
		test.Hash = hashOf(t, text, "TestPark")
		test.Budgets = []record.Budget{{Text: "1nJ/test", Line: 5}}
	}
	dir := module(t, map[string]string{"a.go": budgeted, "a_test.go": text})
	e, _ := serve(t, lsp.Options{Measure: l.measure})
	e.Folders = []string{dir}
	e.Start()
	path := filepath.Join(dir, "a_test.go")
	e.Open(path)
	measure(t, e)
	const want = "//spell:budget 1nJ/test, 50 s/test 1: Budget of 1 nJ per test is broken: "
	got := budgetsAt(e, path)
	if len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Fatalf("the diagnostics are %q, want %q...", got, want)
	}
	e.Edit(path, "f() }", "f(); f() }")
	got = budgetsAt(e, path)
	if len(got) != 1 || !strings.Contains(got[0], " 4: ") || !strings.HasSuffix(got[0], "measured before this edit") {
		t.Errorf("after an edit of the test the diagnostics are %q", got)
	}
}

func hashOf(t *testing.T, text, name string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range gosource.Functions(fset, file, []byte(text)) {
		if f.Name == name {
			return f.Hash
		}
	}
	t.Fatalf("there is no %s", name)
	return ""
}
