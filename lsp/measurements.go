package lsp

import (
	"context"
	"fmt"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A measurement runs, or was cancelled and has not ended yet.
type measurement struct {
	what      string // in words
	cancel    context.CancelFunc
	cancelled func() bool
	over      chan struct{}          // closed when its processes and files are gone
	token     protocol.ProgressToken // of the client, nil if it gave none
	shown     bool                   // its result is shown: too late to cancel; guarded by measurements.mu
}

// measurements hold the one that runs, of whatever folder: the meter reads the whole
// machine, and would count both of two. The zero value has none.
type measurements struct {
	mu      sync.Mutex
	last    *measurement            // until it has ended
	tokens  map[string]*measurement // by progress token
	created int                     // progress tokens of the server
}

// begin registers a measurement, unless one runs. It returns the one before, which was
// cancelled and may not have ended yet.
func (ms *measurements) begin(m *measurement) (before *measurement, err error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	before = ms.last
	if before != nil && !before.cancelled() {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s is being measured already; wait for it or cancel it (%s)", before.what, cancelCommand)
	}
	ms.last = m
	if m.token != nil {
		ms.name(m.token, m)
	}
	return before, nil
}

// name lets a progress token stand for a measurement. The caller holds mu.
func (ms *measurements) name(token protocol.ProgressToken, m *measurement) {
	if ms.tokens == nil {
		ms.tokens = map[string]*measurement{}
	}
	ms.tokens[tokenKey(token)] = m
}

// newToken makes a progress token for a measurement.
func (ms *measurements) newToken(m *measurement) protocol.ProgressToken {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.created++
	token := protocol.String(fmt.Sprintf("%s/%d", Name, ms.created))
	ms.name(token, m)
	return token
}

// of gives the measurement of a progress token, nil if there is none.
func (ms *measurements) of(token protocol.ProgressToken) *measurement {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.tokens[tokenKey(token)]
}

// running reports whether another measurement would be refused.
func (ms *measurements) running() bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.last != nil && !ms.last.cancelled()
}

// show reports whether the results of a measurement may be shown: it was not cancelled.
// From then on it cannot be.
func (ms *measurements) show(m *measurement) bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m.shown = m.shown || !m.cancelled()
	return m.shown
}

// cancel ends a measurement, unless its result is shown already.
func (ms *measurements) cancel(m *measurement) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if !m.shown {
		m.cancel()
	}
}

// cancelAll ends what runs, and returns how many measurements those were.
func (ms *measurements) cancelAll() int {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m := ms.last
	if m == nil || m.shown || m.cancelled() {
		return 0
	}
	m.cancel()
	return 1
}

// end notes that nothing of a measurement is left.
func (ms *measurements) end(m *measurement) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if ms.last == m {
		ms.last = nil
	}
	for token, other := range ms.tokens {
		if other == m {
			delete(ms.tokens, token)
		}
	}
	close(m.over)
}

// tokenKey tells the number 1 from the text "1".
func tokenKey(t protocol.ProgressToken) string { return fmt.Sprintf("%T %v", t, t) }
