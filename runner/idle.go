package runner

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"spell-lsp/runner/power"
)

const (
	idleWindows = 5
	idleWindow  = 100 * time.Millisecond
)

// measureIdle finds the power of the machine while nothing is measured, in watts by
// domain: the least of a few windows, because other processes only add to it. See
// fit for a better way, where there is a model.
func (m *measurement) measureIdle(ctx context.Context) error {
	if m.info.IdleW != nil || len(m.info.Domains) == 0 {
		m.idle = m.info.IdleW
		return nil
	}
	for range idleTries {
		tasks, from := othersNow(m.sampler.PID(), os.Getpid()), time.Now()
		line, err := m.rest(ctx)
		if err != nil {
			return err
		}
		if !slices.Contains(line.faulty[min(1, len(line.faulty)):], true) && len(line.published) > idleWindows {
			seconds := time.Since(from).Seconds()
			m.before = line.quiet(m.cores)
			// Tasks may be hidden from this user: then the kernel's sums have to do.
			if load := tasks.since(othersNow(m.sampler.PID(), os.Getpid())) / seconds; load >= m.before.others-unseen {
				m.before.others = load
			}
			m.idle = line.leastPower(idleWindow.Nanoseconds())
			for d := range m.idle {
				if updates(m.info, d) > fineResolution {
					m.idle[d] = m.before.watts[d] // a window is too short for it
				}
			}
			return nil
		}
	}
	return &MeterError{fmt.Errorf("while the machine was idle, %d times: %w", idleTries, m.sampler.Fault())}
}

const idleTries = 5

// rest watches the machine for a few windows.
func (m *measurement) rest(ctx context.Context) (*timeline, error) {
	m.sampler.Skip()
	line := &timeline{domains: len(m.info.Domains)}
	window := idleWindow
	for d := range m.info.Domains {
		window = max(window, 3*updates(m.info, d))
	}
	for range idleWindows {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(window):
		}
		readings, err := m.sampler.Take()
		if err != nil {
			return nil, &MeterError{err}
		}
		for _, r := range readings {
			line.add(r, 0)
			m.stealNS = r.StealNS
		}
		if m.sampler.Ended() {
			return nil, &MeterError{errSampler}
		}
	}
	return line, nil
}

// A quietTime is what was seen of the machine before the first round: its power by
// domain, and how many processors others and the sampler kept busy meanwhile.
type quietTime struct {
	watts       []float64
	others, own float64
}

// A tickedTime is the length of all ticks in the model, and the CPU time of the
// sampler and of programs in them, in s.
type tickedTime struct{ seconds, own, program float64 }

// load is how many processors that was.
func (t *tickedTime) load(cpu float64) float64 { return cpu / max(t.seconds, 1e-9) }

func (k *timeline) quiet(cores int) quietTime {
	end := len(k.published) - 1
	seconds := float64(k.updated[end]-k.updated[0]) / 1e9
	q := quietTime{
		watts:  make([]float64, k.domains),
		others: sum(k.others(0, end+1, cores)) / seconds,
		own:    float64(k.own[end]-k.own[0]) / 1e9 / seconds,
	}
	for d := range q.watts {
		q.watts[d] = (k.joules[end*k.domains+d] - k.joules[d]) / seconds
	}
	return q
}

const (
	idleError   = 0.01 // of the power of the machine at rest
	othersError = 0.25 // of the power of what ran beside it
	// pinned is how firmly the model is told what was measured at rest, as a part of
	// these errors.
	pinned  = 0.1
	leastSD = 1e-6 // W: 0 would say that nothing is known
)

// fit solves the model. What was measured before the first round is the power of the
// idle machine, with the sampler, which may do more or less now, and of what others did
// meanwhile. The rounds themselves are hardly asked for it: a machine that is busy
// throughout never shows what it draws at rest, and where time is known less
// exactly than energy, the idle machine, whose time is known best, seems to draw what
// others do.
func (m *measurement) fit() *power.Fit {
	m.setRest(func(int) float64 { return 0 })
	f := m.model.Fit()
	more := m.ticked.load(m.ticked.own) - m.before.own
	m.setRest(func(d int) float64 { return more * f.Mean(d) })
	f = m.model.Fit()
	m.idleSD = make([]float64, len(m.inModel))
	for d, i := range m.inModel {
		if i >= 0 {
			others := m.before.others * f.Watts(uint32(othersRow(len(m.build.Components))), i).Watts
			m.idleSD[i] = math.Hypot(idleError*m.before.watts[d], othersError*others)
		}
	}
	return f
}

// setRest tells the model what was measured at rest, in each of its domains, with what
// the sampler draws more since then.
func (m *measurement) setRest(more func(domain int) float64) {
	for d, i := range m.inModel {
		if i >= 0 {
			watts := m.before.watts[d]
			m.model.SetRest(i, power.Rest{
				Watts: max(0, watts+more(i)), SD: pinned*idleError*watts + leastSD,
				Row: uint32(othersRow(len(m.build.Components))), Load: m.before.others,
			})
		}
	}
}

// leastPower is the least mean power over windows of so many ns, by domain; of the
// whole, if it is shorter.
func (k *timeline) leastPower(window int64) []float64 {
	least := make([]float64, k.domains)
	for d := range least {
		least[d] = math.Inf(1)
	}
	from := 0
	for i := range k.updated {
		length := k.updated[i] - k.updated[from]
		if length < window*9/10 && (from > 0 || i < len(k.updated)-1) || length <= 0 {
			continue
		}
		for d := range least {
			watts := (k.joules[i*k.domains+d] - k.joules[from*k.domains+d]) / (float64(length) / 1e9)
			least[d] = min(least[d], max(0, watts))
		}
		from = i
	}
	return least
}
