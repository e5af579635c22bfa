package runner

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"spell-lsp/spell/note"
	"spell-lsp/spell/shortlist"
)

// A lookout notices other measurements on the machine from beginning to end: one that begins
// later, and one that ends earlier too. A nil lookout sees none.
type lookout struct {
	others func() []int // their processes
	quit   chan struct{}
	done   sync.WaitGroup
	mu     sync.Mutex
	seen   []int // each once; guarded by mu
	told   bool  // tellOthers has told
}

// lookEvery is how often it looks: other measurements take longer. A look takes 20 µs for each
// process of the machine.
const lookEvery = 5 * time.Second

// newLookout looks at once, and then again and again; without others it is nil.
func newLookout(others func() []int) *lookout {
	if others == nil {
		return nil
	}
	l := &lookout{others: others, quit: make(chan struct{})}
	l.look()
	l.done.Go(func() {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				l.look()
			case <-l.quit:
				return
			}
		}
	})
	return l
}

func (l *lookout) end() {
	if l != nil {
		close(l.quit)
		l.done.Wait()
	}
}

func (l *lookout) look() {
	now := l.others()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, pid := range now {
		if !slices.Contains(l.seen, pid) {
			l.seen = append(l.seen, pid)
		}
	}
}

// found looks for the last time, and says what was seen.
func (l *lookout) found() (others note.Note, is bool) {
	if l == nil {
		return note.Note{}, false
	}
	l.look()
	return l.soFar()
}

func (l *lookout) soFar() (others note.Note, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	processes := make([]string, len(l.seen))
	for i, pid := range l.seen {
		processes[i] = strconv.Itoa(pid)
	}
	return note.OtherMeasurement(shortlist.Of(processes)), len(processes) > 0
}

// tellOthers tells the user once, while there is time to end one of the measurements.
func (m *measurement) tellOthers() {
	if m.lookout == nil || m.lookout.told || m.Noticed == nil {
		return
	}
	if others, is := m.lookout.soFar(); is {
		m.lookout.told = true
		m.Noticed(others)
	}
}
