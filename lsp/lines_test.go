package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// withLines gives Add's own time to its two last lines.
func withLines(run *record.Run) {
	i := slices.IndexFunc(run.Components, func(c record.Component) bool { return strings.HasSuffix(c.ID, "Add") })
	c := &run.Components[i]
	c.EndLine = c.Line + 2
	c.LinesHash = record.TextHash([]byte(park["park.go"]), c.Line, c.EndLine)
	c.SetLines([]record.Line{
		{Line: c.Line + 1, TimeMS: 8, Callees: []record.Callee{{Name: "runtime.growslice", Kind: spell.RuntimeCallee, TimeMS: 6}}},
		{Line: c.Line + 2, TimeMS: 2},
	}, 10)
}

// linesOf are the lines of the first mark, as an editor draws them.
func linesOf(t *testing.T, e *lsptest.Editor, path string) []string {
	t.Helper()
	text := strings.Split(e.Text(path), "\n")
	var list []string
	for _, l := range marksAt(t, e, lsptest.URI(path))[0].Lines {
		list = append(list, fmt.Sprintf("%s: %.0f %%, %.2f J, %s", strings.TrimSpace(text[l.Line]), 100*l.Share, l.EnergyJ["cpu"], l.Text))
	}
	return list
}

// Why: whoever looks at the right function asks for the line. The lines follow their function, and
// nothing is said of lines once it was edited.
func TestLinesOfAFunction(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = withLines
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	e.Edit(parkGo, "package park\n", "package park\n\n// Cars.\n")
	e.AwaitDiagnostics(parkGo)
	const hot = "growing slices (runtime.growslice) 75.0 %"
	if diff := cmp.Diff([]string{"p.cars = append(p.cars, c): 80 %, 0.48 J, 80.0 % of the self time, 480 mJ estimated, in " + hot, "}: 20 %, 0.12 J, 20.0 % of the self time, 120 mJ estimated"}, linesOf(t, e, parkGo)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if got, want := e.Hover(parkGo, "Add(c").Contents.Value, "| 8 | 80.0 % | 480 mJ estimated | "+hot+" |"; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
	list, _ := sent(t, e, "park.go")
	var related []string
	for _, r := range list[0].RelatedInformation {
		related = append(related, r.Location.Range.Of(e.Text(parkGo))+": "+r.Message)
	}
	if diff := cmp.Diff([]string{"p.cars = append(p.cars, c): the costliest line: 80.0 % of the self time, 480 mJ estimated, in " + hot}, related); diff != "" {
		t.Errorf("related information (-want +got):\n%s", diff)
	}

	e.Edit(parkGo, "p.cars = append(p.cars, c)", "\n\tp.cars = append(p.cars, c)")
	e.AwaitDiagnostics(parkGo)
	if got := linesOf(t, e, parkGo); got != nil {
		t.Errorf("after an empty line in the function: %q", got)
	}
	e.Edit(parkGo, "append(p.cars, c)", "append(p.cars, c, c)")
	e.AwaitDiagnostics(parkGo)
	if got := linesOf(t, e, parkGo); got != nil {
		t.Errorf("after an edit of the function: %q", got)
	}
	if list, _ := sent(t, e, "park.go"); len(list[0].RelatedInformation) != 0 {
		t.Errorf("after an edit of the function: %+v", list[0].RelatedInformation)
	}
}
