package lsptest

import "encoding/json"

// Pull requests the diagnostics of an open file (textDocument/diagnostic), and
// returns those that the user sees then.
func (e *Editor) Pull(path string) []Diagnostic {
	e.t.Helper()
	b := e.buffers[path]
	params := map[string]any{"textDocument": map[string]any{"uri": URI(path)}, "identifier": "spell"}
	if b.resultID != "" {
		params["previousResultId"] = b.resultID
	}
	var report struct {
		Kind     string
		ResultID string
		Items    []json.RawMessage
	}
	e.into(e.MustCall("textDocument/diagnostic", params), &report)
	switch {
	case report.Kind == "full":
		b.pulled = e.diagnostics(report.Items)
	case report.Kind != "unchanged":
		e.t.Errorf("the kind of a report is %q", report.Kind)
	case b.resultID == "" || report.ResultID == "":
		e.t.Errorf("what was never sent is said to be unchanged since %q", b.resultID)
	default:
		b.unchanged++
	}
	b.resultID = report.ResultID
	return b.pulled
}

// Unchanged is the number of answers to Pull that reported no change.
func (e *Editor) Unchanged(path string) int { return e.buffers[path].unchanged }

// PullsDiagnostics reports whether the editor requests diagnostics, which requires
// that both it and the server support that. It is known after Start.
func (e *Editor) PullsDiagnostics() bool { return e.client != nil && e.client.Pulls && e.pulls }

// pullWhere requests the diagnostics of a file that was opened or edited, if the
// editor pulls diagnostics.
func (e *Editor) pullWhere(path string) {
	e.t.Helper()
	if e.PullsDiagnostics() {
		e.Pull(path)
	}
}

// Shown returns the diagnostics of a file that the user sees now: published ones and
// pulled ones. After a refresh by the server, it pulls again first.
func (e *Editor) Shown(path string) []Diagnostic {
	e.t.Helper()
	refreshes := len(e.Messages(diagnosticRefresh))
	if e.PullsDiagnostics() && refreshes > e.refreshed {
		e.refreshed = refreshes
		for open := range e.buffers {
			e.Pull(open)
		}
	}
	list := e.Diagnostics(path)
	if b := e.buffers[path]; b != nil {
		list = append(append([]Diagnostic{}, list...), b.pulled...)
	}
	return list
}

// Published lists the paths of all files for which the server published diagnostics.
func (e *Editor) Published() []string {
	seen := map[string]bool{}
	var paths []string
	for _, m := range e.Messages("textDocument/publishDiagnostics") {
		var p published
		e.into(m.Params, &p)
		if path := pathOf(p.URI); !seen[path] {
			seen[path] = true
			paths = append(paths, path)
		}
	}
	return paths
}
