package runner

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/children"
)

// A MeterError says that the meter could not be read. It makes a round invalid, and
// ends a measurement where it comes again and again.
type MeterError struct{ Err error }

func (e *MeterError) Error() string { return "reading the meter: " + e.Err.Error() }
func (e *MeterError) Unwrap() error { return e.Err }

// errSampler says that there is no sampler any more: no round will succeed.
var errSampler = errors.New("the process that reads the meter has ended")

// A watch takes what the sampler reads and what the program's probes write down,
// while the program runs: there is room for a part of it only.
type watch struct {
	m       *measurement
	file    *probe.File
	pid     int
	running *occupancy
	family  *children.Watch // nil before the program runs
	line    timeline
	lost    uint64
	err     error
	quit    chan struct{}
	done    sync.WaitGroup
}

// watchEvery is how often: a processor has room for 32,768 records.
const watchEvery = 20 * time.Millisecond

// startWatch begins to watch; the program is not running yet.
func (m *measurement) startWatch(file *probe.File) *watch {
	w := &watch{m: m, file: file, quit: make(chan struct{})}
	w.line.domains, w.line.perCPU = len(m.info.Domains), m.info.PerCPUSecond
	w.running = &occupancy{m: m, line: &w.line}
	m.sampler.Skip()
	m.gaps.pause()
	return w
}

// began says which process the program is.
func (w *watch) began(pid int) {
	w.pid = pid
	w.family = children.New(pid)
	w.line.family.add(monotonic(), 0, 0)
	w.err = w.m.sampler.Watch(pid)
	w.done.Go(func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				w.look()
				w.take(false)
			case <-w.quit:
				return
			}
		}
	})
}

// ended is called when the program has ended and is not buried yet: a reading that
// is later than that tells all that it used.
func (w *watch) ended() {
	close(w.quit)
	w.done.Wait()
	now := monotonic()
	all, apart := w.family.End()
	w.line.family.add(now, all, apart)
	w.line.family.programs = w.family.Programs()
	for monotonic()-now < mostGapNS && w.line.last() < now && !w.m.sampler.Ended() {
		time.Sleep(time.Millisecond)
		w.take(false)
	}
	if w.line.last() < now && w.err == nil {
		w.err = fmt.Errorf("it was not read for %d ms", (monotonic()-max(w.line.last(), now))/1e6)
	}
	w.line.ended = now
}

// look looks at the program's descendants.
func (w *watch) look() {
	all, apart := w.family.Look()
	w.line.family.add(monotonic(), all, apart)
}

// stop ends the watch, and says what was seen.
func (w *watch) stop() timeline {
	if w.pid == 0 { // it was never started
		return w.line
	}
	w.family.Close() //nolint:errcheck // it was only read
	if err := w.m.sampler.Watch(0); err != nil && w.err == nil {
		w.err = err
	}
	w.take(true)
	if w.lost > 0 {
		w.m.warn("what ran in each millisecond could not be written down whole, as too much ran: what is missing tells nothing of the power of functions")
	}
	w.line.fault = w.fault()
	return w.line
}

// mostGapNS is how far two readings may be apart.
const mostGapNS = 1_000_000_000

func (w *watch) fault() error {
	switch {
	case w.m.sampler.Ended():
		return &MeterError{errSampler}
	case w.err != nil:
		return &MeterError{w.err}
	}
	for i, faulty := range w.line.faulty {
		if i > 0 && faulty {
			return &MeterError{w.m.sampler.Fault()}
		}
		if i > 0 && w.line.published[i]-w.line.published[i-1] > mostGapNS {
			return &MeterError{fmt.Errorf("it was not read for %d ms", (w.line.published[i]-w.line.published[i-1])/1e6)}
		}
	}
	return w.m.frozen(&w.line)
}

// frozen is an error if a counter stood still while the program ran.
func (m *measurement) frozen(k *timeline) error {
	for d, domain := range m.info.Domains {
		limit := patience(updates(m.info, d))
		if !m.info.Counter || limit == 0 {
			continue
		}
		if since := k.frozen(d, limit); since > 0 {
			return &MeterError{fmt.Errorf("frozen counter: %s did not move for %d ms while the program ran", domain, since/1e6)}
		}
	}
	return nil
}

// take takes what there is.
func (w *watch) take(ended bool) {
	readings, err := w.m.sampler.Take()
	if err != nil {
		w.err = err
	}
	for _, r := range readings {
		cpu := last(w.line.cpu)
		if r.PID == w.pid && w.pid != 0 {
			cpu = r.CPUNS
		}
		w.line.add(r, cpu)
		w.m.stealNS = r.StealNS
		w.m.gaps.add(r)
	}
	if w.m.model == nil {
		w.running.settle(ended)
		return
	}
	lost := w.file.Occupancy(ended, w.running.add)
	w.running.lost(lost > w.lost)
	w.lost = lost
	w.running.settle(ended)
}

// patience is how long a counter of that resolution may stand still while the
// program runs, in ns; 0 for one that is too slow to tell.
func patience(resolution time.Duration) int64 {
	if resolution >= time.Second {
		return 0
	}
	return max(frozenNS, 4*resolution.Nanoseconds())
}

const frozenNS = 100_000_000

// frozen is for how long the meter showed the same in a domain, if that was longer
// than limit and the program ran for half of it; else 0.
func (k *timeline) frozen(domain int, limit int64) int64 {
	from := 0
	for i := range k.published {
		if k.joules[i*k.domains+domain] != k.joules[from*k.domains+domain] {
			from = i
		}
		if still := k.published[i] - k.published[from]; still > limit && k.cpu[i]-k.cpu[from] > limit/2 {
			return still
		}
	}
	return 0
}
