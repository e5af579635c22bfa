package render

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// adviceCode is the code of the diagnostics of advice.
const adviceCode = "energy-advice"

// A PlacedAdvice is an advice at its current place.
type PlacedAdvice struct {
	results.Advised
	Range protocol.Range // of the code that it is about, within its first line
}

// AdviceOn returns what to change in a component of a view, the most that it can save first; none
// where it was edited since it was measured.
func AdviceOn(v *view.View, m *view.Mark) []PlacedAdvice {
	list := m.Result.Advice[m.Component().ID]
	if len(list) == 0 {
		return nil
	}
	first, ok := firstLine(v, m)
	if !ok {
		return nil
	}
	at := v.Source.Mapper()
	var placed []PlacedAdvice
	for _, a := range list {
		start, end, ok := at.Line(first + a.Offset - 1)
		if !ok {
			continue
		}
		oneLine := a.Line == a.EndLine
		a.Line = first + a.Offset
		end = start + len(strings.TrimRight(v.Source.Text[start:end], " \t\r\n"))
		if length := a.EndColumn - a.Column; oneLine && length > 0 {
			end = min(end, start+a.Column-1+length)
		}
		start = min(start+max(0, a.Column-1), end)
		placed = append(placed, PlacedAdvice{a, at.Span(start, end)})
	}
	return placed
}

// adviceDiagnostics returns a diagnostic for each advice on a component.
func adviceDiagnostics(v *view.View, m *view.Mark) []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, a := range AdviceOn(v, m) {
		list = append(list, protocol.Diagnostic{
			Range:    a.Range,
			Severity: protocol.DiagnosticSeverityInformation,
			Code:     protocol.String(adviceCode),
			Source:   protocol.NewOptional(Source),
			Message:  protocol.String(adviceText(m, &a.Advised)),
		})
	}
	return list
}

// adviceText says what a change can save, what is done without need, and what to do instead.
func adviceText(m *view.Mark, a *results.Advised) string {
	return page.CleanLines(fmt.Sprintf("A change here saves %s: %s (%s)", Saving(m, a, m.Called()), reason(a), a.Rule))
}

// reason says what is done without need, and what to do instead.
func reason(a *results.Advised) string {
	if a.Help == "" {
		return a.Message
	}
	return a.Message + "; " + a.Help
}

// Saving is the most that an advice can save of its function, which is called of.
func Saving(m *view.Mark, a *results.Advised, of string) string {
	c := m.Counted()
	return wording.Saving{
		Function: of, KnowsEnergy: m.Result.KnowsEnergy(), Estimated: m.Result.Run.Meter.Origin() == record.Estimated,
		PartJ: a.EnergyJ.Total(), WholeJ: c.EnergyJ.Total(), PartMS: a.TimeMS, WholeMS: c.TimeMS,
	}.String()
}

// maxAdvice is how many pieces of advice a hover lists.
const maxAdvice = 3

// addAdvice adds what to change in a component to its hover.
func (t *text) addAdvice(v *view.View, m *view.Mark) {
	list := AdviceOn(v, m)
	for _, a := range list[:min(len(list), maxAdvice)] {
		t.add(t.words(fmt.Sprintf("A change in line %d saves %s: %s.", a.Line, Saving(m, &a.Advised, "it"), reason(&a.Advised))))
	}
}
