package calibration

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// ErrRefused says that nothing was kept, because nothing or nothing good was fitted.
var ErrRefused = errors.New("the model was not calibrated")

func refuse(why string) error { return fmt.Errorf("%w: %s", ErrRefused, why) }

// Params say how to calibrate.
type Params struct {
	Options meter.Options
	Step    time.Duration // 0: as long as the counter needs
	Version string        // of spell-lsp
	Say     func(string)  // progress
}

// Run opens the first counter that measures processors, loads them in steps, and fits. Errors are that of ctx,
// a length of steps that the counter does not bear, and those that wrap ErrRefused.
func Run(ctx context.Context, p Params) (*Calibration, error) {
	return newRig(p.Options).run(ctx, p)
}

// A rig is what a calibration does with a machine; tests have a simulated one.
type rig struct {
	open func(name string) (meter.Meter, error)
	date func() time.Time
	now  func() time.Duration
	wait func(context.Context, time.Duration) error
	load func(processors int) (stop func()) // keeps so many processors busy
	own  func() time.Duration               // CPU time of this process
	root bool                               // this process is root's
}

// rounds is how often all levels of load are run, upwards and downwards in turns: a drift, as of a machine
// that gets warm, is then none of the load's.
const rounds = 3

func (r rig) run(ctx context.Context, p Params) (*Calibration, error) {
	machine, err := This(p.Options)
	if err != nil {
		return nil, refuse(err.Error())
	}
	m, err := r.counter()
	if err != nil {
		return nil, err
	}
	defer m.Close() //nolint:errcheck // nothing was written
	c := &Calibration{Format: format, Version: p.Version, Counter: m.Info().Name, Includes: m.Info().Includes, Machine: machine}
	length, err := lengthOf(p.Step, m.Info())
	if err != nil {
		return nil, err
	}
	s, err := newStepper(r, m, p.Options, machine)
	if err != nil {
		return nil, err
	}
	defer s.work.close()
	plan := levels(machine.Cores)
	for i, busy := range plan {
		p.Say(fmt.Sprintf("step %d of %d: %d of %d processors busy for %v, counter %s", i+1, len(plan), busy, machine.Cores, length, c.Counter))
		step, err := s.step(ctx, busy, length)
		if err != nil {
			return nil, err
		}
		c.Steps = append(c.Steps, step)
	}
	c.Date, c.Frequency = r.date(), s.work.basis()
	c.Fit, err = fit(c.Steps)
	return c, err
}

// levels are the numbers of busy processors of all steps.
func levels(cores int) []int {
	up := []int{0, 1, cores / 2, cores}
	slices.Sort(up)
	up = slices.Compact(up)
	var plan []int
	for range rounds {
		plan = append(plan, up...)
		slices.Reverse(up)
	}
	return plan
}

// counters are the meters that can measure the power of processors, the finest first.
var counters = []string{"rapl", "perf", "hwmon", "battery"}

// counter opens the first that works. One of the whole machine is not used where root can read one of processors,
// unless it is a laptop's battery.
func (r rig) counter() (meter.Meter, error) {
	var why []string
	rights := false
	for _, name := range counters {
		m, err := r.open(name)
		if err == nil {
			unfit := misfit(m.Info(), rights)
			if unfit == "" {
				return m, nil
			}
			err = errors.Join(errors.New(unfit), m.Close())
		}
		var failed *meters.OpenError
		if errors.As(err, &failed) {
			err, rights = errors.New(failed.Why), rights || !r.root && errors.Is(failed.Err, fs.ErrPermission)
		}
		why = append(why, fmt.Sprintf("\n  %s: %v", name, err))
	}
	text := "no counter works here to calibrate by:" + strings.Join(why, "")
	if rights {
		text += "\nRoot can read one. Once is enough:\n  sudo \"$(command -v spell-lsp)\" doctor --calibrate"
	}
	return nil, refuse(text)
}

// misfit says why a counter is not used; "" if it is. finer says that root can read one of processors alone.
func misfit(info meter.Info, finer bool) string {
	switch {
	case info.Source != record.Measured || !info.Counter:
		return "what it reads is " + string(info.Source) + ", not measured"
	case !slices.Contains(info.Domains, spell.CPU):
		return "it does not measure processors"
	case finer && wholeMachine(info.Includes) && info.Name != "battery":
		return "it measures the whole machine, and root can read a counter of processors"
	}
	return ""
}

const (
	fastStep, slowStep = 5 * time.Second, time.Minute
	slow               = time.Second // updates of a counter from which on it is polled, as a battery's
	leastUpdates       = 10
)

// lengthOf is that of a step.
func lengthOf(asked time.Duration, info meter.Info) (time.Duration, error) {
	least := max(time.Second, leastUpdates*info.Resolution)
	switch {
	case asked == 0 && info.Resolution >= slow:
		return slowStep, nil
	case asked == 0:
		return fastStep, nil
	case asked < least:
		return 0, fmt.Errorf("steps of %v are too short for the counter %s: %v is the least", asked, info.Name, least)
	}
	return asked, nil
}
