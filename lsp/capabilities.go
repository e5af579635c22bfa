package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/config"
	"spell-lsp/lsp/location"
)

// initializeParams is the part of the protocol's type that the server reads.
// The protocol's own type is strict: a single capability of an unknown shape, which
// many editors send, would make initialize fail.
type initializeParams struct {
	ProcessID        *int // of the editor; nil if the server should not watch it
	RootPath         *string
	RootURI          *string
	WorkspaceFolders []struct{ URI string }
	Options          json.RawMessage `json:"initializationOptions"`
	Capabilities     struct {
		TextDocument struct {
			Hover    struct{ ContentFormat []string }
			CodeLens struct {
				ResolveSupport *struct{ Properties []string }
			}
			CodeAction struct {
				CodeActionLiteralSupport *struct{}
				DisabledSupport          bool
			}
			PublishDiagnostics struct {
				diagnosticShape
				VersionSupport *bool
			}
			Diagnostic *diagnosticShape
		}
		Window    struct{ WorkDoneProgress bool }
		Workspace struct {
			ApplyEdit              bool
			Configuration          bool
			DidChangeConfiguration struct{ DynamicRegistration bool }
			CodeLens               struct{ RefreshSupport bool }
			InlayHint              struct{ RefreshSupport bool }
			Diagnostics            struct{ RefreshSupport bool }
			WorkspaceEdit          struct {
				DocumentChanges    bool
				ResourceOperations []string
			}
			DidChangeWatchedFiles struct{ DynamicRegistration bool }
		}
	}
}

// diagnosticShape is the support for diagnostics that a client announces.
type diagnosticShape struct {
	RelatedInformation     bool
	CodeDescriptionSupport bool
	TagSupport             struct{ ValueSet []protocol.DiagnosticTag }
}

func (d *diagnosticShape) abilities() client.DiagnosticAbilities {
	return client.DiagnosticAbilities{
		Related: d.RelatedInformation, Link: d.CodeDescriptionSupport,
		Fade: slices.Contains(d.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary),
	}
}

func readInitialize(raw jsonrpc2.RawMessage) (*initializeParams, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the parameters of initialize must be an object")
	}
	p := new(initializeParams)
	var shape *json.UnmarshalTypeError // one member has another type; the others were read
	if err := json.Unmarshal(raw, p); err != nil && !errors.As(err, &shape) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "reading the parameters: %v", err)
	}
	return p, nil
}

func (p *initializeParams) capabilities() client.Capabilities {
	c := client.Capabilities{
		Progress:      p.Capabilities.Window.WorkDoneProgress,
		Configuration: p.Capabilities.Workspace.Configuration,
		ConfigChanges: p.Capabilities.Workspace.DidChangeConfiguration.DynamicRegistration,
		LensRefresh:   p.Capabilities.Workspace.CodeLens.RefreshSupport,
		Watch:         p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration,
	}
	p.lenses(&c)
	p.edits(&c)
	p.diagnostics(&c)
	for _, format := range p.Capabilities.TextDocument.Hover.ContentFormat {
		if format == "markdown" || format == "plaintext" {
			c.Markdown = format == "markdown"
			break // the client lists its preferred format first
		}
	}
	return c
}

func (p *initializeParams) lenses(c *client.Capabilities) {
	c.HintRefresh = p.Capabilities.Workspace.InlayHint.RefreshSupport
	resolve := p.Capabilities.TextDocument.CodeLens.ResolveSupport
	c.LensResolve = resolve == nil || slices.Contains(resolve.Properties, "command")
}

func (p *initializeParams) edits(c *client.Capabilities) {
	action, edit := p.Capabilities.TextDocument.CodeAction, p.Capabilities.Workspace.WorkspaceEdit
	c.Actions, c.Disabled = action.CodeActionLiteralSupport != nil, action.DisabledSupport
	c.Apply = p.Capabilities.Workspace.ApplyEdit
	c.Changes = edit.DocumentChanges
	c.Create = edit.DocumentChanges && slices.Contains(edit.ResourceOperations, string(protocol.ResourceOperationKindCreate))
}

// diagnostics reads the support for diagnostics. A client that can pull diagnostics, but has
// no refresh, gets them pushed, because it would show outdated ones. According to LSP 3.17,
// the abilities of pushed diagnostics also hold for pulled ones.
func (p *initializeParams) diagnostics(c *client.Capabilities) {
	push, pull := &p.Capabilities.TextDocument.PublishDiagnostics, p.Capabilities.TextDocument.Diagnostic
	c.NoVersions = push.VersionSupport != nil && !*push.VersionSupport
	c.Pushed = push.abilities()
	c.Pulled = c.Pushed
	if pull == nil {
		return
	}
	c.Pull = p.Capabilities.Workspace.Diagnostics.RefreshSupport
	c.PullRefresh = c.Pull
	own := pull.abilities()
	c.Pulled = client.DiagnosticAbilities{
		Related: own.Related || c.Pushed.Related, Link: own.Link || c.Pushed.Link, Fade: own.Fade || c.Pushed.Fade,
	}
}

// folders lists the workspace folders that are on disk.
func (p *initializeParams) folders() []location.Folder {
	var uris []string
	for _, f := range p.WorkspaceFolders {
		uris = append(uris, f.URI)
	}
	if len(uris) == 0 && p.RootURI != nil {
		uris = append(uris, *p.RootURI)
	}
	if len(uris) == 0 && p.RootPath != nil && *p.RootPath != "" {
		uris = append(uris, string(uri.File(*p.RootPath)))
	}
	var folders []location.Folder
	for _, u := range uris {
		if f, err := location.NewFolder(u); err == nil {
			folders = append(folders, f)
		}
	}
	return folders
}

// options reads the initialization options: trusted, and the settings, which are either in
// the object spell or directly in the options. The workspace is trusted if the option is
// absent or true. Any other value means no trust, whatever its type.
func (p *initializeParams) options() (trusted bool, settings json.RawMessage) {
	var options map[string]json.RawMessage
	if json.Unmarshal(p.Options, &options) != nil {
		return true, nil // absent, or the empty list that Lua makes of an empty table
	}
	said, ok := options["trusted"]
	trusted = !ok || string(bytes.TrimSpace(said)) == "true"
	delete(options, "trusted")
	for _, name := range []string{"token", "changes", "spacedTables"} {
		delete(options, name) // see clientParams
	}
	if named, ok := options[config.Section]; ok {
		return trusted, named
	}
	all, err := json.Marshal(options)
	if err != nil {
		return trusted, nil
	}
	return trusted, all
}

// serverCapabilities returns the capabilities that the server announces to a client.
func serverCapabilities(can client.Capabilities) protocol.ServerCapabilities {
	yes, change := true, protocol.TextDocumentSyncKindIncremental
	no := false
	identifier := Source
	c := protocol.ServerCapabilities{
		// Every client supports UTF-16, whatever else it offers.
		PositionEncoding: protocol.PositionEncodingKindUTF16,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &change, Save: &protocol.SaveOptions{IncludeText: &no},
		},
		HoverProvider:     protocol.Boolean(true),
		CodeLensProvider:  &protocol.CodeLensOptions{ResolveProvider: &yes},
		InlayHintProvider: protocol.Boolean(true),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: &yes},
			Commands:                commandNames(),
		},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: protocol.Boolean(true),
		}},
	}
	c.CodeActionProvider = protocol.Boolean(true)
	if can.Actions {
		c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}}
	}
	if can.Pull {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: &identifier, InterFileDependencies: true}
	}
	return c
}
