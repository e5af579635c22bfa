package lsptest

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
)

// A Client is an editor of the real world: what it says that it can do, and
// what it does.
//
// The capabilities are in clients/*.json. Three are what the editors compute:
// vscode-languageclient 11.0.0 with all of its features, beside a stand-in of the
// editor; Neovim 0.7.2 by vim.lsp.protocol.make_client_capabilities(); lsp-mode
// 8.0.0 by lsp--client-capabilities, with what lsp-lens-enable adds. That of
// eglot 1.9 is what eglot-client-capabilities gives where there is no
// markdown-mode. That of Neovim 0.11 on Linux was copied by hand, without
// semantic tokens, from a runtime/lua/vim/lsp/protocol.lua of its time.
type Client struct {
	Name     string
	knows    []string // what the server may call
	Lenses   bool     // it asks for code lenses, and resolves those without a command
	Hints    bool     // it asks for inlay hints
	Progress bool     // it shows the progress that the server starts
	Watches  bool     // it tells of files that change on disk
	Asked    bool     // it can be asked for its settings; if not it tells them
	Pulls    bool     // it asks for diagnostics, where the server has them
}

// The calls of the server that a client may know.
const (
	progressCreate    = "window/workDoneProgress/create"
	register          = "client/registerCapability"
	configuration     = "workspace/configuration"
	applyEdit         = "workspace/applyEdit"
	showDocument      = "window/showDocument"
	lensRefresh       = "workspace/codeLens/refresh"
	hintRefresh       = "workspace/inlayHint/refresh"
	diagnosticRefresh = "workspace/diagnostic/refresh"
)

// Clients lists the editors that are known.
func Clients() []Client {
	return []Client{
		{
			Name:   "vscode",
			knows:  []string{progressCreate, register, configuration, applyEdit, showDocument, lensRefresh, hintRefresh, diagnosticRefresh},
			Lenses: true, Hints: true, Progress: true, Watches: true, Asked: true, Pulls: true,
		},
		{ // lenses when asked for by hand; it has no handler for codeLens/refresh
			Name:   "neovim-0.7",
			knows:  []string{progressCreate, register, configuration, applyEdit},
			Lenses: true, Progress: true,
		},
		{
			Name:   "neovim-0.11",
			knows:  []string{progressCreate, register, configuration, applyEdit, showDocument, lensRefresh, hintRefresh, diagnosticRefresh},
			Lenses: true, Hints: true, Progress: true, Asked: true, Pulls: true,
		},
		{ // no lenses and no progress
			Name:    "eglot",
			knows:   []string{register, configuration, applyEdit},
			Watches: true, Asked: true,
		},
		{
			Name:   "lsp-mode",
			knows:  []string{progressCreate, register, configuration, applyEdit, lensRefresh},
			Lenses: true, Progress: true, Watches: true, Asked: true,
		},
	}
}

//go:embed clients/*.json
var clients embed.FS

// Capabilities is what the client says of itself.
func (c Client) Capabilities() map[string]any {
	var all map[string]any
	text, err := clients.ReadFile("clients/" + c.Name + ".json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil { // the file is part of the program
		panic(fmt.Sprintf("capabilities of %s: %v", c.Name, err))
	}
	return all
}

// Behave makes the editor one of the real world. It must be said before Start.
func (e *Editor) Behave(c Client) {
	e.client, e.Capabilities = &c, c.Capabilities()
	for _, method := range []string{progressCreate, register, lensRefresh, hintRefresh, diagnosticRefresh} {
		e.Answer(method, func(json.RawMessage) (any, *Error) { return nil, nil })
	}
	e.Answer(showDocument, func(json.RawMessage) (any, *Error) { return map[string]bool{"success": true}, nil })
	e.Answer(applyEdit, func(json.RawMessage) (any, *Error) { return map[string]bool{"applied": true}, nil })
	for _, method := range []string{progressCreate, register, configuration, applyEdit, showDocument, lensRefresh, hintRefresh, diagnosticRefresh} {
		if !slices.Contains(c.knows, method) {
			e.Answer(method, nil)
		}
	}
}

// at is what the client says at a place of its capabilities, nil if nothing.
func (e *Editor) at(names ...string) any {
	var at any = e.Capabilities
	for _, name := range names {
		group, _ := at.(map[string]any)
		at = group[name]
	}
	return at
}

// has reports whether the client says that it can do something.
func (e *Editor) has(names ...string) bool {
	what := e.at(names...)
	yes, isBool := what.(bool)
	return yes || !isBool && what != nil
}

// Markdown reports whether the client wants markdown in hovers.
func (c Client) Markdown() bool {
	e := Editor{Capabilities: c.Capabilities()}
	formats, _ := e.at("textDocument", "hover", "contentFormat").([]any)
	return len(formats) > 0 && formats[0] == "markdown"
}

// Related reports whether the client shows where else a diagnostic leads to.
func (c Client) Related() bool {
	e := Editor{Capabilities: c.Capabilities()}
	return e.has("textDocument", "publishDiagnostics", "relatedInformation")
}
