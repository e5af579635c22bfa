package execution

import (
	"fmt"
	"sync"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/sampler"
)

// A watch collects the sampler's readings and the probes' records while the program runs: both
// are written to rings that would overflow.
type watch struct {
	meter     *Meter
	model     *attribution.Model
	file      *probe.File // into which the program counts; nil for one without probes
	sampling  *sampling   // the stack samples of a program; nil for one with probes, or that serves its own profile
	unsampled error       // why it could not be sampled
	joined    bool        // it ran before: its CPU time until the first reading is not counted
	beforeNS  int64       // that time; -1 before the first reading
	before    descended   // likewise, of its descendants
	program   Program
	pid       int
	occupancy *attribution.Occupancy
	family    *children.Watch // nil before the program runs
	line      *attribution.Timeline
	endedNS   int64
	lost      uint64
	err       error
	fault     error // a *MeterError if a reading failed; set by stop
	quit      chan struct{}
	done      sync.WaitGroup
}

// watchEvery is how often it collects them, unless stacks are sampled, and what cores do is read. A
// processor's ring has room for 32,768 records.
const watchEvery = 20 * time.Millisecond

// newWatch begins to watch a program with probes, or one that is sampled; it is not running yet.
func (m *Meter) newWatch(p Program, file *probe.File, sampled *sampling, model *attribution.Model) *watch {
	machine := m.Machine()
	line := attribution.NewTimeline(&machine)
	m.sampler.Skip()
	m.gaps.pause()
	return &watch{meter: m, beforeNS: -1, program: p, model: model, file: file, sampling: sampled, line: line, occupancy: attribution.NewOccupancy(line), quit: make(chan struct{})}
}

// began tells the watch the process ID of the program, and starts collecting.
func (w *watch) began(pid int) {
	w.pid = pid
	w.family = children.New(pid)
	if w.joined {
		w.before.all, w.before.apart, _ = w.family.Poll()
		w.before.programs = w.family.Programs(0)
	}
	w.line.AddDescendants(monotonic(), 0, 0)
	w.done.Go(func() { w.meter.traceUntil(w.quit) })
	if w.sampling != nil {
		if err := w.sampling.start(pid, w.joined); err != nil {
			w.unsampled = samplingError(w.program, err)
		}
	}
	w.err = w.meter.sampler.Watch(pid)
	w.done.Go(func() {
		timer := time.NewTimer(w.pause())
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
				w.look()
				w.take(false)
				timer.Reset(w.pause())
			case <-w.quit:
				return
			}
		}
	})
}

// pause is how long it waits before it collects again.
func (w *watch) pause() time.Duration {
	if w.sampling != nil {
		return w.sampling.pause()
	}
	return watchEvery
}

// ended is called when the program has ended and is still a zombie: the next reading has all of
// its CPU time.
func (w *watch) ended() {
	close(w.quit)
	w.done.Wait()
	now := monotonic()
	w.elsewhere()
	all, apart := w.family.Finish()
	w.addDescendants(now, all, apart)
	readUntil(now, monotonic, w.line.LastNS, w.meter.Ended, func() { w.take(false) })
	if w.line.LastNS() < now && w.err == nil {
		w.err = fmt.Errorf("it was not read for %d ms", (monotonic()-max(w.line.LastNS(), now))/1e6)
	}
	w.endedNS = now
}

// readUntil takes readings until the last one is of a moment or later. It gives up when too much time has
// passed or the meter has ended, but not before it has taken what there is: this process may have
// been held up meanwhile.
func readUntil(now int64, clock, last func() int64, over func() bool, take func()) {
	for last() < now {
		late := clock()-now >= maxGapNS || over()
		take()
		if late {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// look samples the CPU time of the program's descendants.
func (w *watch) look() {
	w.elsewhere()
	now := monotonic()
	if all, apart, ok := w.family.Poll(); ok {
		w.addDescendants(now, all, apart)
	}
}

// elsewhere leaves out the children that count into the program's file.
func (w *watch) elsewhere() {
	if w.file != nil {
		w.family.Elsewhere(w.file.Descendants())
	}
}

func (w *watch) addDescendants(now, all, apart int64) {
	w.line.AddDescendants(now, all-w.before.all, max(0, apart-w.before.apart))
}

// stop ends the watch and returns what it collected.
func (w *watch) stop() *Execution {
	e := &Execution{Line: w.line, Life: attribution.Life{EndedNS: w.endedNS}}
	if w.pid == 0 { // it was never started
		return e
	}
	var counted int64
	if w.file != nil {
		counted = w.file.DescendantsNS()
	}
	e.Children = w.before.since(w.family.Programs(counted))
	w.family.Close() //nolint:errcheck // it was only read
	if err := w.meter.sampler.Watch(0); err != nil && w.err == nil {
		w.err = err
	}
	w.take(true)
	if w.sampling != nil {
		w.sampling.stop()
	}
	e.Incomplete = w.lost > 0
	e.Trace = w.meter.tracer.take()
	w.fault = w.meterFault()
	return e
}

// take collects what there is.
func (w *watch) take(ended bool) {
	err := w.meter.take(func(r sampler.Reading) {
		cpu := w.line.ProgramNS()
		if r.PID == w.pid && w.pid != 0 {
			cpu = w.since(r.CPUNS)
		}
		w.line.Add(reading(r, cpu))
		w.meter.gaps.add(r)
	})
	if err != nil {
		w.err = err
	}
	if w.sampling != nil {
		w.sampling.read(w.sampled, w.called)
		w.model.AddSamples(w.occupancy)
	} else if w.file != nil && w.model.NeedsTicks() {
		w.addLost(w.file.Occupancy(ended, w.occupancy.Add), w.file.Damaged())
		w.file.Callers(w.occupancy.AddCaller)
	}
	w.model.AddCallers(w.occupancy)
	w.model.Add(w.line, w.occupancy.Settle(ended))
}

// since is the CPU time of the program that counts.
func (w *watch) since(cpuNS int64) int64 {
	if !w.joined {
		return cpuNS
	}
	if w.beforeNS < 0 {
		w.beforeNS = cpuNS
	}
	return cpuNS - w.beforeNS
}

// sampled takes a sample.
func (w *watch) sampled(s attribution.Sample) {
	if w.model.NeedsTicks() {
		w.occupancy.AddSample(s)
	}
}

// called takes what a sample says of the caller of a component.
func (w *watch) called(s probe.CallerSeen) {
	if w.model.NeedsTicks() {
		w.occupancy.AddCaller(s)
	}
}

// addLost takes the number of occupancy records that were lost since the start. It is 0 once the
// file was found damaged before, from when on all are missing.
func (w *watch) addLost(lost uint64, damaged bool) {
	w.occupancy.Lost(damaged || lost > w.lost)
	w.lost = max(w.lost, lost)
}

// maxGapNS is the longest time between two readings of a meter that works.
const maxGapNS = 1_000_000_000

func (w *watch) meterFault() error {
	switch {
	case w.meter.Ended():
		return &MeterError{errSampler}
	case w.err != nil:
		return &MeterError{w.err}
	}
	switch faulty, gap := w.line.Broken(maxGapNS); {
	case faulty:
		return &MeterError{w.meter.sampler.Fault()}
	case gap > 0:
		return &MeterError{fmt.Errorf("it was not read for %d ms", gap/1e6)}
	}
	return w.meter.frozen(w.line)
}

// frozen returns an error if a counter stood still while the program ran.
func (m *Meter) frozen(k *attribution.Timeline) error {
	for d, domain := range m.info.Domains {
		limit := patience(max(updates(m.info, d), m.period))
		if !m.info.Counter || limit == 0 {
			continue
		}
		if since := k.FrozenNS(d, limit); since > 0 {
			return &MeterError{fmt.Errorf("frozen counter: %s did not move for %d ms while the program ran", domain, since/1e6)}
		}
	}
	return nil
}

// patience is how long a counter that is read at that interval may stand still while the program
// runs, in ns; 0 for a counter that is too slow to tell.
func patience(interval time.Duration) int64 {
	if interval >= time.Second {
		return 0
	}
	return max(frozenNS, 4*interval.Nanoseconds())
}

const frozenNS = 100_000_000
