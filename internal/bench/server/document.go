package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"spell-lsp/internal/lsptest"
)

// A document is a file that is open in an editor.
type document struct {
	*file
	editor  *connection
	version int
	typed   lsptest.Position // of the last typed character, which the next edit deletes
	pending bool             // there is such a character
}

// openFile opens a file with its text on disk.
func (o *connection) openFile(f *file) (*document, error) {
	return &document{file: f, editor: o, version: 1}, o.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": lsptest.URI(f.path), "languageId": "go", "version": 1, "text": f.text,
	}})
}

func (d *document) id() map[string]any { return map[string]any{"uri": lsptest.URI(d.path)} }

// typedAfter is how the line below the name of every function begins.
const typedAfter = "\tsum := "

// edit types a character into the body of a function, or deletes the character typed
// last. Every fourth character breaks the syntax until it is deleted.
func (d *document) edit(function int) error {
	d.version++
	from, text := d.typed, ""
	to := lsptest.Position{Line: from.Line, Character: from.Character + 1}
	if d.pending = !d.pending; d.pending {
		from = lsptest.Position{Line: d.functions[function].Start.Line, Character: len(typedAfter)}
		to, d.typed = from, from
		if text = "9"; function%4 == 0 {
			text = "("
		}
	}
	return d.editor.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": lsptest.URI(d.path), "version": d.version},
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": from, "end": to}, "text": text}},
	})
}

// name is where the name of a function begins.
func (d *document) name(function int) lsptest.Position {
	start := d.functions[function].Start
	return lsptest.Position{Line: start.Line - 1, Character: start.Column - 1} // the text is ASCII
}

// hover requests the hover of a function.
func (d *document) hover(ctx context.Context, function int) error {
	a, err := d.editor.ask(ctx, "textDocument/hover", map[string]any{"textDocument": d.id(), "position": d.name(function)})
	if err == nil && string(a.result) == "null" {
		err = fmt.Errorf("hover of %s in %s: there is none", d.functions[function].Name, d.path)
	}
	return err
}

// visible is the number of lenses on the screen, which an editor resolves.
const visible = 20

// A lens is an undecoded code lens.
type lens map[string]json.RawMessage

// lenses requests the code lenses of a file.
func (o *connection) lenses(ctx context.Context, path string) ([]lens, error) {
	a, err := o.ask(ctx, "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(path)}})
	if err != nil {
		return nil, err
	}
	var lenses []lens
	if err := json.Unmarshal(a.result, &lenses); err != nil {
		return nil, fmt.Errorf("reading the lenses: %w", err)
	}
	return lenses, nil
}

// resolve requests the commands of lenses without one, all at once as editors do.
func (o *connection) resolve(ctx context.Context, lenses []lens) error {
	var calls []*call
	for _, l := range lenses {
		if l["command"] != nil {
			return errors.New("resolving a lens: it has its command already")
		}
		made, err := o.call("codeLens/resolve", l)
		if err != nil {
			return err
		}
		calls = append(calls, made)
	}
	for _, made := range calls {
		a, err := made.wait(ctx)
		if err == nil {
			err = a.failure(made.method)
		}
		if err != nil {
			return err
		}
		var resolved struct{ Command struct{ Title string } }
		if err := json.Unmarshal(a.result, &resolved); err != nil || resolved.Command.Title == "" {
			return fmt.Errorf("resolving a lens: there is no command in %s", a.result)
		}
	}
	return nil
}

// codeActions requests the code actions at a function.
func (d *document) codeActions(ctx context.Context, function int) (seen int, err error) {
	at := d.name(function)
	a, err := d.editor.ask(ctx, "textDocument/codeAction", map[string]any{
		"textDocument": d.id(), "range": lsptest.Range{Start: at, End: at}, "context": map[string]any{"diagnostics": []any{}},
	})
	if err != nil {
		return 0, err
	}
	var actions []json.RawMessage
	if err := json.Unmarshal(a.result, &actions); err != nil {
		return 0, fmt.Errorf("reading the code actions: %w", err)
	}
	return len(actions), nil
}
