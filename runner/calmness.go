package runner

import (
	"context"
	"errors"
	"slices"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/runner/calm"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A calmness is what is known of how far measuring changed the program: rounds of it as it is, in
// turns with the first ones that are kept.
type calmness struct {
	programs        map[string]execution.Program // without probes, by path; nil: not asked for, or not known
	plain, measured []calm.Round
	file            string // where it is kept; "" for nowhere
	kept            []look // earlier measurements of the same binaries, by period
	few             bool   // there are fewer rounds than decide anything
}

var calmVerdicts = []string{string(calm.Calm), string(calm.Disturbed), string(calm.Undecided)}

// setPeriod chooses the period of samples and readings: where calmness is asked for, the shortest at
// which the program stays calm, as far as that is known, else the usual one.
func (m *measurement) setPeriod() {
	least, first := m.periods()
	m.period = first
	if c := &m.calmness; m.Calm {
		if c.file = m.calmFile(); c.file != "" {
			c.kept = readCalm(c.file)
		}
		verdicts := make(map[time.Duration]calm.Verdict)
		for _, l := range c.kept {
			verdicts[l.period()] = l.OfPeriod
		}
		m.period = calm.Next(verdicts, least, first)
	}
	if m.sampling != nil && m.sampling.Profiled {
		m.period = execution.ProfilePeriod // which cannot be chosen
	}
	m.meter.Every(m.readings(m.period))
	if m.sampling != nil {
		m.sampling.Period = m.period
	}
}

// slowEstimates is how often an estimate is read while a program runs that is measured as a whole. An
// estimate follows CPU time, so that no reading is joined with what ran in its tick: readings only tell what
// was used up to the ends of a window, and wake processors that the program could use.
const slowEstimates = 16 * time.Millisecond

// readings is the time between readings of the meter, at least, for a period.
func (m *measurement) readings(period time.Duration) time.Duration {
	if m.whole && !m.info.Counter {
		return max(period, slowEstimates)
	}
	return period
}

// periods are the shortest that brings anything, and the one to begin with. Samples cost the program
// CPU time; readings cost it none, so that these begin as fast as the meter changes.
func (m *measurement) periods() (least, first time.Duration) {
	if m.sampling != nil {
		return calm.Shortest, samplePeriod
	}
	finest := sampler.Finest(m.info)
	if m.whole && !m.info.Counter {
		finest = slowEstimates
	}
	least = calm.Shortest
	for least < min(finest, calm.Longest) {
		least *= 2
	}
	return least, least
}

// prepareCalm builds the programs without probes, unless it is known how calm they are.
func (m *measurement) prepareCalm(ctx context.Context) error {
	if !m.Calm || m.calmness.at(m.period) != nil {
		return nil
	}
	const least = 3 // rounds: fewer decide nothing
	if m.calmness.few = m.planned() < least; m.calmness.few {
		return nil
	}
	m.onEnd(m.meter.Trace())
	built := make([]execution.Program, 0, len(m.programs))
	for _, p := range m.programs {
		built = append(built, p.Program)
	}
	if m.sampling == nil {
		m.tell("building without probes, to see how far these change the program")
		var err error
		if built, err = m.supply.Plain(ctx, m.packages()); err != nil {
			return err
		}
	}
	programs := make(map[string]execution.Program)
	for _, p := range built {
		programs[p.Path] = p
	}
	for _, p := range m.programs {
		if _, known := programs[p.Path]; !known {
			m.note(note.CalmnessUnknown(p.Path + " does not build"))
			return nil
		}
	}
	m.calmness.programs = programs
	return nil
}

// packages are those of the programs, each once.
func (m *measurement) packages() (list []instrument.Package) {
	for _, p := range m.programs {
		if !slices.Contains(list, p.Package) {
			list = append(list, p.Package)
		}
	}
	return list
}

// compareCalm runs a plain round after one that was kept, as long as more of them are worth it.
// Whatever goes wrong in it costs no more than calmness: the next round finds a fault of the meter.
func (m *measurement) compareCalm(ctx context.Context, kept *round) error {
	c := &m.calmness
	if c.programs == nil || len(c.plain) >= calm.MaxRounds || kept.lived.Seconds == 0 || !m.pace.fits(1, m.For) {
		return nil
	}
	plain, err := m.plainRound(ctx, kept.number)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, execution.ErrOtherCourse): // the next may be comparable
	case err != nil:
		c.programs = nil
		m.note(note.CalmnessUnknown(err.Error()))
	default:
		c.plain, c.measured = append(c.plain, plain), append(c.measured, kept.lived)
	}
	return nil
}

// plainRound executes every program as it is, with the flags of a round.
func (m *measurement) plainRound(ctx context.Context, number int) (all calm.Round, err error) {
	for _, p := range m.programs {
		p.Program = m.calmness.programs[p.Path]
		var one *execution.Plain
		if p.scenario != nil {
			one, err = m.meter.ExecuteScenarioPlain(ctx, p.Program, p.scenario, execution.ScenarioOptions{Dir: m.Dir, Timeout: m.Timeout})
		} else {
			one, err = m.meter.ExecutePlain(ctx, p.Program, execution.Options{
				Args: slices.Concat(m.selection(), p.chosen.flags(), m.first[p.Path].order(m.Seed, number)), Timeout: m.Timeout, GOROOT: m.build.GOROOT,
			})
		}
		if err != nil {
			return all, err
		}
		addLife(&all, one.Seconds, one.CPUSeconds, one.Trace)
	}
	return all, nil
}

// addLife adds an execution to a round.
func addLife(all *calm.Round, seconds, cpuSeconds float64, trace [][]float64) {
	all.Seconds, all.CPUSeconds = all.Seconds+seconds, all.CPUSeconds+cpuSeconds
	all.Trace = append(all.Trace, trace...)
}

// lives adds an execution with probes, or with samples, to the round.
func (r *round) lives(e *execution.Execution) {
	addLife(&r.lived, float64(e.Life.EndedNS-e.Life.BeganNS)/1e9, e.Life.CPUNS/1e9, e.Trace)
}

// addCalmness says how far measuring changed the program.
func (m *measurement) addCalmness(r *record.Run) {
	c := &m.calmness
	r.PeriodMS = milliseconds(m.period)
	known := c.at(m.period)
	switch {
	case len(c.plain) > 0:
		known = m.judgeCalm()
	case c.few, c.programs != nil: // or there was no time
		known = &look{Calmness: record.Calmness{Verdict: string(calm.Undecided)}}
	case known == nil:
		return
	}
	r.Calmness = &known.Calmness
	for _, l := range c.kept {
		if l.period() != m.period {
			r.Calmness.Others = append(r.Calmness.Others, record.OtherPeriod{PeriodMS: l.PeriodMS, Verdict: l.Verdict})
		}
	}
}

// judgeCalm judges the rounds, and keeps what came of it.
func (m *measurement) judgeCalm() *look {
	c, result := &m.calmness, calm.Judge(m.calmness.plain, m.calmness.measured)
	l := look{
		PeriodMS: milliseconds(m.period), OfPeriod: result.OfPeriod(m.sampling == nil),
		Calmness: record.Calmness{
			Verdict: string(result.Verdict), Rounds: len(c.plain), Frequencies: m.meter.TracesFrequencies(),
			TimeChange: change(result.Time), CPUChange: change(result.CPU),
			OverTime: correspondence(result.OverTime), OverCores: correspondence(result.OverCores),
		},
	}
	if c.file != "" && (result.Verdict != calm.Undecided || len(c.plain) == calm.MaxRounds) {
		keepCalm(c.file, append(slices.Clone(c.kept), l))
	}
	return &l
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// at is what is known of a period; nil for nothing.
func (c *calmness) at(period time.Duration) *look {
	for i := range c.kept {
		if c.kept[i].period() == period {
			return &c.kept[i]
		}
	}
	return nil
}

func change(c calm.Change) record.Change {
	if !(c.High-c.Low < maxKnown) {
		return record.Change{Relative: c.Relative}
	}
	return record.Change{Relative: c.Relative, CI: &[2]float64{c.Low, c.High}}
}

// maxKnown is the length of an interval from which on it says nothing.
const maxKnown = 10

func correspondence(c calm.Correspondence) *float64 {
	if c.R == 0 && c.Own == 0 {
		return nil
	}
	return &c.R
}
