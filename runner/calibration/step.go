package calibration

import (
	"context"
	"fmt"
	"slices"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/model/frequency"
	"spell-lsp/spell"
)

// A Step is a load that was run.
type Step struct {
	Asked   int     `json:"asked"`   // processors that were to be busy
	Busy    float64 `json:"busy"`    // that were, on the mean, also by other programs
	Weighed float64 `json:"weighed"` // the same, by their frequency where it is known
	Watts   float64 `json:"watts"`
	Seconds float64 `json:"seconds"`
}

// maxOthers is the share of all processors that other programs may use in a step.
const maxOthers = 0.1

// leastBusy is the share of processors up to which the line must reach: what lies beyond is extrapolated.
const leastBusy = 0.5

// A stepper runs steps, and reads everything each poll.
type stepper struct {
	rig
	meter  meter.Meter
	cpu    int // index of the domain
	joules []float64
	cores  int
	began  time.Duration
	work   *work
}

func newStepper(r rig, m meter.Meter, o meter.Options, machine Machine) (*stepper, error) {
	info := m.Info()
	w, err := newWork(o, machine.CPU)
	if err != nil {
		return nil, refuse(err.Error())
	}
	return &stepper{rig: r, meter: m, cpu: slices.Index(info.Domains, spell.CPU), joules: make([]float64, info.Values()), cores: machine.Cores, began: r.now(), work: w}, nil
}

// A mark is everything used up to an instant at which the counter was seen to change.
type mark struct {
	at                    time.Duration
	joules, busy, weighed float64
	own                   time.Duration
}

const poll = frequency.Window

// step has so many processors busy, waits until the counter follows, and looks at what lies between its first
// and its last change: counters of slow firmware change in steps.
func (s *stepper) step(ctx context.Context, busy int, length time.Duration) (Step, error) {
	stop := s.load(busy)
	defer stop()
	if _, _, err := s.changes(ctx, max(time.Second, 2*s.meter.Info().Resolution)); err != nil {
		return Step{}, err
	}
	first, last, err := s.changes(ctx, length)
	if err != nil {
		return Step{}, err
	}
	seconds := (last.at - first.at).Seconds()
	if seconds <= 0 || seconds < length.Seconds()/4 {
		return Step{}, refuse(fmt.Sprintf("frozen counter: %s hardly changed within %v while %d of %d processors were busy; a longer --calibrate may help", s.meter.Info().Name, length, busy, s.cores))
	}
	step := Step{
		Asked: busy, Seconds: seconds, Watts: (last.joules - first.joules) / seconds,
		Busy: (last.busy - first.busy) / seconds, Weighed: (last.weighed - first.weighed) / seconds,
	}
	if others := step.Busy - (last.own-first.own).Seconds()/seconds; others > maxOthers*float64(s.cores) {
		return Step{}, refuse(fmt.Sprintf("the machine is busy: other programs used %.1f of %d processors; end or pause them (top -o %%CPU shows them) and calibrate again", others, s.cores))
	}
	if busy == s.cores && step.Busy < leastBusy*float64(s.cores) {
		return Step{}, refuse(fmt.Sprintf("no more than %.1f of %d processors could be kept busy: a limit of the container, a set of allowed processors or other programs keep this process from them", step.Busy, s.cores))
	}
	return step, nil
}

// changes polls for a time, and returns the first and the last mark in it.
func (s *stepper) changes(ctx context.Context, length time.Duration) (first, last mark, err error) {
	before := -1.0
	for end := s.now() + length; s.now() < end; {
		if err := s.wait(ctx, poll); err != nil {
			return first, last, err
		}
		now, err := s.look()
		if err != nil {
			return first, last, refuse(fmt.Sprintf("reading the counter %s: %v", s.meter.Info().Name, err))
		}
		if before >= 0 && now.joules != before {
			if first.at == 0 {
				first = now
			}
			last = now
		}
		before = now.joules
	}
	return first, last, nil
}

func (s *stepper) look() (mark, error) {
	m := mark{own: s.own()}
	if err := s.meter.Read(meter.Usage{}, s.joules); err != nil {
		return m, err
	}
	m.at, m.joules = s.now(), s.joules[s.cpu]
	var err error
	m.busy, m.weighed, err = s.work.until(m.at - s.began)
	return m, err
}

// work is how long processors were busy, weighed by their frequency where it is known.
type work struct {
	busy    *frequency.Busy
	seconds float64
	weigher *frequency.Weigher // in place of the other two
}

func newWork(o meter.Options, cpu string) (*work, error) {
	if w, err := frequency.Open(o, cpu, 0); err == nil {
		return &work{weigher: w}, nil
	}
	b, err := frequency.OpenBusy(o)
	return &work{busy: b}, err
}

// until are the seconds up to now, as they are and weighed.
func (w *work) until(now time.Duration) (seconds, weighed float64, err error) {
	if w.weigher != nil {
		w.weigher.Weight(now)
		seconds, weighed = w.weigher.Totals()
		return seconds, weighed, nil
	}
	more, err := w.busy.Next()
	w.seconds += more
	return w.seconds, w.seconds, err
}

func (w *work) basis() string {
	if w.weigher == nil {
		return ""
	}
	return w.weigher.Basis()
}

func (w *work) close() {
	if w.weigher != nil {
		w.weigher.Close() //nolint:errcheck // nothing was written
		return
	}
	w.busy.Close() //nolint:errcheck // as above
}
