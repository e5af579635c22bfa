package view

import (
	"testing"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// Goroutines stand at their go statement, until the file changes; those that nobody in the workspace
// started, and labels, stand nowhere.
func TestGoroutinesStandAtTheirGoStatement(t *testing.T) {
	const text = "package p\n\nfunc f() {\n\tgo g()\n}\n\nfunc g() {}\n"
	b := fixtureOf(t, map[string]string{"a.go": text})
	run := &record.Run{ID: "b", Granularity: spell.KindGoroutine, Mode: "instrument", Meter: record.Meter{Domains: []spell.Domain{spell.CPU}}}
	run.Matrix.Domains = run.Meter.Domains
	run.Tests = []record.Test{{Name: "p.TestAll", Outcome: record.Pass}}
	for i, c := range []record.Component{
		{ID: record.TestGoroutine, Kind: spell.KindGoroutine},
		{ID: "p.f", Kind: spell.KindGoroutine, Package: "p", File: "a.go", Line: 4, EndLine: 4},
		{ID: "endpoint=/buy", Kind: spell.KindLabel},
	} {
		c.TimeMS, c.EnergyJ = 1, record.Energy{spell.CPU: 1}
		run.Components = append(run.Components, c)
		run.Matrix.Add(record.Cell{C: i, TimeMS: 1, EnergyJ: c.EnergyJ})
	}
	ranking.Analyze(run, spell.Options{}, false)
	folder := b.Path("")
	r := results.New(results.Origin{Dir: folder, Root: folder}, run, settings.Default())
	r.RememberTexts(func(string) *outline.Source { return outline.NewSource(text, nil) })
	b.Show(r)
	b.Edit("a.go", 1, text)
	marks := b.View(b.Path("a.go")).Marks
	if len(marks) != 1 || marks[0].Component().ID != "p.f" || marks[0].Stale || text[marks[0].Start:][:len("\tgo g()")] != "\tgo g()" {
		t.Fatalf("marks are %+v", marks)
	}
	if marks[0].IsGoFunction() {
		t.Error("the goroutines that f starts are taken for f itself")
	}
	b.Edit("a.go", 2, "// f starts g.\n"+text)
	if marks := b.View(b.Path("a.go")).Marks; len(marks) != 1 || !marks[0].Stale {
		t.Errorf("after an edit marks are %+v", marks)
	}
}
