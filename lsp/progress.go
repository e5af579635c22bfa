package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/render"
	"spell-lsp/spell/page"
)

// reportEvery is the shortest time between two progress reports.
const reportEvery = 100 * time.Millisecond

// createWait is how long a measurement waits until the client has created a progress.
const createWait = 2 * time.Second

// A progress reports to the client how far a measurement has come. A nil progress reports
// nothing. Its end is always sent, also when the measurement is cancelled.
type progress struct {
	client *client.Client
	token  protocol.ProgressToken

	mu      sync.Mutex
	last    time.Time
	percent uint32      // never falls
	step    *Progress   // the last step, nil once it was sent
	timer   *time.Timer // sends step; nil if it is not running
	ended   bool
}

// newProgress uses the token that the client sent with its call. Without one it creates a
// progress, if the client supports that.
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

// report sends a step. If the previous step was sent less than reportEvery ago, it sends the
// step later; a step that another one follows until then is dropped.
func (p *progress) report(ctx context.Context, step Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step = &step
	if wait := reportEvery - time.Since(p.last); wait > 0 {
		if p.timer == nil {
			p.timer = time.AfterFunc(wait, func() { p.sendLater(ctx) })
		}
		return
	}
	p.sendStep(ctx)
}

// sendLater sends the step that report delayed.
func (p *progress) sendLater(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = nil
	p.sendStep(ctx)
}

// sendStep sends the last step, unless the client is behind with reading. The caller holds mu.
func (p *progress) sendStep(ctx context.Context) {
	if p.ended || p.step == nil || p.client.Lagging() {
		return
	}
	step := p.step
	message := page.CleanLines(step.Message + render.Live(step.Live))
	p.step, p.last = nil, time.Now()
	if step.Fraction >= 0 {
		p.percent = max(p.percent, uint32(100*min(step.Fraction, 1)))
	}
	report := liveReport{Kind: "report", Message: message, Percentage: p.percent}
	for _, row := range step.Live {
		report.Live = append(report.Live, liveRow{row.ID, row.Share})
	}
	p.send(ctx, report)
}

// A liveReport is a WorkDoneProgressReport with the ranking of a program that runs. Clients ignore
// members that they do not know.
type liveReport struct {
	Kind       string    `json:"kind"`
	Message    string    `json:"message"`
	Percentage uint32    `json:"percentage"`
	Live       []liveRow `json:"live,omitempty"`
}

type liveRow struct {
	ID    string  `json:"id"`
	Share float64 `json:"share"` // of the running time of all components so far, 0 to 1
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

// cancelProgress cancels the measurement whose progress the user cancelled.
func (s *session) cancelProgress(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.WorkDoneProgressCancelParams](raw)
	if err != nil {
		return err
	}
	m := s.measurements.byToken(params.Token)
	if m == nil {
		return redact.PlainError("no measurement has this progress token")
	}
	s.measurements.cancel(m)
	return nil
}
