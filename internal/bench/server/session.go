package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"spell-lsp/internal/lsptest"
)

// A session describes what an editor sends with initialize.
type session struct {
	folders []string
	watch   bool // it can watch files for the server
}

// params are the parameters of initialize, with the capabilities of most editors.
func (s session) params() map[string]any {
	var folders []map[string]string
	for _, f := range s.folders {
		folders = append(folders, map[string]string{"uri": lsptest.URI(f), "name": f})
	}
	return map[string]any{
		"processId":        nil,
		"rootUri":          folders[0]["uri"],
		"workspaceFolders": folders,
		"capabilities": map[string]any{
			"workspace": map[string]any{
				"configuration": true, "workspaceFolders": true,
				"codeLens":              map[string]any{"refreshSupport": true},
				"didChangeWatchedFiles": map[string]any{"dynamicRegistration": s.watch},
			},
			"window": map[string]any{"workDoneProgress": true},
			"textDocument": map[string]any{
				"hover":              map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
				"publishDiagnostics": map[string]any{"relatedInformation": true, "versionSupport": true, "codeDescriptionSupport": true},
				"codeAction": map[string]any{
					"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"", "quickfix", "refactor", "source"}}},
					"disabledSupport":          true,
				},
			},
		},
	}
}

// A connection is a client after initialize and initialized.
type connection struct {
	*client
	ready   time.Time // arrival of the answer to initialize
	actions bool      // it offers code actions
}

// initialize sends only initialize; options may be nil.
func (s session) initialize(ctx context.Context, c *client, options any) (*connection, error) {
	params := s.params()
	params["initializationOptions"] = options
	a, err := c.ask(ctx, "initialize", params)
	if err != nil {
		c.kill()
		return nil, err
	}
	var result struct {
		Capabilities struct{ CodeActionProvider json.RawMessage }
	}
	if err := json.Unmarshal(a.result, &result); err != nil {
		c.kill()
		return nil, fmt.Errorf("reading the answer to initialize: %w", err)
	}
	offers := string(result.Capabilities.CodeActionProvider)
	return &connection{c, a.at, offers != "" && offers != "false" && offers != "null"}, nil
}

// goplsOptions enable the lenses above tests, which gopls does not show by default.
var goplsOptions = map[string]any{"codelenses": map[string]bool{"test": true, "generate": true}}

// A starter starts a server and sends initialize.
type starter func(ctx context.Context, s session) (*connection, error)

// spell is the starter of spell-lsp.
func (b *bench) spell(ctx context.Context, s session) (*connection, error) {
	return b.spellWith(ctx, s)
}

// spellWith is spell with env added to the environment.
func (b *bench) spellWith(ctx context.Context, s session, env ...string) (*connection, error) {
	c, err := launch(ctx, env, b.server, "serve", "--log-level", "error")
	if err != nil {
		return nil, err
	}
	return s.initialize(ctx, c, nil)
}

// peer is the starter of gopls.
func (b *bench) peer(ctx context.Context, s session) (*connection, error) {
	c, err := launch(ctx, nil, b.gopls)
	if err != nil {
		return nil, err
	}
	return s.initialize(ctx, c, goplsOptions)
}

// open starts a server and sends initialize and initialized.
func (start starter) open(ctx context.Context, s session) (*connection, error) {
	o, err := start(ctx, s)
	if err != nil {
		return nil, err
	}
	return o, o.notify("initialized", map[string]any{})
}
