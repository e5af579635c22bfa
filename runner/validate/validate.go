// Package validate measures what package validation compares: workloads alone, mixed and at once, by the
// normal way of measuring, on this machine or at a site.
package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"spell-lsp/runner"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell/record"
	"spell-lsp/spell/validation"
)

// Params say how to validate. The zero value takes the first meter that measures, and three minutes.
type Params struct {
	Meter   string
	Meters  meter.Options
	For     time.Duration // that workloads run, about; 0 is three minutes
	Seed    uint32        // of the random order; 0 draws one
	Version string        // of spell-lsp
	Bars    validation.Bars
	Site    runner.Site // the machine; nil is this one
	// Workloads is a folder whose files stand in place of those of the module of the workloads, "" = none.
	Workloads string
	Progress  func(runner.Step)
	// blocks is how many measurements of mixed workloads there are, and of concurrent ones; 0 = usualBlocks.
	blocks int
}

const (
	defaultFor = 3 * time.Minute
	// rounds of each measurement of workloads alone and of mixed ones.
	aloneRounds, mixedRounds = 3, 2
	usualBlocks              = 3
	// between is about what a measurement takes before its first round.
	between = 4 * time.Second
)

// lengths divides the time: 6 workloads alone at the start, and half as long at the end; then the mixed
// ones. A power that does not grow with time differs between start and end.
func (p *Params) lengths() lengths {
	units := 6*aloneRounds*1.5 + float64(p.blocks)*mixedRounds*(1.5+1)
	each := time.Duration(float64(p.For-time.Duration(2+2*p.blocks)*between) / units)
	each = max(each, 200*time.Millisecond)
	return lengths{alone: each, mixed: each * 3 / 2, concurrent: each}
}

// A session is one validation in progress.
type session struct {
	Params
	dir     string
	started time.Time
	result  *validation.Result
	pinned  *record.Meter // the one that every measurement must use; nil before the first look
}

// Validate carries out a validation. A result has a verdict; an error says that there is none.
func Validate(ctx context.Context, p Params) (*validation.Result, error) {
	if p.For == 0 {
		p.For = defaultFor
	}
	if p.Bars == (validation.Bars{}) {
		p.Bars = validation.DefaultBars
	}
	if p.blocks == 0 {
		p.blocks = usualBlocks
	}
	if p.Seed == 0 {
		p.Seed = 1 + rand.Uint32N(math.MaxUint32)
	}
	s := &session{Params: p, started: time.Now(), result: &validation.Result{Version: p.Version, Date: time.Now().UTC().Format(time.DateOnly), Seed: p.Seed, OtherWorkloads: p.Workloads != ""}}
	s.result.Machine = machine(p)
	if found, err := s.counter(); err != nil || !found {
		return s.result, err
	}
	folder, err := scratch.New()
	if err != nil {
		return nil, fmt.Errorf("making a folder for the workloads: %w", err)
	}
	defer folder.Remove()
	s.dir = folder.Dir
	if err := writeModule(s.dir, p.Workloads); err != nil {
		return nil, err
	}
	err = s.run(ctx)
	other, fault, ended := (*otherMeterError)(nil), (*runner.MeterError)(nil), (*endedError)(nil)
	switch {
	case errors.As(err, &ended):
		s.result.Refuse(ended.verdict())
		s.result.Detail, err = ended.cause, nil
	case errors.As(err, &other):
		s.result.Refuse(validation.Frozen, other.Error())
		err = nil
	case errors.As(err, &fault):
		s.result.Refuse(validation.Frozen, "The counter stood still or could not be read while workloads ran.")
		s.result.Detail, err = fault.Err.Error(), nil
	}
	if err != nil {
		return nil, err
	}
	s.result.Seconds = math.Round(time.Since(s.started).Seconds())
	return s.result, nil
}

// run measures everything and compares. Results without figures end it early.
func (s *session) run(ctx context.Context) error {
	l := s.lengths()
	probe, err := s.measure(ctx, "looking at the counter", lengths{alone: 300 * time.Millisecond}, "^"+validation.AloneTest(validation.Waiting)+"$", 1)
	if err != nil {
		return err
	}
	if s.refused(probe) {
		return nil
	}
	s.pin(&probe.Meter)
	beside := s.openBeside()
	defer beside.close()
	var m validation.Measurements
	if m.Start, err = s.measure(ctx, "workloads alone", l, "^TestAlone", aloneRounds); err != nil {
		return err
	}
	if v, why, err := validation.Unfit(m.Start, s.Bars); v != "" || err != nil { // known now: the rest would be in vain
		s.result.Others = validation.OthersOf(m.Start)
		s.result.Refuse(v, why)
		return err
	}
	if err := s.measureMixed(ctx, l, &m); err != nil {
		return err
	}
	l.alone /= 2
	if m.End, err = s.measure(ctx, "workloads alone again", l, "^TestAlone", aloneRounds); err != nil {
		return err
	}
	m.Sources = append(platform(m), beside.sources()...)
	return s.result.Compare(m, s.Bars)
}

// measureMixed measures workloads together, each time as if it were the first.
func (s *session) measureMixed(ctx context.Context, l lengths, m *validation.Measurements) error {
	for i := range s.blocks {
		doing := fmt.Sprintf("mixed workloads, %d of %d", i+1, s.blocks)
		run, err := s.measure(ctx, doing, l, "^"+validation.MixedTest+"$", mixedRounds)
		if err != nil {
			return err
		}
		m.Mixed = append(m.Mixed, run)
		if run.Host.Cores < 2 {
			continue
		}
		if run, err = s.measure(ctx, doing+", two at once", l, "^"+validation.ConcurrentTest+"$", mixedRounds); err != nil {
			return err
		}
		m.Concurrent = append(m.Concurrent, run)
	}
	return nil
}

// measure is one measurement, by the path of every measurement.
func (s *session) measure(ctx context.Context, doing string, l lengths, tests string, rounds int) (*record.Run, error) {
	if err := writePlan(s.dir, l, s.Seed); err != nil {
		return nil, err
	}
	run, err := runner.Measure(ctx, runner.Params{
		Dir: s.dir, Run: tests, Rounds: rounds, Seed: s.Seed, Meter: s.Meter, Meters: s.Meters, Site: s.Site, Settings: map[string]any{},
		Progress: func(step runner.Step) {
			if s.Progress != nil {
				s.Progress(runner.Step{Doing: doing + ": " + inRound(step), Fraction: -1})
			}
		},
	})
	if err == nil {
		err = incomplete(run)
	}
	if err != nil {
		return nil, err
	}
	if err := s.sameMeter(&run.Meter); err != nil {
		return nil, err
	}
	s.Seed++ // another order
	s.learn(run)
	return run, nil
}

// inRound is what a measurement is doing, in words.
func inRound(step runner.Step) string {
	if step.Doing != "" {
		return step.Doing
	}
	return fmt.Sprintf("round %d of %d", step.Round, step.Of)
}

// learn takes from a run what it says of machine and meter.
func (s *session) learn(run *record.Run) {
	r, m := s.result, run.Meter
	r.Machine.OS, r.Machine.Arch, r.Machine.CPU, r.Machine.Cores = run.Host.OS, run.Host.Arch, run.Host.CPU, run.Host.Cores
	r.Machine.Virtual, r.Machine.Go = run.Host.Virtual, run.Host.Go
	r.Dropped += run.DroppedRounds
	r.Meter = validation.Meter{
		Name: m.Name, Domains: m.Domains, UpdateMS: m.ResolutionMS, GapP99MS: max(r.Meter.GapP99MS, m.GapP99MS), TimingMS: max(r.Meter.TimingMS, m.TimingMS),
		SamplerCPU: max(r.Meter.SamplerCPU, m.SamplerCPU), Simulated: m.Root != "",
	}
}

// refused says whether the first look at the counter shows that nothing can be compared.
func (s *session) refused(run *record.Run) bool {
	switch {
	case isShare(run.AllNotes()):
		s.result.Refuse(validation.Shared, "The counter is a share of the host's energy, which the host computes from the CPU time of this virtual machine. It says nothing of single functions: validate on the host.")
	case run.Meter.Source != record.Measured:
		s.result.Refuse(validation.NoCounter, "Energy is "+string(run.Meter.Source)+" there, not measured: there is nothing to compare with. spell-lsp doctor, on that machine, says what makes a counter work.")
	default:
		return s.tooSlow(time.Duration(run.Meter.ResolutionMS * float64(time.Millisecond)))
	}
	return true
}
