package publish

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// yieldDelay is the time between an edit and the publication of its file: the requests that an
// editor sends at each key are answered first, and several quick edits are published once.
const yieldDelay = 10 * time.Millisecond

// idleDelay is the time between the last edit and the publication of other files that it may
// affect: few edits make these render differently, and publishing them would delay the answers
// to the requests of a user who types.
const idleDelay = 250 * time.Millisecond

// A queue holds the files to publish, and when they are due. It wakes the one goroutine that
// takes from it.
type queue struct {
	wake chan struct{} // holds a token when there is something to take

	mu       sync.Mutex
	due      map[string]bool // files, and whether they changed on disk since they were published
	later    map[string]bool // files that become due idleDelay after the last edit; none of them is in due
	idle     *time.Timer     // makes later due; nil before the first edit
	yielding bool            // wake gets its token after yieldDelay
	refresh  bool            // lenses and hints must be refreshed
	flushes  []chan struct{} // closed when the files that were due are published
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), due: map[string]bool{}, later: map[string]bool{}}
}

// A batch is the work that was due at one time.
type batch struct {
	files   []string        // sorted
	onDisk  map[string]bool // whether a file changed on disk since it was published
	refresh bool            // lenses and hints must be refreshed
	flushes []chan struct{} // must be closed at the end
}

// take removes the work that is due and returns it. If a flush waits, files that wait for a
// pause are due as well.
func (q *queue) take() batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.flushes) > 0 {
		q.endPause()
	}
	b := batch{files: slices.Sorted(maps.Keys(q.due)), onDisk: q.due, refresh: q.refresh, flushes: q.flushes}
	q.due, q.flushes, q.refresh = map[string]bool{}, nil, false
	return b
}

// edited makes files due whose texts changed, on disk where onDisk says so. The files in beside
// become due at the next pause.
func (q *queue) edited(files []string, onDisk func(file string) bool, beside []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, file := range files {
		q.due[file] = q.due[file] || onDisk(file)
		delete(q.later, file)
	}
	for _, file := range beside {
		if _, due := q.due[file]; !due {
			q.later[file] = true
		}
	}
	if q.idle == nil {
		q.idle = time.AfterFunc(idleDelay, q.pause)
		return
	}
	q.idle.Reset(idleDelay)
}

// pause makes the files due that waited for a pause.
func (q *queue) pause() {
	q.mu.Lock()
	q.endPause()
	q.mu.Unlock()
	q.soon()
}

// endPause makes the files due that wait for a pause. The caller holds mu.
func (q *queue) endPause() {
	for file := range q.later {
		q.due[file] = false
	}
	clear(q.later)
}

// add makes files due that did not change themselves.
func (q *queue) add(files []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, file := range files {
		if _, due := q.due[file]; !due {
			q.due[file] = false
		}
		delete(q.later, file)
	}
}

// restart makes files due after the results changed. Whether they changed on disk before does
// not matter any more.
func (q *queue) restart(files []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for file := range q.due {
		q.due[file] = false
	}
	for _, file := range files {
		q.due[file] = false
		delete(q.later, file)
	}
	q.refresh = true
}

// refreshWithNext refreshes lenses and hints with the next batch.
func (q *queue) refreshWithNext() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refresh = true
}

// soon wakes the goroutine that takes batches.
func (q *queue) soon() {
	select {
	case q.wake <- struct{}{}:
	default: // it was woken already
	}
}

// afterYield wakes the goroutine that takes batches after yieldDelay.
func (q *queue) afterYield() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.yielding {
		return
	}
	q.yielding = true
	time.AfterFunc(yieldDelay, func() {
		q.mu.Lock()
		q.yielding = false
		q.mu.Unlock()
		q.soon()
	})
}

// flush waits until the files that are due now were published, or ctx ends.
func (q *queue) flush(ctx context.Context) {
	done := make(chan struct{})
	q.mu.Lock()
	q.flushes = append(q.flushes, done)
	q.mu.Unlock()
	q.soon()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
