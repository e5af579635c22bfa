package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// maxTop is how many components the reply to a measurement names.
const maxTop = 10

type measureArguments struct {
	Scope  string `json:"scope"`
	URI    string `json:"uri,omitempty"`
	Name   string `json:"name,omitempty"`
	Rounds int    `json:"rounds,omitempty"`
	Mode   string `json:"mode,omitempty"`
}

type measureReply struct {
	Run        string     `json:"run"`
	Tests      int        `json:"tests"`
	Components int        `json:"components"`
	Top        []topReply `json:"top"`
}

type topReply struct {
	ID   string     `json:"id"`
	Psi  float64    `json:"psi"`
	Zone spell.Zone `json:"zone"`
}

// A measurement is one that runs, or that was cancelled and is not over yet.
type measurement struct {
	dir       string
	cancel    context.CancelFunc
	cancelled func() bool
	over      chan struct{}          // closed when its processes and files are gone
	token     protocol.ProgressToken // of the client, nil if it gave none
	shown     bool                   // its result is: too late to cancel; guarded by session.mu
}

// measure runs the tests and shows what came out. The reply is sent when it is
// shown.
func (s *session) measure(raw protocol.LSPAny, token protocol.ProgressToken) (work, error) {
	args, err := arguments[measureArguments](raw)
	if err != nil {
		return nil, err
	}
	if !s.runs() {
		return nil, jsonrpc2.NewError(codeRequestFailed, "this workspace is not trusted, so nothing of it is run; trust it in the editor first")
	}
	request, err := s.request(args)
	if err != nil {
		return nil, err
	}
	// The measurement has a context of its own: it can also be cancelled by
	// other means than its call.
	ctx, cancel := context.WithCancel(context.Background())
	m := &measurement{
		dir: request.Dir, token: token, over: make(chan struct{}),
		cancel: cancel, cancelled: func() bool { return ctx.Err() != nil },
	}
	before, err := s.begin(m)
	if err != nil {
		cancel()
		return nil, err
	}
	request.Buffers = s.unsaved()
	return func(call context.Context) (any, error) {
		defer cancel()
		defer context.AfterFunc(call, func() { s.abort(m) })()
		return s.interruptible(ctx, "the measurement", func(ctx context.Context) (any, error) {
			defer s.finish(m)
			return s.run(ctx, m, request, before)
		})
	}, nil
}

// begin registers a measurement, unless one runs, of whatever folder: a meter
// of the whole machine would count both. It returns the one before, which may
// not be over yet.
func (s *session) begin(m *measurement) (before *measurement, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.busy
	if before != nil && !before.cancelled() {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s is being measured already; wait for it or cancel it (%s)", before.dir, cancelCommand)
	}
	s.busy = m
	if m.token != nil {
		s.tokens[tokenKey(m.token)] = m
	}
	return before, nil
}

func (s *session) finish(m *measurement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == m {
		s.busy = nil
	}
	for k, other := range s.tokens {
		if other == m {
			delete(s.tokens, k)
		}
	}
	close(m.over)
}

func (s *session) cancelAll() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.busy
	if m == nil || m.shown || m.cancelled() {
		return 0
	}
	m.cancel()
	return 1
}

// abort cancels a measurement, unless its result is shown already.
func (s *session) abort(m *measurement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !m.shown {
		m.cancel()
	}
}

// run makes the measurement and shows its outcome, whatever it is.
func (s *session) run(ctx context.Context, m *measurement, request Request, before *measurement) (any, error) {
	if before != nil {
		<-before.over // also when ctx ends: the next one waits for this one only
	}
	s.awaitSettings(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	settings, err := s.settingsOf(m.dir)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	request.Settings = settings
	p := s.newProgress(ctx, m)
	p.begin(ctx, "Measuring energy")
	run, err := s.measureSafely(ctx, request, func(step Progress) { p.report(ctx, step) })
	p.end(ctx, ending(ctx, run, err))
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	if !s.display(m, newResult(m.dir, run, settings)) {
		return nil, context.Canceled
	}
	s.flush(ctx)
	s.warn(ctx, run)
	return reply(replyTo(run))
}

// measureSafely turns a panic of the measurement into its failure.
func (s *session) measureSafely(ctx context.Context, r Request, progress func(Progress)) (run *record.Run, err error) {
	defer func() {
		if p := recover(); p != nil {
			run, err = nil, s.panicked("the measurement", p)
		}
	}()
	run, err = s.Measure(ctx, r, progress)
	if err == nil && run == nil {
		err = errors.New("there is no result")
	}
	return run, err
}

// display shows a result, unless its measurement was cancelled: then the user
// has been told that there is none.
func (s *session) display(m *measurement, r *result) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.cancelled() {
		return false
	}
	m.shown = true
	s.setResults(s.results.with(r))
	return true
}

// failed tells the user, and gives the error for the client.
func (s *session) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.show(ctx, protocol.MessageTypeError, err.Error())
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		return err
	}
	return jsonrpc2.NewError(codeRequestFailed, err.Error())
}

func ending(ctx context.Context, run *record.Run, err error) string {
	switch {
	case ctx.Err() != nil:
		return "cancelled"
	case err != nil:
		return "failed"
	}
	return fmt.Sprintf("%s, %s", plural(float64(len(run.Tests)), "test"), plural(float64(len(run.Components)), "function"))
}

// warn tells what the user must know to take the ranking for what it is.
func (s *session) warn(ctx context.Context, run *record.Run) {
	var left []string
	for i := range run.Tests {
		if t := &run.Tests[i]; t.LeftOut(false) {
			left = append(left, fmt.Sprintf("%s (%s)", t.Name, t.Outcome))
		}
	}
	if len(left) > 0 {
		text := fmt.Sprintf("%d of %s did not pass: %s", len(left), plural(float64(len(run.Tests)), "test"), strings.Join(left[:min(3, len(left))], ", "))
		if len(left) > 3 {
			text += " ..."
		}
		s.show(ctx, protocol.MessageTypeWarning, text)
	}
	for _, w := range run.AllWarnings() {
		_ = s.client.LogMessage(ctx, &protocol.LogMessageParams{Type: protocol.MessageTypeWarning, Message: w}) // lost with the client
	}
}

func replyTo(run *record.Run) measureReply {
	r := measureReply{Run: run.ID, Tests: len(run.Tests), Components: len(run.Components), Top: []topReply{}}
	for i := range run.Components[:min(maxTop, len(run.Components))] {
		c := &run.Components[i]
		r.Top = append(r.Top, topReply{c.ID, c.Psi, c.Zone})
	}
	return r
}
