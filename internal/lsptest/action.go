package lsptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// An Action is a code action that an editor offers at a place or, for clients
// without code action literals, a command.
type Action struct {
	Title       string
	Kind        string
	Diagnostics []Diagnostic
	Disabled    *struct{ Reason string }
	Edit        *WorkspaceEdit
	Command     json.RawMessage // an object, or the name if the action is a command
	Arguments   []json.RawMessage
	Data        json.RawMessage

	raw json.RawMessage // exactly as sent by the server
}

// Actions requests the code actions at a range of a file, with the diagnostics that
// the user sees there.
func (e *Editor) Actions(path string, r Range) []Action {
	e.t.Helper()
	at := []json.RawMessage{}
	for _, d := range e.Shown(path) {
		if !d.Range.before(r) && !r.before(d.Range) {
			at = append(at, d.raw) // an editor returns diagnostics as it received them
		}
	}
	var list []json.RawMessage
	e.into(e.MustCall("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": URI(path)}, "range": r, "context": map[string]any{"diagnostics": at, "triggerKind": 1},
	}), &list)
	actions := make([]Action, len(list))
	for i, raw := range list {
		e.into(raw, &actions[i])
		actions[i].raw = raw
		if !e.has("textDocument", "codeAction", "codeActionLiteralSupport") && !actions[i].isCommand() {
			e.t.Errorf("the client knows commands only: %s", raw)
		}
	}
	return actions
}

func (r Range) before(other Range) bool {
	return r.End.Line < other.Start.Line || r.End.Line == other.Start.Line && r.End.Character < other.Start.Character
}

func (a *Action) isCommand() bool { return bytes.HasPrefix(a.Command, []byte(`"`)) }

// Do performs an action: its edit, then its command.
func (e *Editor) Do(a Action) error {
	e.t.Helper()
	a = e.ResolveAction(a)
	if a.Disabled != nil {
		return fmt.Errorf("%q is disabled: %s", a.Title, a.Disabled.Reason)
	}
	if a.Edit != nil {
		if err := e.Apply(a.Edit); err != nil {
			return err
		}
	}
	if len(a.Command) == 0 {
		return nil
	}
	var command struct {
		Command   string
		Arguments []json.RawMessage
	}
	if a.isCommand() {
		e.into(a.Command, &command.Command)
		command.Arguments = a.Arguments
	} else {
		e.into(a.Command, &command)
	}
	_, err := e.Call("workspace/executeCommand", map[string]any{"command": command.Command, "arguments": command.Arguments}).Wait()
	if err != nil {
		return err
	}
	return nil
}

// ResolveAction requests the edit of an action that came without one, if the client
// supports that.
func (e *Editor) ResolveAction(a Action) Action {
	e.t.Helper()
	if a.Edit != nil || len(a.Command) > 0 || a.Disabled != nil {
		return a
	}
	if len(a.Data) == 0 || !e.has("textDocument", "codeAction", "resolveSupport") {
		e.t.Errorf("the action %q does nothing", a.Title)
		return a
	}
	var whole Action
	e.into(e.MustCall("codeAction/resolve", a.raw), &whole)
	return whole
}

// A WorkspaceEdit changes files.
type WorkspaceEdit struct {
	Changes         map[string][]TextEdit
	DocumentChanges []struct {
		Kind         string // of the file operation; "" for text edits
		URI          string // of the file operation's file
		TextDocument struct {
			URI     string
			Version *int
		}
		Edits []TextEdit
	}
}

// A TextEdit replaces a range.
type TextEdit struct {
	Range   Range
	NewText string
}

// Texts returns the new texts of all files that an edit changes. It fails where a
// client with these capabilities would.
func (e *Editor) Texts(edit *WorkspaceEdit) (map[string]string, error) {
	texts := map[string]string{}
	if edit.DocumentChanges != nil && !e.has("workspace", "workspaceEdit", "documentChanges") {
		return nil, errors.New("the client knows no documentChanges")
	}
	if edit.DocumentChanges != nil && edit.Changes != nil {
		return nil, errors.New("the edit has changes and documentChanges")
	}
	for uri, edits := range edit.Changes {
		if err := e.edited(texts, pathOf(uri), edits); err != nil {
			return nil, err
		}
	}
	for _, c := range edit.DocumentChanges {
		path := pathOf(c.TextDocument.URI)
		if c.Kind != "" {
			path = pathOf(c.URI)
		}
		b := e.buffers[path]
		switch {
		case c.Kind == "create" && e.creates():
			if _, err := os.Stat(path); err == nil {
				return nil, fmt.Errorf("%s is there already", path)
			}
			texts[path] = ""
		case c.Kind != "":
			return nil, fmt.Errorf("the client cannot %s files", c.Kind)
		case c.TextDocument.Version != nil && (b == nil || b.version != *c.TextDocument.Version):
			return nil, fmt.Errorf("the edit is of version %d of %s", *c.TextDocument.Version, path)
		default:
			if err := e.edited(texts, path, c.Edits); err != nil {
				return nil, err
			}
		}
	}
	return texts, nil
}

func (e *Editor) creates() bool {
	var operations struct {
		Workspace struct {
			WorkspaceEdit struct{ ResourceOperations []string }
		}
	}
	raw, err := json.Marshal(e.Capabilities)
	return err == nil && json.Unmarshal(raw, &operations) == nil && slices.Contains(operations.Workspace.WorkspaceEdit.ResourceOperations, "create")
}

// edited puts the text of a file after the edits into texts.
func (e *Editor) edited(texts map[string]string, path string, edits []TextEdit) error {
	text, ok := texts[path]
	if b := e.buffers[path]; !ok && b != nil {
		text = b.text
	} else if !ok {
		raw, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // a missing file is an empty buffer in all editors
			return err
		}
		text = string(raw)
	}
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b TextEdit) int { return offset(text, b.Range.Start) - offset(text, a.Range.Start) })
	for _, edit := range edits { // from the end, so that earlier positions stay valid
		text = text[:offset(text, edit.Range.Start)] + edit.NewText + text[offset(text, edit.Range.End):]
	}
	texts[path] = text
	return nil
}

// Apply applies an edit: it opens files that were not open, and saves none.
func (e *Editor) Apply(edit *WorkspaceEdit) error {
	e.t.Helper()
	texts, err := e.Texts(edit)
	if err != nil {
		return err
	}
	for path, text := range texts {
		if e.buffers[path] != nil {
			e.SetText(path, text)
			continue
		}
		old, err := os.ReadFile(path)
		if err != nil {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
		}
		e.OpenText(path, string(old))
		e.SetText(path, text)
	}
	return nil
}

// offset converts a position to a byte offset.
func offset(text string, p Position) int {
	at := 0
	for range p.Line {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		at += end + 1
	}
	units := 0
	for i, r := range text[at:] {
		if units >= p.Character || r == '\n' {
			return at + i
		}
		units += utf16.RuneLen(r)
	}
	return len(text)
}
