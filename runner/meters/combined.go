package meters

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A CombinationError says why meters cannot be combined.
type CombinationError struct {
	Names string // as given: "rapl,model"
	Why   string
}

func (e *CombinationError) Error() string {
	return "meters " + e.Names + " cannot be combined: " + e.Why
}

// combined reads several meters as one, with the domains of all of them.
type combined struct {
	info   meter.Info
	parts  []meter.Meter
	joules []float64 // buffer for one reading of all parts, one after the other
}

// combine makes one meter of its parts; a single part is returned as it is. What a part before counts already is
// left out of a part (see withoutOverlap), which must have something left. All sources must be the same: a sum of
// estimated and measured joules would look measured and is not.
func combine(parts []meter.Meter) (meter.Meter, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	c := &combined{parts: slices.Clone(parts)}
	var list []string
	for _, m := range parts {
		list = append(list, m.Info().Name)
	}
	c.info.Name = strings.Join(list, ",")
	c.info.Source = parts[0].Info().Source
	for i, m := range parts {
		why := conflict(parts[0].Info(), m.Info())
		if why == "" {
			c.parts[i], why = withoutOverlap(c.parts[:i], m)
		}
		if why != "" {
			return nil, &CombinationError{c.info.Name, why}
		}
		c.join(c.parts[i].Info())
	}
	if slices.ContainsFunc(parts, func(m meter.Meter) bool { return m.Info().IdleW == nil }) {
		c.info.IdleW = nil // has to be measured for all of them
	}
	if !slices.ContainsFunc(parts, func(m meter.Meter) bool { return m.Info().PerCPUSecond != nil }) {
		c.info.PerCPUSecond = nil
	}
	if !slices.ContainsFunc(parts, func(m meter.Meter) bool { return m.Info().PerByte != nil }) {
		c.info.PerByte = nil
	}
	if !slices.Contains(c.info.Whole, true) {
		c.info.Whole = nil
	}
	c.joules = make([]float64, c.info.Values())
	return c, nil
}

// conflict says why the joules of a part cannot stand beside those of the first part; "" if they can.
func conflict(first, part meter.Info) string {
	if part.Source == record.NoEnergy {
		return fmt.Sprintf("%s gives no joules here: %s", part.Name, strings.Join(wording.Texts(part.Notes), " "))
	}
	if part.Source != first.Source {
		return fmt.Sprintf("what %s reads is %s and what %s reads is %s, and a sum of both would be neither; measured and estimated joules are never mixed",
			first.Name, first.Source, part.Name, part.Source)
	}
	return ""
}

// join adds a part's description to that of the combined meter.
func (c *combined) join(part meter.Info) {
	perCPU := part.PerCPUSecond
	if perCPU == nil {
		perCPU = make([]float64, len(part.Domains))
	}
	perByte := part.PerByte
	if perByte == nil {
		perByte = make([][2]float64, len(part.Domains))
	}
	whole := part.Whole
	if whole == nil {
		whole = make([]bool, len(part.Domains))
	}
	resolutions := part.Resolutions
	if resolutions == nil {
		resolutions = slices.Repeat([]time.Duration{part.Resolution}, len(part.Domains))
	}
	i := &c.info
	i.Domains = append(i.Domains, part.Domains...)
	i.Resolutions = append(i.Resolutions, resolutions...)
	i.Resolution = slices.Min(i.Resolutions)
	i.Counter = i.Counter || part.Counter
	i.WholeMachine = i.WholeMachine || part.WholeMachine
	i.IdleW = append(i.IdleW, part.IdleW...)
	i.PerCPUSecond = append(i.PerCPUSecond, perCPU...)
	i.PerByte = append(i.PerByte, perByte...)
	i.Whole = append(i.Whole, whole...)
	i.Separate = append(i.Separate, part.Separate...)
	i.CoreCPUs = append(i.CoreCPUs, part.CoreCPUs...)
	i.Includes = append(i.Includes, part.Includes...)
	i.Root = cmp.Or(i.Root, part.Root)
	i.Notes = append(i.Notes, part.Notes...)
}

func (c *combined) Info() meter.Info { return c.info }

func (c *combined) Read(u meter.Usage, joules []float64) error {
	if len(joules) != len(c.joules) {
		return fmt.Errorf("reading %s: there is room for %d values, they have %d", c.info.Name, len(joules), len(c.joules))
	}
	rest := c.joules
	err := meter.Each(c.parts, func(m meter.Meter) error {
		part := rest[:m.Info().Values()]
		rest = rest[len(part):]
		return m.Read(u, part)
	})
	if err != nil {
		return err
	}
	rest = c.joules
	domains, separate := joules[:len(c.info.Domains)], joules[len(c.info.Domains):]
	for _, m := range c.parts {
		info := m.Info()
		n := copy(domains, rest[:len(info.Domains)])
		copy(separate, rest[n:info.Values()])
		domains, separate, rest = domains[n:], separate[len(info.Separate):], rest[info.Values():]
	}
	return nil
}

// ReadCores reads those of the parts.
func (c *combined) ReadCores(joules []float64) {
	for _, m := range c.parts {
		n := len(m.Info().CoreCPUs)
		meter.ReadCores(m, joules[:n])
		joules = joules[n:]
	}
}

func (c *combined) Close() error { return closeAll(c.parts) }

func closeAll(parts []meter.Meter) error {
	var errs []error
	for _, m := range parts {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}
