package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/spell"
	"spell-lsp/spell/settings"
)

// code is the code of every diagnostic, and codeURI tells more about it.
const (
	code            = "energy-leak"
	codeURI uri.URI = "https://doi.org/10.1016/j.jss.2019.110463"
)

var severities = map[settings.Level]protocol.DiagnosticSeverity{
	settings.Error:       protocol.DiagnosticSeverityError,
	settings.Warning:     protocol.DiagnosticSeverityWarning,
	settings.Information: protocol.DiagnosticSeverityInformation,
	settings.Hint:        protocol.DiagnosticSeverityHint,
}

// diagnostics gives one diagnostic for each measured function of the file that
// is not turned off, on the function's name.
func (v *view) diagnostics() []protocol.Diagnostic {
	list := []protocol.Diagnostic{} // a nil slice would be null for the client
	for i := range v.marks {
		m := &v.marks[i]
		severity, on := severities[m.level()]
		if !on {
			continue
		}
		list = append(list, protocol.Diagnostic{
			Range:           v.source.mapper().span(m.from, m.to),
			Severity:        severity,
			Code:            protocol.String(code),
			CodeDescription: protocol.CodeDescription{Href: codeURI},
			Source:          protocol.NewOptional(Source),
			Message:         protocol.String(m.message()),
		})
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
	c := m.of()
	text := fmt.Sprintf("#%d psi %s, %s", c.Rank, share(c.Psi), m.result.joules(c.EnergyJ))
	if m.stale {
		text += ", " + staleness
	}
	if c.BelowResolution {
		text += ", " + unresolved
	}
	if c.Explanation == "" {
		return text
	}
	return text + ": " + c.Explanation
}
