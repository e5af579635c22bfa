package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/settings"
)

// code is the code of every diagnostic, and codeURI tells more about it.
const (
	code            = "energy-leak"
	codeURI uri.URI = "https://doi.org/10.1016/j.jss.2019.110463"
)

// maxCallers is how many callers a diagnostic names.
const maxCallers = 3

var severities = map[settings.Level]protocol.DiagnosticSeverity{
	settings.Error:       protocol.DiagnosticSeverityError,
	settings.Warning:     protocol.DiagnosticSeverityWarning,
	settings.Information: protocol.DiagnosticSeverityInformation,
	settings.Hint:        protocol.DiagnosticSeverityHint,
}

// diagnostics gives one diagnostic for each measured function of the file that
// is not turned off, on the function's name.
func (v *view) diagnostics(can diagnosticAbilities, at *locator) []protocol.Diagnostic {
	list := []protocol.Diagnostic{} // a nil slice would be null for the client
	for _, m := range v.visible() {
		severity, on := severities[m.level()]
		if !on {
			continue
		}
		d := protocol.Diagnostic{
			Range:    v.source.Mapper().Span(m.From, m.To),
			Severity: severity,
			Code:     protocol.String(code),
			Source:   protocol.NewOptional(Source),
			Message:  protocol.String(m.message()),
		}
		if can.link {
			d.CodeDescription = protocol.CodeDescription{Href: codeURI}
		}
		if can.fade && m.stale {
			d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
		}
		if can.related {
			d.RelatedInformation = m.callers(at)
		}
		list = append(list, d)
	}
	return list
}

// level is how the zone is shown. A function that was edited since has no
// colour any more.
func (m *mark) level() settings.Level {
	levels := m.result.settings.Severity
	level := levels.Green
	switch m.of().Zone {
	case spell.Red:
		level = levels.Red
	case spell.Yellow:
		level = levels.Yellow
	case spell.Green:
	}
	if m.stale && level != settings.Off {
		return settings.Hint
	}
	return level
}

func (m *mark) message() string {
	c := m.counted()
	text := fmt.Sprintf("#%d psi %s, %s", c.Rank, share(c.Psi), m.result.joules(c.EnergyJ))
	if m.stale {
		text += ", " + staleness
	}
	if c.BelowResolution {
		text += ", " + unresolved
	}
	if day := m.result.day(); day != "" {
		text += ", " + day
	}
	if c.Explanation == "" {
		return page.CleanLines(text)
	}
	return page.CleanLines(text + ": " + c.Explanation)
}

// callers are the places of those on whose behalf the function used most.
func (m *mark) callers(at *locator) []protocol.DiagnosticRelatedInformation {
	var list []protocol.DiagnosticRelatedInformation
	for _, caller := range m.result.costliest(m.component) {
		place, ok := at.find(m.result, caller.component)
		if !ok {
			continue
		}
		list = append(list, protocol.DiagnosticRelatedInformation{
			Location: place,
			Message: fmt.Sprintf("called by %s: %s of its %s",
				page.Clean(m.result.run.Components[caller.component].ID), percent(caller.share), m.result.spent()),
		})
	}
	return list
}
