package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// maxPrinted is how much of what programs print is kept until it is sent, in bytes.
const maxPrinted = 16 << 20

// output is what programs printed since the last one, in the order in which they did.
type output struct {
	Pieces []piece `json:"pieces"`
	Lost   int64   `json:"lost,omitempty"` // bytes at the end that were more than is kept
}

// A piece is of one stream.
type piece struct {
	Error bool   `json:"error,omitempty"` // standard error; else standard output
	Text  []byte `json:"text"`
}

// printed keeps what programs print while they are measured.
type printed struct {
	mu   sync.Mutex
	kept output
	room int
}

func newPrinted() *printed { return &printed{room: maxPrinted} }

// A stream is one of those of a program.
type stream struct {
	of    *printed
	error bool
}

// Write never fails: a program must not end for what it prints.
func (s stream) Write(text []byte) (int, error) {
	p := s.of
	p.mu.Lock()
	defer p.mu.Unlock()
	fits := text[:min(len(text), p.room)]
	p.room -= len(fits)
	p.kept.Lost += int64(len(text) - len(fits))
	if last := len(p.kept.Pieces) - 1; last >= 0 && p.kept.Pieces[last].Error == s.error {
		p.kept.Pieces[last].Text = append(p.kept.Pieces[last].Text, fits...)
	} else if len(fits) > 0 {
		p.kept.Pieces = append(p.kept.Pieces, piece{s.error, bytes.Clone(fits)})
	}
	return len(text), nil
}

// take returns what is kept, and keeps it no longer; nil if there is nothing.
func (p *printed) take() *output {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept.Pieces) == 0 {
		return nil
	}
	o := p.kept
	p.kept, p.room = output{}, maxPrinted
	return &o
}

// sendPrinted sends what was printed, and waits until it has been shown, see [agent.sendRun].
func (a *agent) sendPrinted(ctx context.Context) error {
	if a.printed == nil {
		return nil
	}
	o := a.printed.take()
	if o == nil {
		return nil
	}
	for i := range o.Pieces {
		o.Pieces[i].Text = []byte(a.job.Task.AsBuilt(a.base, string(o.Pieces[i].Text)))
	}
	return a.deliver(ctx, packed{Type: typeOutput}, func(w io.Writer) error { return json.NewEncoder(w).Encode(o) })
}

// print gives what programs printed there to whom it would be given if they ran here.
func (m *measurement) print(o *output) {
	stdout, stderr := m.job.Params.Stdout, m.job.Params.Stderr
	for _, p := range o.Pieces {
		to := stdout
		if p.Error {
			to = stderr
		}
		if to != nil {
			to.Write(p.Text) //nolint:errcheck // as while programs run here
		}
	}
	if o.Lost > 0 && stderr != nil {
		fmt.Fprintf(stderr, "spell-lsp: %d bytes more were printed on %s, which keeps %d MiB in a round\n", o.Lost, m.Name, maxPrinted>>20) //nolint:errcheck // as above
	}
}
