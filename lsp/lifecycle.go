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

// phase is the phase of the session. It only moves forward.
type phase int32

const (
	created     phase = iota // before initialize
	serving                  // initialize was accepted
	stopping                 // after shutdown
	exited                   // after shutdown and exit
	exitedEarly              // after exit without shutdown
	refused                  // after a wrong token
)

func (s *session) phase() phase { return phase(s.phaseNow.Load()) }

// enter changes the phase. Only the goroutine that reads messages calls it.
func (s *session) enter(p phase) { s.phaseNow.Store(int32(p)) }

func (s *session) exitError() error {
	switch s.phase() {
	case exitedEarly:
		return ErrExit
	case refused:
		return ErrRefused
	default:
		return nil
	}
}

// clientParams is the part of initialize's parameters with the client's name and the options
// that are no settings.
type clientParams struct {
	ClientInfo struct{ Name, Version string }
	Options    struct {
		Token        string
		Changes      bool // see client.Capabilities.HearsChanges
		SpacedTables bool // see client.Capabilities
	} `json:"initializationOptions"`
}

func readClientParams(raw jsonrpc2.RawMessage) clientParams {
	var p clientParams
	_ = json.Unmarshal(raw, &p) // members of another type stay empty
	return p
}

// admit admits a client that knows the token. Any other client gets an error, and the
// connection is closed.
func (s *session) admit(token string) error {
	switch {
	case s.Token == "":
		return nil
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 0:
		s.enter(refused)
		s.client.Finish()
		return jsonrpc2.NewError(codeRequestFailed, "initializationOptions.token must be the token that the server wrote to standard error")
	case s.Accepted != nil && !s.Accepted():
		s.enter(refused)
		s.client.Finish()
		return jsonrpc2.NewError(codeRequestFailed, "the server already serves another client")
	}
	return nil
}

func (s *session) initialize(raw jsonrpc2.RawMessage) (work, error) {
	params, err := readInitialize(raw)
	if err != nil {
		return nil, err
	}
	sender := readClientParams(raw)
	if err := s.admit(sender.Options.Token); err != nil {
		return nil, err
	}
	s.enter(serving)
	s.client.Admit()
	can := params.capabilities()
	can.HearsChanges, can.SpacedTables = sender.Options.Changes, sender.Options.SpacedTables
	s.client.Introduce(can)
	folders := params.folders()
	trusted, options := params.options()
	s.config.Initialize(trusted, options)
	s.snapshots.Update(func(next *snapshot.Snapshot) bool {
		next.Folders = folders
		next.Show(next.Results)
		return true
	})
	s.log.Info("initialize", zap.String("client", redact.Name(sender.ClientInfo.Name)), zap.String("version", redact.Name(sender.ClientInfo.Version)),
		zap.Int("folders", len(folders)), zap.Bool("trusted", trusted))
	if params.ProcessID != nil {
		s.client.WatchProcess(*params.ProcessID)
	}
	return func(context.Context) (any, error) {
		return &protocol.InitializeResult{
			Capabilities: serverCapabilities(can),
			ServerInfo:   protocol.ServerInfo{Name: Name, Version: protocol.NewOptional(s.Version)},
		}, nil
	}, nil
}

// initialized starts the work for which the server sends requests to the client: the
// protocol allows none before this notification.
func (s *session) initialized(ctx context.Context, _ jsonrpc2.RawMessage) error {
	s.pullConfiguration(ctx)
	s.registerConfiguration(ctx)
	s.tasks.Go(ctx, "watching files", s.watchFiles)
	s.tasks.Go(ctx, "looking for saved runs", s.restoreFolders)
	return nil
}

// shutdown cancels the running measurement and answers at once; Serve waits for the end of
// the measurement.
func (s *session) shutdown(jsonrpc2.RawMessage) (work, error) {
	s.enter(stopping)
	s.measurements.cancelAll()
	return nothing, nil
}

func (s *session) exit() {
	s.client.Finish()
	if s.phase() == stopping {
		s.enter(exited)
	} else {
		s.enter(exitedEarly)
	}
}
