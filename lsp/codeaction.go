package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/page"
)

// actionParams is the protocol's type, but for diagnostics: they are those of
// other servers too, whatever these put into them.
type actionParams struct {
	TextDocument struct{ URI uri.URI }
	Range        protocol.Range
	Context      struct {
		Diagnostics []json.RawMessage
		Only        []string
	}
}

// An action is something to do with what is at the cursor.
type action struct {
	command protocol.Command
	runs    bool                    // something of the workspace
	edit    *protocol.WorkspaceEdit // in place of the command
	reason  string                  // why it cannot be done now, "" if it can
}

// codeAction lists what can be done with the function or test at the cursor.
// All that a lens does is among it, because some editors have no lenses.
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
		m, test := v.MarkAt(from, to), v.TestAt(path, from, to)
		if m == nil && test == nil {
			return none, nil
		}
		var about *outline.Function
		if m != nil {
			about = &m.Function
		} else {
			about = test
		}
		fixes := ours(params.Context.Diagnostics, at.Span(about.Start, about.End))
		return s.encodeActions(s.actions(m, test, string(params.TextDocument.URI)), fixes), nil
	}, nil
}

// wanted reports whether a kind is among those that the client asks for, which
// stand for all kinds below them.
func wanted(only []string, kind string) bool {
	for _, o := range only {
		if o == "" || o == kind || strings.HasPrefix(kind, o+".") {
			return true
		}
	}
	return len(only) == 0
}

// actions lists the code actions for a component and a test; either may be nil.
func (s *session) actions(m *view.Mark, test *outline.Function, u string) []action {
	var list []action
	measure := func(title string, args measureArguments) {
		args.URI = u
		list = append(list, action{command: measureOf(title, args), runs: true})
	}
	function := m != nil && m.IsGoFunction()
	if function && m.Name != initFunction {
		measure("Measure energy of "+m.Name, measureArguments{Scope: "function", Name: m.Name})
	}
	if test != nil {
		measure("Measure energy of "+test.Name, measureArguments{Scope: "test", Name: test.Name})
	}
	if strings.HasSuffix(u, ".go") {
		measure("Measure energy of this package", measureArguments{Scope: "package"})
	}
	if function {
		list = append(list, s.drilling(m, u))
	}
	if m == nil {
		return list
	}
	run := m.Result.Run.ID
	return append(list,
		action{command: showRanking("Show energy ranking", u, run)},
		action{command: commandOf("Set as baseline", setBaselineCommand, setBaselineArguments{run})},
		s.hiding(m),
	)
}

func (s *session) drilling(m *view.Mark, u string) action {
	a := action{command: commandOf("Drill into blocks of "+m.Name, drillDownCommand, drillDownArguments{ID: m.Component().ID, URI: u}), runs: true}
	if err := s.mayRunIn(m.Result.Dir); err != nil {
		a.reason = err.Error()
	}
	if m.WasRenamed() {
		a.reason = errRenamed.Error()
	}
	return a
}

func (s *session) hiding(m *view.Mark) action {
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

// encodeActions gives actions in the form that the client takes, without those
// that cannot be chosen now if it does not show why.
func (s *session) encodeActions(list []action, fixes []protocol.Diagnostic) []any {
	trusted := s.config.Trusted()
	can, busy := s.client.Capabilities(), s.measurements.running()
	encoded := []any{}
	for _, a := range list {
		if a.runs && busy {
			a.reason = "something is being measured already"
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

// ours picks the diagnostics of this server within a range.
func ours(all []json.RawMessage, within protocol.Range) []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, raw := range all {
		var of struct {
			Source string
			Range  protocol.Range
		}
		if json.Unmarshal(raw, &of) != nil || of.Source != Source || before(of.Range.Start, within.Start) || before(within.End, of.Range.End) {
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
