//go:build linux && (amd64 || arm64)

package stacks

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A Sampler samples a process. It is not safe for concurrent use.
type Sampler struct {
	o       Options
	proc    procfs
	kernel  bool // samples are taken in system calls
	bytes   int  // of the rings
	threads map[int]*thread
	images  map[int]*Process // the present ones, by process
	files   map[file]*os.File
	batch   batch
	pending []*Sample // that are later than the Read that found them began
	stats   Stats
	seen    map[int]bool // processes, for Stats
	listed  time.Time    // when threads were listed
	pause   time.Duration
	depth   int // of the deepest stack
	closed  bool
}

// A thread is one that is sampled.
type thread struct {
	task
	event int // descriptor
	ring  *ring
	count uint64 // CPU time at the latest sample, ns
	over  bool
}

const (
	leastPause = time.Millisecond      // after threads were found, more follow
	mostPause  = 50 * time.Millisecond // each Read disturbs what runs; a ring holds twice as much, unless memory may not be locked for it
	listEvery  = time.Second           // threads that no record told of are found by listing them
)

// Open begins to sample a process that runs, with all its threads.
//
// It fails with ErrEnded, *perfevent.PermissionError, *ForeignError or *LimitError, for which
// Remedy says what to do.
func Open(pid int, o Options) (*Sampler, error) {
	if o.Period == 0 {
		o.Period = time.Millisecond
	}
	if o.Period < MinPeriod || o.Period > MaxPeriod {
		return nil, fmt.Errorf("sampling process %d: the period is %v, not %v to %v", pid, o.Period, MinPeriod, MaxPeriod)
	}
	s := &Sampler{
		o: o, proc: "/proc", kernel: true, bytes: ringBytes(o.Period), pause: leastPause, listed: time.Now(),
		threads: make(map[int]*thread), images: make(map[int]*Process), files: make(map[file]*os.File), seen: make(map[int]bool),
	}
	err := s.attachAll(pid)
	if err == nil && len(s.threads) == 0 {
		err = ErrEnded
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sampling process %d: %w", pid, err), s.Close())
	}
	if !o.Started {
		s.stats.MissedNS = 0 // what ran before is none of ours
	}
	return s, nil
}

// attachAll attaches to a process and, if they are wanted, to its descendants.
func (s *Sampler) attachAll(pid int) error {
	if err := s.attach(pid); err != nil {
		return err
	}
	if !s.o.Children {
		return nil
	}
	for _, child := range s.proc.children(pid) {
		if err := s.attachAll(child); err != nil && !errors.Is(err, ErrEnded) {
			return err
		}
	}
	return nil
}

// attach begins to sample the threads of a process, until there are none that are not sampled.
func (s *Sampler) attach(pid int) error {
	for found := true; found; {
		tids, err := s.proc.threads(pid)
		if err != nil {
			return fmt.Errorf("%w (%w)", ErrEnded, err)
		}
		found = false
		for _, tid := range tids {
			if s.threads[tid] != nil {
				continue
			}
			if err := s.attachThread(task{pid, tid}); err != nil && !errors.Is(err, ErrEnded) {
				return err
			} else if err == nil {
				found = true
			}
		}
	}
	if s.images[pid] == nil {
		s.image(pid)
	}
	return nil
}

// attachThread begins to sample a thread.
func (s *Sampler) attachThread(t task) error {
	before := s.proc.cpu(t)
	event, err := s.openEvent(t)
	if err != nil {
		return err
	}
	r, err := s.mapEvent(event)
	if err != nil {
		return errors.Join(err, unix.Close(event))
	}
	s.threads[t.tid] = &thread{task: t, event: event, ring: r}
	s.stats.MissedNS += before
	s.stats.Threads++
	if !s.seen[t.pid] {
		s.seen[t.pid] = true
		s.stats.Processes++
	}
	s.pause = leastPause
	return nil
}

// mapEvent maps the ring of an event. Where memory may not be locked for another one of that
// size, all rings become smaller.
func (s *Sampler) mapEvent(event int) (*ring, error) {
	for {
		r, err := mapRing(event, s.bytes)
		if !errors.Is(err, unix.EPERM) {
			return r, err
		}
		if s.bytes <= unix.Getpagesize() {
			return nil, s.limit(lockedMemory, raiseMemory, err)
		}
		s.bytes /= 2
		for _, t := range s.threads {
			if err := s.remap(t); err != nil {
				return nil, err
			}
		}
	}
}

// remap gives a thread a smaller ring. What the kernel would write meanwhile is lost.
func (s *Sampler) remap(t *thread) error {
	s.drain(t)
	if err := t.ring.close(); err != nil {
		return err
	}
	r, err := mapRing(t.event, s.bytes)
	if err != nil {
		r = &ring{} // it has no records
	}
	t.ring = r
	return err
}

// Pause is how long may pass until the next Read: a few milliseconds while new threads are
// found, up to 50 otherwise. Longer pauses lose samples of short periods (Stats.Lost).
func (s *Sampler) Pause() time.Duration { return s.pause }

// Stats are of the samples that Read has passed on.
func (s *Sampler) Stats() Stats {
	stats := s.stats
	stats.Kernel = s.kernel
	return stats
}

// Read calls each for all samples that were taken before Read was called, in the order of
// time, also from one call to the next. A sample and what it holds may be kept. Read begins to
// sample threads that have started, and stops for those that have ended. alive is false when
// none is left.
func (s *Sampler) Read(each func(*Sample)) (alive bool) {
	if s.closed {
		return false
	}
	horizon := monotonic()
	for _, t := range s.threads {
		s.drain(t)
	}
	started := len(s.batch.started) > 0
	for len(s.batch.started)+len(s.batch.ended) > 0 {
		s.apply()
	}
	if len(s.threads) == 0 || time.Since(s.listed) >= listEvery {
		s.list()
	}
	if len(s.threads) == 0 {
		horizon = 1<<63 - 1
	}
	s.emit(horizon, each)
	s.pause = min(2*s.pause, max(leastPause, mostPause*time.Duration(s.bytes)/time.Duration(ringBytes(s.o.Period))))
	if started {
		s.pause = leastPause
	}
	return len(s.threads) > 0
}

// emit passes on the samples up to a time.
func (s *Sampler) emit(horizon int64, each func(*Sample)) {
	slices.SortStableFunc(s.pending, func(a, b *Sample) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.TID, b.TID))
	})
	n := 0
	for ; n < len(s.pending) && s.pending[n].Time <= horizon; n++ {
		each(s.pending[n])
		s.stats.Samples++
		s.stats.NS += s.pending[n].NS
		if !s.kernel {
			s.stats.UnseenNS += max(0, s.pending[n].NS-int64(s.o.Period))
		}
	}
	s.pending = slices.Delete(s.pending, 0, n)
}

// A batch is what records say of threads and Read has not yet taken in.
type batch struct {
	started []task
	ended   []*thread
}

// drain reads the ring of a thread.
func (s *Sampler) drain(t *thread) {
	t.ring.read(func(h header, content []byte) {
		switch h.kind {
		case recordSample:
			if k, ok := parseSample(h, content, hasLink); ok {
				s.take(t, k)
			}
		case recordFork:
			if started, parent, ok := parseTask(content); ok && (started.pid == parent || s.o.Children) {
				s.batch.started = append(s.batch.started, started)
			}
		case recordExit:
			if ended, _, ok := parseTask(content); ok && ended.tid == t.tid {
				s.batch.ended = append(s.batch.ended, t)
			}
		case recordComm:
			if renamed, ok := parseComm(content); ok && h.misc&execMisc != 0 {
				s.executed(t, renamed)
			}
		case recordLost, recordLostSamples:
			s.stats.Lost += parseLost(h, content)
		case recordThrottle:
			s.stats.Throttled++
		}
	})
}

// take keeps a sample for the end of this Read, or of a later one.
func (s *Sampler) take(t *thread, k taken) {
	p := s.images[k.pid]
	if p == nil {
		p = s.image(k.pid)
	}
	s.pending = append(s.pending, &Sample{
		Process: p, TID: k.tid, CPU: k.cpu, Time: k.time, NS: int64(k.count - t.count), Kernel: k.kernel,
		Stack: k.stack, Return: k.ret, Cut: len(k.stack) >= s.deepest(),
	})
	t.count = k.count
}

// executed notes that a process executes another program: the thread that did it has the
// number of the process from then on, and all others have ended.
func (s *Sampler) executed(t *thread, as task) {
	if t.tid != as.tid {
		if leader := s.threads[as.tid]; leader != nil {
			s.end(leader)
		}
		delete(s.threads, t.tid)
		t.task = as
		s.threads[as.tid] = t
	}
	s.image(as.pid)
}

// apply ends the threads that have ended, and begins to sample those that have started.
func (s *Sampler) apply() {
	b := s.batch
	s.batch = batch{}
	for _, t := range b.ended {
		s.end(t)
	}
	found := make(map[int]bool)
	for _, started := range b.started {
		if s.threads[started.tid] != nil || found[started.pid] {
			continue
		}
		// The thread may have started others already, which no record tells of: they are looked for, too.
		found[started.pid] = true
		if s.images[started.pid] == nil {
			s.refuse(s.attachAll(started.pid))
		} else {
			s.refuse(s.attach(started.pid))
		}
	}
}

// refuse notes that a thread cannot be sampled, unless it has ended.
func (s *Sampler) refuse(err error) {
	if err == nil || errors.Is(err, ErrEnded) {
		return
	}
	s.stats.Refused++
	if s.stats.Refusal == nil {
		s.stats.Refusal = err
	}
}

// list finds the threads that no record told of because it was lost, and those that have ended.
func (s *Sampler) list() {
	s.listed = time.Now()
	known := make(map[int]bool)
	for pid := range s.images {
		s.refuse(s.attach(pid))
		tids, err := s.proc.threads(pid)
		if err != nil {
			delete(s.images, pid)
			continue
		}
		for _, tid := range tids {
			known[tid] = true
		}
	}
	for tid, t := range s.threads {
		if !known[tid] {
			s.end(t)
		}
	}
}

// end stops sampling a thread, which may still have samples if no record told of its end.
func (s *Sampler) end(t *thread) {
	if t.over {
		return
	}
	t.over = true
	s.drain(t)
	if count, ok := readCount(t.event); ok {
		s.stats.MissedNS += int64(count - t.count)
	}
	_ = t.close() // the kernel frees both in any case
	if s.threads[t.tid] == t {
		delete(s.threads, t.tid)
	}
	for _, other := range s.threads {
		if other.pid == t.pid {
			return
		}
	}
	delete(s.images, t.pid) // another process may get the number
}

func (t *thread) close() error { return errors.Join(t.ring.close(), unix.Close(t.event)) }

// Close stops sampling. Samples that no Read has passed on are lost.
func (s *Sampler) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, t := range s.threads {
		if count, ok := readCount(t.event); ok {
			s.stats.MissedNS += int64(count - t.count)
		}
		errs = append(errs, t.close())
	}
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.threads, s.files = nil, nil
	return errors.Join(errs...)
}

// monotonic is the time of the samples' clock, ns.
func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 1<<63 - 1 // it exists on every kernel
	}
	return t.Nano()
}
