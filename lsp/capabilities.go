package lsp

import (
	"bytes"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"
)

// capabilities is what the server needs to know about its client. The zero
// value is the poorest client.
type capabilities struct {
	markdown      bool // in hovers
	progress      bool // the server may create progress
	configuration bool // the server may ask for settings
	lensRefresh   bool
	watch         bool // files can be watched
}

// initializeParams is the part of the protocol's type that the server reads.
// The protocol's own is strict: one capability of an unknown shape, of which
// there are many out there, would keep the whole editor out.
type initializeParams struct {
	RootPath         *string
	RootURI          *string
	WorkspaceFolders []struct{ URI string }
	Options          json.RawMessage `json:"initializationOptions"`
	Capabilities     struct {
		TextDocument struct {
			Hover struct{ ContentFormat []string }
		}
		Window    struct{ WorkDoneProgress bool }
		Workspace struct {
			Configuration         bool
			CodeLens              struct{ RefreshSupport bool }
			DidChangeWatchedFiles struct{ DynamicRegistration bool }
		}
	}
}

func readInitialize(raw jsonrpc2.RawMessage) (*initializeParams, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the parameters of initialize must be an object")
	}
	p := new(initializeParams)
	var shape *json.UnmarshalTypeError // of one member; the others were read
	if err := json.Unmarshal(raw, p); err != nil && !errors.As(err, &shape) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "reading the parameters: %v", err)
	}
	return p, nil
}

func (p *initializeParams) capabilities() capabilities {
	c := capabilities{
		progress:      p.Capabilities.Window.WorkDoneProgress,
		configuration: p.Capabilities.Workspace.Configuration,
		lensRefresh:   p.Capabilities.Workspace.CodeLens.RefreshSupport,
		watch:         p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration,
	}
	for _, format := range p.Capabilities.TextDocument.Hover.ContentFormat {
		if format == "markdown" || format == "plaintext" {
			c.markdown = format == "markdown"
			break // the client's favourite is first
		}
	}
	return c
}

// folders lists the workspace folders; those that are not on disk are left out.
func (p *initializeParams) folders() []folder {
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
	var folders []folder
	for _, u := range uris {
		if f, err := newFolder(u); err == nil {
			folders = append(folders, f)
		}
	}
	return folders
}

// options reads the initialization options: trusted, and the settings, either
// as the object spell or right among the options. The workspace is trusted if
// nothing is said of it, or literally true: any other value is a client that
// means something else.
func (p *initializeParams) options() (trusted bool, settings json.RawMessage) {
	var options map[string]json.RawMessage
	if json.Unmarshal(p.Options, &options) != nil {
		return true, nil // absent, or the empty list that Lua makes of an empty table
	}
	said, ok := options["trusted"]
	trusted = !ok || string(bytes.TrimSpace(said)) == "true"
	delete(options, "trusted")
	delete(options, "token") // see admit; it is no setting
	if named, ok := options[section]; ok {
		return trusted, named
	}
	all, err := json.Marshal(options)
	if err != nil {
		return trusted, nil
	}
	return trusted, all
}
