package execution

import (
	"fmt"
	"time"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/gosource"
)

// A counting is how it is known what a scenario's program did between two instants: by its probes,
// by samples of its stacks, by the compiler's coverage, or, with none of them, not at all.
type counting struct {
	program  Program
	file     *probe.File // nil without probes
	sampling *sampling   // nil where no stacks are sampled
	profile  *ownProfile // of sampling; nil where the program does not sample itself
	asked    *asked      // nil without coverage
}

func newCounting(p Program, o ScenarioOptions) (*counting, error) {
	if o.Sampling != nil {
		taken, err := samplingOf(p, *o.Sampling)
		return &counting{program: p, sampling: taken, profile: taken.profile}, err
	}
	o.Setup.Program = true
	file, err := probe.Create(o.Setup)
	return &counting{program: p, file: file}, err
}

func (c *counting) close() {
	if c.file != nil {
		c.file.Close() //nolint:errcheck // nothing of it is kept
	}
}

// moment is what was counted up to now, an instant in ns of CLOCK_MONOTONIC.
func (c *counting) moment(now int64) (*probe.Moment, error) {
	switch {
	case c.file != nil:
		return c.file.Moment(time.Duration(now))
	case c.asked != nil:
		return c.asked.moment(now)
	case c.sampling != nil:
		now = c.sampling.cut(now)
	}
	return &probe.Moment{At: time.Duration(now)}, nil
}

// own is the running time of components since a moment, in ns.
func (c *counting) own(from *probe.Moment) (map[int]float64, error) {
	if c.file == nil {
		return c.sampling.own(int64(from.At)), nil
	}
	return c.file.SelfNS(from)
}

// fill fills in what the program did between two moments, as a test of that name.
func (c *counting) fill(e *Execution, name string, from, to *probe.Moment) error {
	if c.file == nil {
		e.Log = &probe.Log{Reached: probe.Ran, Windows: []probe.Window{{Test: name, Start: int64(from.At), End: int64(to.At)}}}
		return c.sampling.fill(e, gosource.RuntimeName(c.program.Path, c.program.Path))
	}
	log, err := c.file.ReadProgram(name, from, to)
	if err == nil {
		err = e.Life.Plausible(log)
	}
	if err != nil {
		return fmt.Errorf("the data of its probes is corrupt (%w); it probably overwrote memory or a file that it does not own", err)
	}
	e.Log, e.Parts, e.Groups = log, c.program.parts(log), c.program.groups(log)
	return nil
}
