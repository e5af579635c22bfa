package lsp_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// A loaded run may be of any folder. Loading it does not mean that the user trusts its
// program: only functions in open folders may be measured.
func TestDrillOutsideTheWorkspace(t *testing.T) {
	opened, other := module(t, map[string]string{"x.go": "package x\n"}), module(t, maps.Clone(park))
	l := newLab(parkCosts)
	run, err := l.invent(lsp.Request{Dir: other})
	if err != nil {
		t.Fatal(err)
	}
	e, _ := serve(t, lsp.Options{Measure: l.measure, Load: func(string, settings.Settings) (*record.Run, error) { return run, nil }})
	e.Folders = []string{opened}
	modern(e)
	e.Start()
	execute(t, e, "load", map[string]any{"path": filepath.Join(other, "run.json")})
	for _, id := range []string{"example.com/park.oldest", "oldest"} {
		_, refused := e.Execute("spell-lsp.drillDown", map[string]any{"id": id}).Wait()
		if refused == nil || !strings.Contains(refused.Message, other+" is not in an open folder") {
			t.Errorf("drilling into %s: %v", id, refused)
		}
	}
	if len(l.requests) > 0 {
		t.Errorf("a measurement ran: %+v", <-l.requests)
	}
	parkGo := filepath.Join(other, "park.go")
	e.Open(parkGo)
	for _, a := range actionsAt(t, e, parkGo, "oldest") {
		if strings.HasPrefix(a.Title, "Drill") && (a.Disabled == nil || !strings.Contains(a.Disabled.Reason, "is not in an open folder")) {
			t.Errorf("the action is not disabled: %+v", a)
		}
	}
}

// Two checkouts of a module are open. Drilling in one of them must measure that one, even if
// the other was measured last.
func TestDrillInTheCheckoutAtTheCursor(t *testing.T) {
	checkouts := []string{module(t, maps.Clone(park)), module(t, maps.Clone(park))}
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	e.Folders = checkouts
	modern(e)
	e.Start()
	measure(t, e)
	<-l.requests
	<-l.requests
	for _, dir := range checkouts {
		path := filepath.Join(dir, "park.go")
		e.Open(path)
		list := actionsAt(t, e, path, "sortÄ")
		drill := list[slices.IndexFunc(list, func(a codeAction) bool { return strings.HasPrefix(a.Title, "Drill") })]
		e.MustCall("workspace/executeCommand", drill.Command)
		if r := <-l.requests; r.Dir != dir {
			t.Errorf("at the cursor is %s, measured is %s", dir, r.Dir)
		}
	}
	_, err := e.Execute("spell-lsp.drillDown", map[string]any{"id": "sortÄ", "uri": lsptest.URI(checkouts[0])}).Wait()
	if r := <-l.requests; err != nil || r.Dir != checkouts[0] || r.Reach != "example.com/park.sortÄ" {
		t.Errorf("by the end of the ID: %+v, %v", r, err)
	}
}

// The search for functions with a similar name takes seconds in a run of 100,000 functions.
// Other requests are answered meanwhile, and the search can be cancelled.
func TestDrillIntoAnUnknownFunction(t *testing.T) {
	dir := module(t, maps.Clone(park))
	run := &record.Run{Schema: record.Schema, ID: "20261120T180000Z-0001", Started: started, Mode: "instrument", Granularity: spell.KindFunction, Rounds: 1}
	run.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
	run.Tests = []record.Test{{Name: "example.com/park.TestPark", Outcome: record.Pass, Rounds: 1}}
	for i := range 10_000 {
		run.Components = append(run.Components, record.Component{
			ID: fmt.Sprintf("example.com/park/p%d.(*Type%d).Method%d", i%300, i%7000, i), Kind: spell.KindFunction, Package: "example.com/park",
		})
	}
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	e, _ := serve(t, lsp.Options{Measure: func(context.Context, lsp.Request, func(lsp.Progress)) (*record.Run, error) { return run, nil }})
	e.Folders = []string{dir}
	e.Start()
	measure(t, e)
	first := func() string {
		search := e.Execute("spell-lsp.drillDown", map[string]any{"id": "example.com/park/p3.(*Typ3).Methd3"})
		e.MustCall("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(filepath.Join(dir, "park.go"))}})
		first := "lenses"
		select {
		case <-search.Done():
			first = "search"
		default:
		}
		if _, err := search.Wait(); err == nil || err.Code != -32602 || !strings.Contains(err.Message, "did you mean") {
			t.Errorf("the answer is %v", err)
		}
		return first
	}
	for range 5 { // a busy machine may be late with the lenses, but not each time
		if first() == "lenses" {
			return
		}
	}
	t.Error("later requests waited for the search")
}
