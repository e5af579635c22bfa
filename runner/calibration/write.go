package calibration

import (
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell/units"
)

// Write writes what was fitted, as text for people.
func Write(w io.Writer, c *Calibration, file string) error {
	var b strings.Builder
	f := &c.Fit
	fmt.Fprintf(&b, "Calibrated with %s, %v:\n\n", c.measuredBy(), c.Machine)
	b.WriteString("   busy    power   the line\n")
	for _, s := range c.Steps {
		fmt.Fprintf(&b, "  %5.2f  %5s W   %5s W\n", s.Busy, watts(s.Watts), watts(f.IdleW+f.BusyW*s.Weighed))
	}
	fmt.Fprintf(&b, "\n%s W idle (95 %% interval %s to %s), %s W for each busy processor (%s to %s); error %s %%.\n",
		watts(f.IdleW), watts(f.IdleCI[0]), watts(f.IdleCI[1]), watts(f.BusyW), watts(f.BusyCI[0]), watts(f.BusyCI[1]), units.Percent(f.Error))
	if c.Frequency != "" {
		fmt.Fprintf(&b, "Busy processors were weighed by their frequency (%s).\n", c.Frequency)
	}
	fmt.Fprintf(&b, "Kept in %s. The meter model takes these watts from now on; its joules stay estimates.\nTo remove it: %s\n", file, "rm "+file)
	return write(w, b.String())
}

// List says which calibration there is; it writes nothing where there is none.
func List(w io.Writer, p Place) error {
	file, c, err := p.Find()
	switch {
	case err != nil:
		return write(w, fmt.Sprintf("\nThe calibration of the meter model cannot be used: %v\n", err))
	case c == nil:
		return nil
	}
	return write(w, fmt.Sprintf("\nThe meter model was calibrated on %s with %s, for %v, by spell-lsp %s.\n    It is kept in %s; to remove it: %s\n",
		c.Date.Format("2006-01-02"), c.measuredBy(), c.Machine, c.Version, file, "rm "+file))
}

func write(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("writing the calibration: %w", err)
	}
	return nil
}
