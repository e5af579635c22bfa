package render

import (
	"fmt"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/view"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/wording"
)

// maxLines is how many lines of a function a hover lists.
const maxLines = 5

// A CostlyLine is a line in which a component spent a part of its own time, at its current place.
type CostlyLine struct {
	record.Line
	Range protocol.Range // of the line without its indentation
	Share float64        // of the component's own time
}

// CostlyLines returns the lines of a component of a view, the costliest first; none where it was edited since
// it was measured, because then nobody knows which line is which.
func CostlyLines(v *view.View, m *view.Mark) []CostlyLine {
	c, at := m.Counted(), v.Source.Mapper()
	first, ok := firstLine(v, m)
	if !ok || c.TimeMS == 0 {
		return nil
	}
	moved := first - c.Line
	var list []CostlyLine
	for _, l := range c.Lines {
		start, end, ok := at.Line(l.Line + moved - 1)
		if !ok {
			continue
		}
		l.Line += moved
		text := v.Source.Text[start:end]
		start += len(text) - len(strings.TrimLeft(text, " \t"))
		list = append(list, CostlyLine{l, at.Span(start, end), min(1, l.TimeMS/c.TimeMS)})
	}
	return list
}

// firstLine is the line on which a component begins now, from 1; false if its lines are not those that
// were measured. Comments and empty lines move the others, and the hash of the body does not see them.
func firstLine(v *view.View, m *view.Mark) (line int, ok bool) {
	at := v.Source.Mapper()
	first, last := int(at.Position(m.From).Line)+1, int(at.Position(m.End).Line)+1
	return first, !m.Stale && record.TextHash([]byte(v.Source.Text), first, last) == m.Counted().LinesHash
}

// lineRows are the rows of a hover's table of lines.
func lineRows(v *view.View, m *view.Mark, in *text) [][]string {
	lines := CostlyLines(v, m)
	var rows [][]string
	for _, l := range lines[:min(len(lines), maxLines)] {
		rows = append(rows, []string{strconv.Itoa(l.Line.Line), share(l.Share), Joules(m.Result, l.EnergyJ), in.words(lineCallees(&l.Line))})
	}
	return rows
}

// lineCallees says in which callees without a probe the time of a line is.
func lineCallees(l *record.Line) string {
	return page.Clean(wording.Callees(ranking.Callees(l.Callees, l.TimeMS)))
}

// relatedLine returns the line in which a function spends most of its own time.
func relatedLine(m *view.Mark, v *view.View, at *view.Locator) []protocol.DiagnosticRelatedInformation {
	lines := CostlyLines(v, m)
	place, ok := at.Find(m.Result, m.Index)
	if len(lines) == 0 || !ok || m.Counted().EndLine == m.Counted().Line {
		return nil
	}
	return []protocol.DiagnosticRelatedInformation{{
		Location: protocol.Location{URI: place.URI, Range: lines[0].Range},
		Message:  "the costliest line: " + LineText(m, &lines[0]),
	}}
}

// LineText says what a line of a component holds.
func LineText(m *view.Mark, l *CostlyLine) string {
	text := fmt.Sprintf("%s of the self time, %s", share(l.Share), Joules(m.Result, l.EnergyJ))
	if callees := lineCallees(&l.Line); callees != "" {
		text += ", in " + callees
	}
	return text
}
