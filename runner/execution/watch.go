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
	file      *probe.File
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

// watchEvery is how often it collects them. A processor's ring has room for 32,768 records.
const watchEvery = 20 * time.Millisecond

// newWatch begins to watch; the program is not running yet.
func (m *Meter) newWatch(file *probe.File, model *attribution.Model) *watch {
	machine := m.Machine()
	line := attribution.NewTimeline(&machine)
	m.sampler.Skip()
	m.gaps.pause()
	return &watch{meter: m, model: model, file: file, line: line, occupancy: attribution.NewOccupancy(line), quit: make(chan struct{})}
}

// began tells the watch the process ID of the program, and starts collecting.
func (w *watch) began(pid int) {
	w.pid = pid
	w.family = children.New(pid)
	w.line.AddDescendants(monotonic(), 0, 0)
	w.err = w.meter.sampler.Watch(pid)
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

// ended is called when the program has ended and is still a zombie: the next reading has all of
// its CPU time.
func (w *watch) ended() {
	close(w.quit)
	w.done.Wait()
	now := monotonic()
	all, apart := w.family.Finish()
	w.line.AddDescendants(now, all, apart)
	for monotonic()-now < maxGapNS && w.line.LastNS() < now && !w.meter.Ended() {
		time.Sleep(time.Millisecond)
		w.take(false)
	}
	if w.line.LastNS() < now && w.err == nil {
		w.err = fmt.Errorf("it was not read for %d ms", (monotonic()-max(w.line.LastNS(), now))/1e6)
	}
	w.endedNS = now
}

// look samples the CPU time of the program's descendants.
func (w *watch) look() {
	all, apart := w.family.Poll()
	w.line.AddDescendants(monotonic(), all, apart)
}

// stop ends the watch and returns what it collected.
func (w *watch) stop() *Execution {
	e := &Execution{Line: w.line, Life: attribution.Life{EndedNS: w.endedNS}}
	if w.pid == 0 { // it was never started
		return e
	}
	e.Children = w.family.Programs()
	w.family.Close() //nolint:errcheck // it was only read
	if err := w.meter.sampler.Watch(0); err != nil && w.err == nil {
		w.err = err
	}
	w.take(true)
	e.Incomplete = w.lost > 0
	w.fault = w.meterFault()
	return e
}

// take collects what there is.
func (w *watch) take(ended bool) {
	err := w.meter.take(func(r sampler.Reading) {
		cpu := w.line.ProgramNS()
		if r.PID == w.pid && w.pid != 0 {
			cpu = r.CPUNS
		}
		w.line.Add(reading(r, cpu))
		w.meter.gaps.add(r)
	})
	if err != nil {
		w.err = err
	}
	if w.model.NeedsTicks() {
		w.addLost(w.file.Occupancy(ended, w.occupancy.Add), w.file.Damaged())
	}
	w.model.Add(w.line, w.occupancy.Settle(ended))
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
		limit := patience(updates(m.info, d))
		if !m.info.Counter || limit == 0 {
			continue
		}
		if since := k.FrozenNS(d, limit); since > 0 {
			return &MeterError{fmt.Errorf("frozen counter: %s did not move for %d ms while the program ran", domain, since/1e6)}
		}
	}
	return nil
}

// patience is how long a counter with that update interval may stand still while the program
// runs, in ns; 0 for a counter that is too slow to tell.
func patience(resolution time.Duration) int64 {
	if resolution >= time.Second {
		return 0
	}
	return max(frozenNS, 4*resolution.Nanoseconds())
}

const frozenNS = 100_000_000
