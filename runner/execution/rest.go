package execution

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/note"
)

const (
	restTries   = 5
	restWindows = 5
)

// Rest measures the machine while no program runs, unless the meter knows the idle power, or no
// energy at all. The notes say why it is not to be relied on.
func (m *Meter) Rest(ctx context.Context) (attribution.Rest, []note.Note, error) {
	if m.info.IdleW != nil || len(m.info.Domains) == 0 {
		return attribution.Rest{IdleW: m.info.IdleW}, nil, nil
	}
	rest, notes, err := calmestRest(m.cores, func() (restTry, error) { return m.tryRest(ctx) })
	if err == nil && rest == nil {
		err = &MeterError{fmt.Errorf("while the machine was idle, %d times: %w", restTries, m.sampler.Fault())}
	}
	if err != nil {
		return attribution.Rest{}, nil, err
	}
	return *rest, notes, nil
}

// A restTry is one attempt to measure the machine at rest.
type restTry struct {
	rest     attribution.Rest
	complete bool // every reading succeeded
	from, to Moment
}

// calmer says whether less disturbed it than another.
func (t *restTry) calmer(other *restTry) bool {
	slept := func(t *restTry) int64 { return max(0, t.to.AsleepNS-t.from.AsleepNS-maxSleepNS) }
	return cmp.Or(cmp.Compare(slept(t), slept(other)), cmp.Compare(t.to.StealNS-t.from.StealNS, other.to.StealNS-other.from.StealNS)) < 0
}

// calmestRest tries until an attempt is complete and undisturbed. If none is, it returns the complete
// one during which the machine slept least and, of several, the one with the least steal time, and says
// what disturbed it; nil if none is complete.
func calmestRest(cores int, try func() (restTry, error)) (rest *attribution.Rest, notes []note.Note, err error) {
	var least restTry
	var cause note.Note
	tries := 0 // that were complete
	for range restTries {
		t, err := try()
		if err != nil {
			return nil, nil, err
		}
		if !t.complete {
			continue
		}
		why, disturbed := Disturbed(t.from, t.to, cores)
		if !disturbed {
			return &t.rest, nil, nil
		}
		tries++
		if rest == nil || t.calmer(&least) {
			rest, least, cause = &t.rest, t, why
		}
	}
	if rest != nil {
		notes = append(notes, note.RestDisturbed(cause, tries))
	}
	return rest, notes, nil
}

// tryRest reads the meter for a few windows.
func (m *Meter) tryRest(ctx context.Context) (t restTry, err error) {
	machine := m.Machine()
	line := attribution.NewTimeline(&machine)
	add := func(r sampler.Reading) { line.Add(reading(r, 0)) }
	// Both scans of the tasks take about as long, so the time from start to start is that between
	// two looks at a task. This process makes the scans, so what else it does is counted between them.
	began := time.Now()
	tasks := othersNow(m.sampler.PID(), os.Getpid())
	m.sampler.Skip()
	if err := m.takeRest(add); err != nil { // the latest reading, which tells the steal time so far
		return t, err
	}
	t.from = m.Moment()
	own, scanned := sampler.OwnCPU(), time.Now()
	window := time.Duration(attribution.RestWindowNS)
	for d := range m.info.Domains {
		window = max(window, 3*updates(m.info, d))
	}
	for range restWindows {
		select {
		case <-ctx.Done():
			return t, ctx.Err()
		case <-time.After(window):
		}
		if err := m.takeRest(add); err != nil {
			return t, err
		}
	}
	t.to = m.Moment()
	load := float64(sampler.OwnCPU()-own) / float64(time.Since(scanned))
	seconds := time.Since(began).Seconds()
	load += tasks.since(othersNow(m.sampler.PID(), os.Getpid())) / seconds
	t.rest, t.complete = line.Rest(&machine, restWindows+1, load)
	return t, nil
}

// takeRest calls add with each new reading.
func (m *Meter) takeRest(add func(sampler.Reading)) error {
	if err := m.take(add); err != nil {
		return &MeterError{err}
	}
	if m.sampler.Ended() {
		return &MeterError{errSampler}
	}
	return nil
}
