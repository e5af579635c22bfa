package render

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/view"
	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/units"
)

// Source is the source of every diagnostic.
const Source = "spell"

// leakCode is the code of the diagnostics of components, and leakURI its documentation.
const (
	leakCode         = "energy-leak"
	leakURI  uri.URI = "https://doi.org/10.1016/j.jss.2019.110463"
)

var severities = map[settings.Level]protocol.DiagnosticSeverity{
	settings.Error:       protocol.DiagnosticSeverityError,
	settings.Warning:     protocol.DiagnosticSeverityWarning,
	settings.Information: protocol.DiagnosticSeverityInformation,
	settings.Hint:        protocol.DiagnosticSeverityHint,
}

// Diagnostics returns a diagnostic for each mark of the file whose severity is not off, in the
// range of its name, one for each advice, and those of budgets.
func Diagnostics(v *view.View, can Abilities, at *view.Locator) []protocol.Diagnostic {
	list := []protocol.Diagnostic{} // a nil slice would be null for the client
	for _, m := range v.Visible() {
		severity, on := severities[Level(m)]
		if !on {
			continue
		}
		d := protocol.Diagnostic{
			Range:    v.Source.Mapper().Span(m.From, m.To),
			Severity: severity,
			Code:     protocol.String(leakCode),
			Source:   protocol.NewOptional(Source),
			Message:  protocol.String(message(m)),
		}
		if can.Link {
			d.CodeDescription = protocol.CodeDescription{Href: leakURI}
		}
		if can.Fade && m.Stale {
			d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
		}
		if can.Related {
			d.RelatedInformation = append(relatedLine(m, v, at), relatedCallers(m, at)...)
		}
		list = append(list, d)
		list = append(list, adviceDiagnostics(v, m)...)
	}
	return append(list, budgetDiagnostics(v, can)...)
}

// Level returns the severity of a mark's zone. A function that was edited since it was measured has
// no colour any more.
func Level(m *view.Mark) settings.Level {
	levels := m.Result.Settings.Severity
	level := levels.Green
	switch m.Component().Zone {
	case spell.Red:
		level = levels.Red
	case spell.Yellow:
		level = levels.Yellow
	case spell.Green:
	}
	if m.Stale && level != settings.Off {
		return settings.Hint
	}
	return level
}

func message(m *view.Mark) string {
	c := m.Counted()
	text := fmt.Sprintf("#%d psi %s, %s", c.Rank, units.Similarity(c.Psi), Joules(m.Result, c.EnergyJ))
	if m.Stale {
		text += ", " + staleness()
	}
	if c.BelowResolution {
		text += ", " + unresolved
	}
	if day := day(m.Result); day != "" {
		text += ", " + day
	}
	if c.Explanation == "" {
		return page.CleanLines(text)
	}
	return page.CleanLines(text + ": " + c.Explanation)
}

// relatedCallers returns the places of the callers on whose behalf the function used most.
func relatedCallers(m *view.Mark, at *view.Locator) []protocol.DiagnosticRelatedInformation {
	var list []protocol.DiagnosticRelatedInformation
	for _, caller := range m.Result.Costliest(m.Index) {
		place, ok := at.Find(m.Result, caller.Component)
		if !ok {
			continue
		}
		list = append(list, protocol.DiagnosticRelatedInformation{
			Location: place,
			Message: fmt.Sprintf("called by %s: %s of its %s",
				page.Clean(m.Result.Run.Components[caller.Component].ID), share(caller.Share), spent(m.Result)),
		})
	}
	return list
}

// Abilities are the optional parts of diagnostics that a client supports.
type Abilities struct {
	Related bool // related information
	Link    bool // a link from the code to its documentation
	Fade    bool // the tag for unnecessary code
}
