package lsp

import (
	"context"
	"crypto/subtle"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/snapshot"
)

// phase is where the session is in its life. It only ever moves forward.
type phase int32

const (
	created  phase = iota // before initialize
	serving               // initialize was accepted
	stopping              // after shutdown
	left                  // after shutdown and exit
	deserted              // after exit without shutdown
	refused               // after a wrong token
)

func (s *session) phase() phase { return phase(s.phaseNow.Load()) }

// enter is called while a message is handled only, one after the other.
func (s *session) enter(p phase) { s.phaseNow.Store(int32(p)) }

func (s *session) exitError() error {
	switch s.phase() {
	case deserted:
		return ErrExit
	case refused:
		return ErrRefused
	default:
		return nil
	}
}

// A greeting is what the client says of itself with initialize.
type greeting struct {
	ClientInfo struct{ Name, Version string }
	Options    struct {
		Token        string
		Changes      bool // what is shown is told of when it changes
		SpacedTables bool // see client.Capabilities
	} `json:"initializationOptions"`
}

func readGreeting(raw jsonrpc2.RawMessage) greeting {
	var g greeting
	_ = json.Unmarshal(raw, &g) // what has another shape stays empty
	return g
}

// admit lets a client in that knows the token. To any other nothing is said,
// and the connection is closed.
func (s *session) admit(token string) error {
	switch {
	case s.Token == "":
		return nil
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 0:
		s.enter(refused)
		s.client.Finish()
		return jsonrpc2.NewError(codeRequestFailed, "give the token that the server has written on standard error as initializationOptions.token")
	case s.Accepted != nil && !s.Accepted():
		s.enter(refused)
		s.client.Finish()
		return jsonrpc2.NewError(codeRequestFailed, "another client is served")
	}
	return nil
}

func (s *session) initialize(raw jsonrpc2.RawMessage) (work, error) {
	params, err := readInitialize(raw)
	if err != nil {
		return nil, err
	}
	hello := readGreeting(raw)
	if err := s.admit(hello.Options.Token); err != nil {
		return nil, err
	}
	s.enter(serving)
	s.client.Admit()
	offers := params.capabilities()
	offers.HearsChanges, offers.SpacedTables = hello.Options.Changes, hello.Options.SpacedTables
	s.client.Introduce(offers)
	folders := params.folders()
	trusted, options := params.options()
	s.config.Initialize(trusted, options)
	s.snapshots.Update(func(next *snapshot.Snapshot) bool {
		next.Folders = folders
		next.Show(next.Results)
		return true
	})
	s.log.Info("initialize", zap.String("client", redact.Name(hello.ClientInfo.Name)), zap.String("version", redact.Name(hello.ClientInfo.Version)),
		zap.Int("folders", len(folders)), zap.Bool("trusted", trusted))
	if params.ProcessID != nil {
		s.client.WatchProcess(*params.ProcessID)
	}
	return func(context.Context) (any, error) {
		return &protocol.InitializeResult{
			Capabilities: serverCapabilities(offers),
			ServerInfo:   protocol.ServerInfo{Name: Name, Version: protocol.NewOptional(s.Version)},
		}, nil
	}, nil
}

// initialized is the first moment at which the server may call the client.
func (s *session) initialized(ctx context.Context, _ jsonrpc2.RawMessage) error {
	s.pullConfiguration(ctx)
	s.registerConfiguration(ctx)
	s.tasks.Go(ctx, "watching files", s.watchFiles)
	s.tasks.Go(ctx, "looking for saved runs", s.restoreFolders)
	return nil
}

// shutdown cancels what runs and answers at once; Serve waits for the end of
// what was cancelled.
func (s *session) shutdown(jsonrpc2.RawMessage) (work, error) {
	s.enter(stopping)
	s.measurements.cancelAll()
	return nothing, nil
}

func (s *session) exit() {
	s.client.Finish()
	if s.phase() == stopping {
		s.enter(left)
	} else {
		s.enter(deserted)
	}
}
