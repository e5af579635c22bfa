package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/render"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/page"
)

// actionParams is the protocol's type, except that diagnostics stay undecoded: they
// include those of other servers, whatever fields these have.
type actionParams struct {
	TextDocument struct{ URI uri.URI }
	Range        protocol.Range
	Context      struct {
		Diagnostics []json.RawMessage
		Only        []string
	}
}

// An action is a code action before it is encoded for the client.
type action struct {
	command protocol.Command
	runs    bool                    // it executes code of the workspace
	edit    *protocol.WorkspaceEdit // replaces the command; nil for none
	reason  string                  // why the action is disabled; "" if it is not
}

// codeAction lists the actions for the function, test or program at the cursor. They include
// everything that a lens does, because some editors have no lenses.
func (s *session) codeAction(raw jsonrpc2.RawMessage) (work, error) {
	var params actionParams
	if err := json.Unmarshal(raw, &params); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "reading the parameters: %v", err)
	}
	path, err := s.pathOf(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		none := []any{}
		v := s.views.View(path)
		if v == nil || !wanted(params.Context.Only, string(protocol.CodeActionKindQuickFix)) {
			return none, nil
		}
		at := v.Source.Mapper()
		from, to := at.Offset(params.Range.Start), at.Offset(params.Range.End)
		m, runs := v.MarkAt(from, to), s.runnablesAt(path, v, from, to)
		if m == nil && len(runs) == 0 {
			return none, nil
		}
		var about *outline.Function
		if m != nil {
			about = &m.Function
		} else {
			about = runs[0].at
		}
		fixes := ownDiagnostics(params.Context.Diagnostics, at.Span(about.Start, about.End))
		list := s.adviceActions(v, m, params.Range, string(params.TextDocument.URI))
		return s.encodeActions(append(list, s.actions(m, runs, string(params.TextDocument.URI))...), fixes), nil
	}, nil
}

// adviceActions lists the rewrites in the lines that a range touches, or in the whole function if it
// touches the name.
func (s *session) adviceActions(v *view.View, m *view.Mark, r protocol.Range, u string) []action {
	if m == nil || !s.client.Capabilities().Apply {
		return nil
	}
	name := v.Source.Mapper().Position(m.From).Line
	var list []action
	for _, a := range render.AdviceOn(v, m) {
		line := a.Range.Start.Line
		touched := r.Start.Line <= line && line <= r.End.Line || r.Start.Line <= name && name <= r.End.Line
		if a.Edits == nil || !touched {
			continue
		}
		title := fmt.Sprintf("Apply and measure: %s (saves %s)", cmp.Or(a.Help, a.Message), render.Saving(m, &a.Advised, m.Called()))
		list = append(list, action{command: commandOf(page.CleanLines(title), applyCommand, applyArguments{URI: u, Line: int(line), Rule: a.Rule}), runs: true})
	}
	return list
}

// wanted reports whether the client requests a kind of code action: a kind that it lists
// includes all kinds below it.
func wanted(only []string, kind string) bool {
	for _, o := range only {
		if o == "" || o == kind || strings.HasPrefix(kind, o+".") {
			return true
		}
	}
	return len(only) == 0
}

// actions lists the code actions for a component, which may be nil, and for what can be run at the
// cursor.
func (s *session) actions(m *view.Mark, runs []runnable, u string) []action {
	var list []action
	measure := func(title string, args measureArguments) {
		args.URI = u
		list = append(list, action{command: measureOf(title, args), runs: true})
	}
	function := m != nil && m.IsGoFunction()
	if function && m.Name != initFunction && !isMain(m, runs) {
		measure("Measure energy of "+m.Name, measureArguments{Scope: "function", Name: m.Name})
	}
	for _, r := range runs {
		measure(r.action(), r.arguments(u))
	}
	if strings.HasSuffix(u, ".go") {
		measure("Measure energy of this package", measureArguments{Scope: "package"})
	}
	if function {
		list = append(list, s.drillAction(m, u))
		if m.Name != initFunction && !isMain(m, runs) {
			list = append(list, s.growthActions(m, u)...)
		}
	}
	if m == nil {
		return list
	}
	run := m.Result.Run.ID
	return append(list,
		action{command: showRanking("Show energy ranking", rankingArguments{URI: u, Run: run})},
		action{command: commandOf("Set as baseline", setBaselineCommand, setBaselineArguments{run})},
		s.hideAction(m),
	)
}

// isMain reports whether a mark is the function main of a program, which no test reaches.
func isMain(m *view.Mark, runs []runnable) bool {
	return len(runs) > 0 && runs[0].scope == "program" && m.From == runs[0].at.From
}

func (s *session) drillAction(m *view.Mark, u string) action {
	a := action{command: commandOf("Drill into blocks of "+m.Name, drillDownCommand, drillDownArguments{ID: m.Component().ID, URI: u}), runs: true}
	if err := s.mayRunIn(m.Result.Dir); err != nil {
		a.reason = err.Error()
	}
	if m.WasRenamed() {
		a.reason = errRenamed.Error()
	}
	return a
}

func (s *session) hideAction(m *view.Mark) action {
	a := action{command: protocol.Command{Title: "Hide this " + string(m.Component().Kind)}}
	if m.IsGoFunction() {
		a.command.Title = "Hide " + m.Name
	}
	edit, err := s.hide(m)
	if err != nil {
		a.reason = err.Error()
	}
	a.edit = edit
	return a
}

// encodeActions returns actions in the form that the client supports. Disabled actions are
// left out if the client cannot show the reason.
func (s *session) encodeActions(list []action, fixes []protocol.Diagnostic) []any {
	trusted := s.config.Trusted()
	can, busy := s.client.Capabilities(), s.measurements.running()
	encoded := []any{}
	for _, a := range list {
		if a.runs && busy {
			a.reason = "a measurement is already running"
		}
		switch {
		case a.runs && !trusted:
		case can.Actions && (a.reason == "" || can.Disabled):
			encoded = append(encoded, a.encode(fixes))
		case a.reason == "" && a.edit == nil:
			encoded = append(encoded, &a.command)
		}
	}
	return encoded
}

func (a action) encode(fixes []protocol.Diagnostic) *protocol.CodeAction {
	kind := protocol.CodeActionKindQuickFix
	encoded := &protocol.CodeAction{Title: a.command.Title, Kind: &kind, Diagnostics: fixes}
	switch {
	case a.reason != "":
		encoded.Disabled = protocol.CodeActionDisabled{Reason: page.CleanLines(a.reason)}
	case a.edit != nil:
		encoded.Edit = a.edit
	default:
		encoded.Command = a.command
	}
	return encoded
}

// ownDiagnostics returns the diagnostics of this server within a range.
func ownDiagnostics(all []json.RawMessage, within protocol.Range) []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, raw := range all {
		var header struct {
			Source string
			Range  protocol.Range
		}
		if json.Unmarshal(raw, &header) != nil || header.Source != Source || before(header.Range.Start, within.Start) || before(within.End, header.Range.End) {
			continue
		}
		var d protocol.Diagnostic
		if protocol.Unmarshal(raw, &d) == nil {
			list = append(list, d)
		}
	}
	return list
}

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
