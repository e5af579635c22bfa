// Package calibration fits the watts of the meter model to this machine, once, by a counter that
// works for a while: root's, or a battery's. It keeps them, and finds them again.
//
// Limits: a line through power and busy processors holds for the load that was run, on the machine as
// it was. What is computed from it stays an estimate: it says nothing of a function that its
// CPU time does not say.
package calibration

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"spell-lsp/runner/fitness"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/model"
	"spell-lsp/runner/virtual"
	"spell-lsp/spell"
	"spell-lsp/spell/units"
)

// format is the version of the file.
const format = "spell-lsp/calibration/v1"

// A Calibration is what was fitted, and how.
type Calibration struct {
	Format  string    `json:"format"`
	Date    time.Time `json:"date"`
	Version string    `json:"version"` // of spell-lsp
	Counter string    `json:"counter"` // the meter that measured
	// Includes are the domains whose energy is in that of processors, as that counter counts them.
	Includes []spell.Domain `json:"includes,omitempty"`
	Machine  Machine        `json:"machine"`
	Fit      Fit            `json:"fit"`
	// Frequency says what weights by frequency rested on; "" where there were none.
	Frequency string `json:"frequency,omitempty"`
	Steps     []Step `json:"steps"`
}

// A Machine is what a calibration holds for.
type Machine struct {
	CPU        string `json:"cpu"` // its name; "" on some architectures
	Cores      int    `json:"cores"`
	Hypervisor string `json:"hypervisor,omitempty"` // "" on bare metal
	Governor   string `json:"governor,omitempty"`   // of the frequency; "" where none is shown
}

// This is the machine as it is now.
func This(o meter.Options) (Machine, error) {
	cpu, err := model.ReadCPU(o.ProcRoot)
	if err != nil {
		return Machine{}, err
	}
	m := Machine{CPU: cpu.Name, Cores: cpu.Threads}
	if is, of := virtual.Machine(o); is {
		m.Hypervisor = of
		if of == "" {
			m.Hypervisor = "unknown"
		}
	}
	m.Governor = fitness.Look(o).Governors()
	return m, nil
}

func (m Machine) String() string {
	text := fmt.Sprintf("%s %q", units.Plural(m.Cores, "processor"), m.CPU)
	if m.Hypervisor != "" {
		text += ", virtual (" + m.Hypervisor + ")"
	}
	return text
}

// check says why it is no calibration.
func (c *Calibration) check() error {
	f := &c.Fit
	switch {
	case c.Format != format:
		return fmt.Errorf("its format is %q, not %q", c.Format, format)
	case c.Date.IsZero() || c.Counter == "" || c.Machine.Cores < 1:
		return errors.New("date, counter or cores are missing")
	case !(f.IdleW >= 0 && f.IdleW < math.Inf(1)) || !(f.BusyW > 0 && f.BusyW < math.Inf(1)) || !(f.Error >= 0 && f.Error <= maxError):
		return fmt.Errorf("%v W idle, %v W busy and an error of %v are no fit", f.IdleW, f.BusyW, f.Error)
	}
	return nil
}

// maxAge is how long nothing is said of the age: thermal paste, fans and firmware change over months.
const maxAge = 180 * 24 * time.Hour

// mismatch says why c does not hold for a machine; "" if it does.
func (c *Calibration) mismatch(now Machine) string {
	was := c.Machine
	was.Governor, now.Governor = "", ""
	if was == now {
		return ""
	}
	return fmt.Sprintf("it is of %v, and this is %v", was, now)
}

// basis says where the watts come from, and what makes them doubtful.
func (c *Calibration) basis(m Machine, now time.Time) string {
	text := fmt.Sprintf("%s W idle and %s W for each busy one of %s, calibrated on %s with %s (error %s %%)",
		watts(c.Fit.IdleW), watts(c.Fit.BusyW), units.Plural(c.Machine.Cores, "processor"), c.Date.Format(time.DateOnly), c.measuredBy(), units.Percent(c.Fit.Error))
	if age := now.Sub(c.Date); age > maxAge {
		text += fmt.Sprintf("; that was %d days ago: calibrate again", int(age.Hours()/24))
	}
	if c.Machine.Governor != m.Governor {
		text += fmt.Sprintf("; the governor was %s and is %s: calibrate again", known(c.Machine.Governor), known(m.Governor))
	}
	return text
}

func known(governor string) string {
	if governor == "" {
		return "unknown"
	}
	return governor
}

// measuredBy names the counter, and what it covers beside processors.
func (c *Calibration) measuredBy() string {
	switch {
	case c.Counter == "battery":
		return c.Counter + ", which has the whole laptop"
	case wholeMachine(c.Includes):
		return c.Counter + ", which has the whole machine"
	case slices.Contains(c.Includes, spell.DRAM):
		return c.Counter + ", which has the memory too"
	}
	return c.Counter
}

// wholeMachine says whether processors are counted with everything else.
func wholeMachine(includes []spell.Domain) bool { return len(includes) == len(spell.Domains()) }

// watts has three figures.
func watts(w float64) string {
	if math.Abs(w) >= 1000 {
		return fmt.Sprintf("%.0f", w)
	}
	return fmt.Sprintf("%.3g", w)
}
