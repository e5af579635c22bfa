package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/redact"
	"spell-lsp/spell/page"
)

// reportEvery is how often a client hears of progress at most.
const reportEvery = 100 * time.Millisecond

// createWait is how long a measurement waits for a client to make a progress.
const createWait = 2 * time.Second

// A progress tells the client how far a measurement has come. A nil progress
// tells nobody. It is told to the end, also when the measurement is cancelled.
type progress struct {
	client *client.Client
	token  protocol.ProgressToken

	mu      sync.Mutex
	last    time.Time
	percent uint32      // never falls
	step    *Progress   // to be told, nil if it was
	timer   *time.Timer // tells it, nil if none runs
	ended   bool
}

// newProgress uses the token that the client gave with its call, or else makes
// one, if the client can do that.
func (s *session) newProgress(ctx context.Context, m *measurement) *progress {
	if m.token != nil {
		return &progress{client: s.client, token: m.token}
	}
	able := func(c *client.Capabilities) *bool { return &c.Progress }
	if !s.client.Capable(able) {
		return nil
	}
	token := s.measurements.newToken(m)
	ctx, cancel := context.WithTimeout(ctx, createWait)
	defer cancel()
	err := s.client.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token})
	s.client.Refused(err, "creating progress", able)
	if err != nil {
		return nil
	}
	return &progress{client: s.client, token: token}
}

func (p *progress) begin(ctx context.Context, title string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	yes, zero := true, uint32(0)
	p.send(ctx, protocol.WorkDoneProgressBegin{Kind: "begin", Title: page.CleanLines(title), Cancellable: &yes, Percentage: &zero})
}

// report tells a step, unless the last one was told just now, or the client
// has not read it yet.
func (p *progress) report(ctx context.Context, step Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step = &step
	if wait := reportEvery - time.Since(p.last); wait > 0 {
		if p.timer == nil {
			p.timer = time.AfterFunc(wait, func() { p.tell(ctx) })
		}
		return
	}
	p.told(ctx)
}

// tell tells the last step that came too soon behind another.
func (p *progress) tell(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = nil
	p.told(ctx)
}

// told tells the last step. The caller holds mu.
func (p *progress) told(ctx context.Context) {
	if p.ended || p.step == nil || p.client.Lagging() {
		return
	}
	step := p.step
	message := page.CleanLines(step.Message)
	p.step, p.last = nil, time.Now()
	if step.Fraction >= 0 {
		p.percent = max(p.percent, uint32(100*min(step.Fraction, 1)))
	}
	p.send(ctx, protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: &p.percent})
}

func (p *progress) end(ctx context.Context, message string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	message = page.CleanLines(message)
	p.send(ctx, protocol.WorkDoneProgressEnd{Kind: "end", Message: &message})
}

func (p *progress) send(ctx context.Context, value any) {
	p.client.SendProgress(ctx, p.token, value)
}

// cancelProgress is the client's button on a progress.
func (s *session) cancelProgress(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.WorkDoneProgressCancelParams](raw)
	if err != nil {
		return err
	}
	m := s.measurements.of(params.Token)
	if m == nil {
		return redact.PlainError("there is no such progress")
	}
	s.measurements.cancel(m)
	return nil
}
