package lsptest

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
)

// A Client is a real editor: its capabilities and its behaviour.
//
// The capabilities are in clients/*.json. Three files were produced by the editors
// themselves: vscode-languageclient 11.0.0 with all of its features and a stub of the
// editor; Neovim 0.7.2 by vim.lsp.protocol.make_client_capabilities(); lsp-mode 8.0.0
// by lsp--client-capabilities, with the additions of lsp-lens-enable. The file of
// eglot 1.9 is the result of eglot-client-capabilities without markdown-mode. The file
// of Neovim 0.11 on Linux was copied by hand, without semantic tokens, from
// runtime/lua/vim/lsp/protocol.lua of that release.
type Client struct {
	Name     string
	knows    []string // requests of the server that it answers
	Lenses   bool     // requests code lenses, and resolves those without a command
	Hints    bool     // requests inlay hints
	Progress bool     // shows progress that the server starts
	Watches  bool     // notifies the server of files that change on disk
	Asked    bool     // answers workspace/configuration; otherwise it sends its settings
	Pulls    bool     // requests diagnostics, if the server offers them
}

// The requests of the server that a client may know.
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

// Clients lists the known editors.
func Clients() []Client {
	return []Client{
		{
			Name:   "vscode",
			knows:  []string{progressCreate, register, configuration, applyEdit, showDocument, lensRefresh, hintRefresh, diagnosticRefresh},
			Lenses: true, Hints: true, Progress: true, Watches: true, Asked: true, Pulls: true,
		},
		{ // requests lenses only on the user's command, and has no handler for codeLens/refresh
			Name:   "neovim-0.7",
			knows:  []string{progressCreate, register, configuration, applyEdit},
			Lenses: true, Progress: true,
		},
		{
			Name:   "neovim-0.11",
			knows:  []string{progressCreate, register, configuration, applyEdit, showDocument, lensRefresh, hintRefresh, diagnosticRefresh},
			Lenses: true, Hints: true, Progress: true, Asked: true, Pulls: true,
		},
		{ // has neither lenses nor progress
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

// Capabilities returns the client's capabilities.
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

// Behave makes the editor behave like a real one. It must be called before Start.
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

// at returns the value of a nested capability; nil if the client does not have it.
func (e *Editor) at(names ...string) any {
	var at any = e.Capabilities
	for _, name := range names {
		group, _ := at.(map[string]any)
		at = group[name]
	}
	return at
}

// has reports whether a nested capability is true.
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

// Related reports whether the client shows the related locations of a diagnostic.
func (c Client) Related() bool {
	e := Editor{Capabilities: c.Capabilities()}
	return e.has("textDocument", "publishDiagnostics", "relatedInformation")
}
