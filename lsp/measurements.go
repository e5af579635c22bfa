package lsp

import (
	"context"
	"fmt"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A measurement is running, or was cancelled and has not ended yet.
type measurement struct {
	what      string // what is measured, for messages
	cancel    context.CancelFunc
	cancelled func() bool
	ended     chan struct{}          // closed when its processes and files are gone
	token     protocol.ProgressToken // of the client; nil if it sent none
	shown     bool                   // its result is shown, so it cannot be cancelled; guarded by measurements.mu
}

// measurements holds the running measurement. There is one for all folders, because the meter
// reads the whole machine and would count two measurements together. The zero value is empty.
type measurements struct {
	mu      sync.Mutex
	last    *measurement            // nil after it has ended
	tokens  map[string]*measurement // by progress token
	created int                     // number of progress tokens that the server created
}

// begin registers a measurement, unless one is running. It returns the previous measurement
// if that was cancelled and has not ended yet.
func (ms *measurements) begin(m *measurement) (previous *measurement, err error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	previous = ms.last
	if previous != nil && !previous.cancelled() {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s is already being measured; wait for it or cancel it (%s)", previous.what, cancelCommand)
	}
	ms.last = m
	if m.token != nil {
		ms.setToken(m.token, m)
	}
	return previous, nil
}

// setToken makes a progress token refer to a measurement. The caller holds mu.
func (ms *measurements) setToken(token protocol.ProgressToken, m *measurement) {
	if ms.tokens == nil {
		ms.tokens = map[string]*measurement{}
	}
	ms.tokens[tokenKey(token)] = m
}

// newToken creates a progress token for a measurement.
func (ms *measurements) newToken(m *measurement) protocol.ProgressToken {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.created++
	token := protocol.String(fmt.Sprintf("%s/%d", Name, ms.created))
	ms.setToken(token, m)
	return token
}

// byToken returns the measurement of a progress token, or nil.
func (ms *measurements) byToken(token protocol.ProgressToken) *measurement {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.tokens[tokenKey(token)]
}

// running reports whether a measurement is running, so that another one would be refused.
func (ms *measurements) running() bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.last != nil && !ms.last.cancelled()
}

// show reports whether the results of a measurement may be shown: if it was not cancelled.
// After that it cannot be cancelled.
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

// cancelAll cancels the running measurement, and returns how many it cancelled: 0 or 1.
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

// end records that a measurement has ended and left nothing behind.
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
	close(m.ended)
}

// tokenKey is the key of a token. The number 1 and the string "1" are different tokens.
func tokenKey(t protocol.ProgressToken) string { return fmt.Sprintf("%T %v", t, t) }
