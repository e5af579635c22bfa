package main

import (
	"sync"

	"spell-lsp/internal/powercapsim/burn"
)

// A split divides the energy of each update equally among the calls that are running
// at that moment, as Chappie (2020) does among threads. It knows more than an outside
// program could: the idle machine's energy is excluded, and it reads the counter
// exactly when it is updated.
type split struct {
	mu     sync.Mutex
	before uint64 // pJ
	pj     [burn.MaxFunctions]float64
}

func (s *split) update(a *burn.Accounts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := a.PJ()
	gained := float64(now - s.before)
	s.before = now
	var calls [burn.MaxFunctions]int64
	var running int64
	for i := range a.Functions {
		calls[i] = max(0, a.Functions[i].Running.Load())
		running += calls[i]
	}
	for i, n := range calls {
		if n > 0 {
			s.pj[i] += gained * float64(n) / float64(running)
		}
	}
}

// joules returns the shares by function.
func (s *split) joules() []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]float64, len(s.pj))
	for i, pj := range s.pj {
		all[i] = pj / 1e12
	}
	return all
}
