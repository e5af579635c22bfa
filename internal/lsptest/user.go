package lsptest

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A buffer is an open file in the editor.
type buffer struct {
	version int
	text    string
	undo    []string // former texts

	// The server's last answer to a request for diagnostics.
	pulled    []Diagnostic
	resultID  string
	unchanged int // number of answers that reported no change
}

// URI is the URI of a file on disk.
func URI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// Open opens a file with its text on disk, without a byte order mark, as editors do.
func (e *Editor) Open(path string) {
	e.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatalf("opening: %v", err)
	}
	e.OpenText(path, strings.TrimPrefix(string(text), "\ufeff"))
}

// OpenText opens a file with a text that need not be on disk.
func (e *Editor) OpenText(path, text string) {
	e.buffers[path] = &buffer{version: 1, text: text}
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": URI(path), "languageId": "go", "version": 1, "text": text,
	}})
	e.pullWhere(path)
}

// Edit replaces the first occurrence of a text in an open file by another, with an
// incremental change as when typing.
func (e *Editor) Edit(path, old, text string) {
	e.t.Helper()
	b := e.buffers[path]
	at := strings.Index(b.text, old)
	if at < 0 {
		e.t.Fatalf("%s has no %q", path, old)
	}
	change := map[string]any{
		"range": map[string]any{"start": position(b.text, at), "end": position(b.text, at+len(old))},
		"text":  text,
	}
	b.undo = append(b.undo, b.text)
	b.text = b.text[:at] + text + b.text[at+len(old):]
	e.change(path, change)
}

// Undo takes back the last edit of an open file.
func (e *Editor) Undo(path string) {
	e.t.Helper()
	b := e.buffers[path]
	if len(b.undo) == 0 {
		e.t.Fatalf("%s has nothing to undo", path)
	}
	last := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	from, to := 0, 0 // lengths of the common prefix and suffix of the texts
	for from < min(len(last), len(b.text)) && last[from] == b.text[from] {
		from++
	}
	for !utf8.RuneStart((b.text + "\n")[from]) || !utf8.RuneStart((last + "\n")[from]) {
		from--
	}
	for to < min(len(last), len(b.text))-from && last[len(last)-1-to] == b.text[len(b.text)-1-to] {
		to++
	}
	for to > 0 && !utf8.RuneStart(b.text[len(b.text)-to]) {
		to--
	}
	change := map[string]any{
		"range": map[string]any{"start": position(b.text, from), "end": position(b.text, len(b.text)-to)},
		"text":  last[from : len(last)-to],
	}
	b.text = last
	e.change(path, change)
}

// SetText replaces the whole text of an open file.
func (e *Editor) SetText(path, text string) {
	b := e.buffers[path]
	b.undo = append(b.undo, b.text)
	b.text = text
	e.change(path, map[string]any{"text": text})
}

func (e *Editor) change(path string, change map[string]any) {
	b := e.buffers[path]
	b.version += 3 // versions of real editors skip numbers, because they count undo steps
	e.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": URI(path), "version": b.version},
		"contentChanges": []any{change},
	})
	e.pullWhere(path)
}

// Save writes an open file to disk.
func (e *Editor) Save(path string) {
	e.t.Helper()
	if err := os.WriteFile(path, []byte(e.buffers[path].text), 0o600); err != nil {
		e.t.Fatalf("saving: %v", err)
	}
	e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": URI(path)}})
}

// Close closes an open file without saving it.
func (e *Editor) Close(path string) {
	delete(e.buffers, path)
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": URI(path)}})
}

// Text is the text of an open file.
func (e *Editor) Text(path string) string { return e.buffers[path].text }

// A Position is counted from 0, characters in UTF-16 units.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A Range is a part of a text; End is exclusive.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Of returns the text of a range within one line.
func (r Range) Of(text string) string {
	line := utf16.Encode([]rune(strings.Split(text, "\n")[r.Start.Line]))
	return string(utf16.Decode(line[r.Start.Character:r.End.Character]))
}

func position(text string, offset int) Position {
	before := text[:offset]
	line := before[strings.LastIndex(before, "\n")+1:]
	return Position{strings.Count(before, "\n"), len(utf16.Encode([]rune(line)))}
}

// A Diagnostic is a diagnostic as the user sees it.
type Diagnostic struct {
	Range           Range                 `json:"range"`
	Severity        int                   `json:"severity"`
	Code            string                `json:"code"`
	CodeDescription struct{ Href string } `json:"codeDescription"`
	Source          string                `json:"source"`
	Message         string                `json:"message"`

	raw json.RawMessage // exactly as sent by the server
}

// Related is a location related to a diagnostic.
type Related struct {
	Location struct {
		URI   string
		Range Range
	}
	Message string
}

// Related lists the related locations of the diagnostic.
func (d Diagnostic) Related() []Related {
	var with struct{ RelatedInformation []Related }
	if json.Unmarshal(d.raw, &with) != nil {
		return nil
	}
	return with.RelatedInformation
}

// diagnostics decodes a list of the server and keeps its raw form, because an editor
// returns it in full. It is nil if there is no list.
func (e *Editor) diagnostics(list []json.RawMessage) []Diagnostic {
	if list == nil {
		return nil
	}
	decoded := make([]Diagnostic, len(list))
	for i, raw := range list {
		e.into(raw, &decoded[i])
		decoded[i].raw = raw
	}
	return decoded
}

// The severities of the protocol.
const (
	SeverityError = iota + 1
	SeverityWarning
	SeverityInformation
	SeverityHint
)

type published struct {
	URI         string
	Version     *int
	Diagnostics []json.RawMessage
}

// Diagnostics are those that the server last published for a file; nil if it never
// did.
func (e *Editor) Diagnostics(path string) []Diagnostic {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.diagnostics(e.last(path).Diagnostics)
}

// last is the last publication for a file. For an open file it must be under the URI
// that the editor uses. The caller holds mu.
func (e *Editor) last(path string) published {
	for i := len(e.log) - 1; i >= 0; i-- {
		if e.log[i].Method != "textDocument/publishDiagnostics" {
			continue
		}
		var p published
		e.into(e.log[i].Params, &p)
		if p.URI == URI(path) || e.buffers[path] == nil && pathOf(p.URI) == path {
			return p
		}
	}
	return published{}
}

// AwaitDiagnostics waits for diagnostics of the current version of an open
// file and returns them.
func (e *Editor) AwaitDiagnostics(path string) []Diagnostic {
	e.t.Helper()
	var p published
	e.await("diagnostics of "+path, func() bool {
		p = e.last(path)
		return p.Version != nil && *p.Version == e.buffers[path].version
	})
	return e.diagnostics(p.Diagnostics)
}

// AwaitMessage waits until the server has sent n messages of a method, and returns
// the nth.
func (e *Editor) AwaitMessage(method string, n int) Message {
	e.t.Helper()
	var found []Message
	e.await(method, func() bool {
		found = found[:0]
		for _, m := range e.log {
			if m.Method == method {
				found = append(found, m)
			}
		}
		return len(found) >= n
	})
	return found[n-1]
}

// A Lens is a code lens as the user sees it.
type Lens struct {
	Range   Range `json:"range"`
	Command struct {
		Title     string            `json:"title"`
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	} `json:"command"`
}

// Lenses requests the code lenses of a file, and resolves those without a command.
func (e *Editor) Lenses(path string) []Lens {
	e.t.Helper()
	var list []json.RawMessage
	e.into(e.MustCall("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": URI(path)}}), &list)
	lenses := make([]Lens, len(list))
	for i, raw := range list {
		e.into(raw, &lenses[i])
		if lenses[i].Command.Title == "" {
			e.into(e.MustCall("codeLens/resolve", raw), &lenses[i])
		}
	}
	return lenses
}

// Click runs the command of a lens.
func (e *Editor) Click(l Lens) *Call {
	return e.Call("workspace/executeCommand", map[string]any{"command": l.Command.Command, "arguments": l.Command.Arguments})
}

// A Hover is the text at a place.
type Hover struct {
	Contents struct{ Kind, Value string }
	Range    Range
}

// Hover requests the hover one character into the first occurrence of a text in an
// open file. It returns nil if the server has none.
func (e *Editor) Hover(path, text string) *Hover {
	e.t.Helper()
	at := strings.Index(e.buffers[path].text, text)
	if at < 0 {
		e.t.Fatalf("%s has no %q", path, text)
	}
	return e.HoverAt(path, position(e.buffers[path].text, at+1))
}

// HoverAt requests the hover at a position of an open file.
func (e *Editor) HoverAt(path string, p Position) *Hover {
	e.t.Helper()
	var h *Hover
	e.into(e.MustCall("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": URI(path)}, "position": p}), &h)
	return h
}

// IsOpen reports whether a file is open.
func (e *Editor) IsOpen(path string) bool { return e.buffers[path] != nil }

// AwaitEmpty waits until the server publishes an empty list for a file.
func (e *Editor) AwaitEmpty(path string) {
	e.t.Helper()
	e.await("no diagnostics of "+path, func() bool {
		p := e.last(path)
		return p.URI != "" && len(p.Diagnostics) == 0
	})
}
