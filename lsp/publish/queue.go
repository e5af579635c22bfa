package publish

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// yieldDelay is how long after an edit its file is published: what an editor asks for
// at each key is answered first, and keys that come together are published once.
const yieldDelay = 10 * time.Millisecond

// idleDelay is how long after the last edit the files beside the edited one are
// published: hardly any edit makes them look different, and who types waits for what is
// asked meanwhile.
const idleDelay = 250 * time.Millisecond

// A queue holds what is to be published, and when. It wakes the one goroutine that takes
// from it.
type queue struct {
	wake chan struct{} // holds a token when there is something to take

	mu       sync.Mutex
	due      map[string]bool // files, and whether they changed on disk since they were published
	later    map[string]bool // files that are due when nobody has typed for idleDelay; none of them is in due
	idle     *time.Timer     // makes later due; nil before the first edit
	yielding bool            // wake is told after yieldDelay
	refresh  bool            // lenses and hints are to be asked for again
	flushes  []chan struct{} // closed when what was due is published
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), due: map[string]bool{}, later: map[string]bool{}}
}

// A batch is what was due at one time.
type batch struct {
	files   []string        // sorted
	onDisk  map[string]bool // whether a file changed on disk since it was published
	refresh bool            // lenses and hints are to be asked for again
	flushes []chan struct{} // to be closed at the end
}

// take empties the queue of what is due. What waits for a pause is due if somebody waits
// for a flush.
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

// edited makes files due whose texts changed, on disk where onDisk says so, and at the
// next pause those beside them.
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

// pause makes due what waited for it.
func (q *queue) pause() {
	q.mu.Lock()
	q.endPause()
	q.mu.Unlock()
	q.soon()
}

// endPause makes due what waits for a pause. The caller holds mu.
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

// restart makes files due in other results: it counts no more whether they changed on
// disk before.
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

// refreshWithNext has lenses and hints asked for again with the next batch.
func (q *queue) refreshWithNext() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refresh = true
}

// soon has the next batch taken.
func (q *queue) soon() {
	select {
	case q.wake <- struct{}{}:
	default: // it is about to be
	}
}

// afterYield has the next batch taken when others had time to be served.
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

// flush waits until what is due now was published, or ctx ends.
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
