package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
)

// A counting holds the counters of a module's instrumented programs. It passes the
// hot functions found in one execution on to the next, as the rounds of a measurement
// do: the first execution is the warm-up.
type counting struct {
	build    *instrument.Build
	setUp    probe.Setup
	readings *readings
}

func newCounting(b *instrument.Build, r *readings) (*counting, error) {
	var rows probe.NamedRows
	rows.Unprobed, rows.Packages = b.Unprobed, b.Packages
	for _, c := range b.Components {
		name := "" // of an unused row
		if c.Kind == spell.KindFunction {
			name = gosource.RuntimeName(c.Package, c.ID)
		}
		rows.Components = append(rows.Components, name)
	}
	names, err := probe.NewNames(probe.NewIndex(rows))
	if err != nil {
		return nil, err
	}
	n := len(b.Components)
	return &counting{b, probe.Setup{Components: n, Hot: make([]probe.Hot, n), Names: names, Ticks: r.file}, r}, nil
}

// execute calls run, which must run a program with the environment variable and with
// the inherited files, as in a measurement.
func (c *counting) execute(run func(variable string, files []*os.File) (*execution, error)) (*execution, error) {
	file, err := probe.Create(c.setUp)
	if err != nil {
		return nil, err
	}
	defer file.Close()   //nolint:errcheck // nothing of it is kept
	const firstExtra = 3 // exec.Cmd.ExtraFiles
	stop := drain(file)
	e, err := run(file.ForProgram(firstExtra))
	stop()
	if err != nil {
		return nil, err
	}
	log, err := file.Read()
	if err != nil {
		return nil, fmt.Errorf("after a program with probes: %w", err)
	}
	for i, hot := range log.Frequent(float64(e.cpu), -1) {
		c.setUp.Hot[i] |= hot
	}
	for _, component := range log.WorthSizing(float64(e.cpu), c.build.Sizes) {
		if len(c.setUp.Sized) < probe.MostSized && !slices.Contains(c.setUp.Sized, component) {
			c.setUp.Sized = append(c.setUp.Sized, component)
		}
	}
	return e, nil
}

// drain takes out what is written down in each tick, as a measurement does, until stop is called: in full
// rings nothing more can be written.
func drain(file *probe.File) (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond):
				file.Occupancy(false, func(probe.Occupied) {})
			}
		}
	})
	return func() { close(quit); done.Wait() }
}

// hot lists the names, within their packages, of functions that are called so often
// that their calls are only counted from now on.
func (c *counting) hot() []string {
	var names []string
	for i, hot := range c.setUp.Hot {
		if component := c.build.Components[i]; hot&probe.HotCalls != 0 {
			names = append(names, strings.TrimPrefix(component.ID, component.Package+"."))
		}
	}
	return names
}

// close frees the counters.
func (c *counting) close() error { return errors.Join(c.setUp.Names.Close(), c.readings.close()) }
