// Package rapl reads the energy counters of Intel's and AMD's processors (RAPL,
// Running Average Power Limit) through Linux's powercap class.
//
// Limits: the counters see the whole machine, change about once a millisecond,
// and are readable by root only unless the machine's owner has changed that.
// In a virtual machine they are the host's share, see meter.Info.HostsShare.
// Zones are identified by name, not by number; choose says which of them make up
// the total.
//
// Sources: Documentation/power/powercap/powercap.rst and
// drivers/powercap/intel_rapl_common.c of the Linux kernel.
package rapl

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/virtual"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// resolution is the interval at which the counters change: 0.68 to 1.65 ms on the
// machines with published figures.
const resolution = time.Millisecond

// Driver opens the RAPL counters under Options.PowercapRoot or, without one,
// in Options.SysRoot.
func Driver() meter.Driver {
	return meter.Driver{Name: "rapl", Auto: meter.Tried, Open: Open, Remedy: Remedy, Fixes: []meter.Fix{UdevRule(), TmpfilesEntry()}}
}

// Open opens the counters of all packages and of their memory. Where the
// packages can be read and the memory cannot, the meter has the domain cpu
// alone, with a warning.
//
// It fails with a *NoCounterError where there is none, and with a
// *PermissionError where they may not be read.
func Open(o meter.Options) (meter.Meter, error) {
	m, err := open(o, openFile, time.Now)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Meter is the sum of the chosen zones by domain.
type Meter struct {
	info     meter.Info
	now      func() time.Time
	groups   []group    // in the order of Info().Domains
	separate []group    // in the order of Info().Separate
	counters []*counter // of groups, each once
	platform []*counter // psys; read apart, as a fault of theirs concerns no domain
	closed   bool
}

// A group is the counters of one domain.
type group struct {
	domain   spell.Domain
	counters []*counter
}

// joules are the energy since the meter was opened, meter.Missing where the latest reading of a counter failed.
func (g group) joules() float64 {
	var sum Energy
	for _, c := range g.counters {
		if c.missed {
			return meter.Missing()
		}
		sum += c.total
	}
	return sum.Joules()
}

func closeAll(counters []*counter) error {
	var errs []error
	for _, c := range counters {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// open is Open with its file access and clock as parameters.
func open(o meter.Options, openFile func(string) (file, error), now func() time.Time) (*Meter, error) {
	root, system := o.Sys("class", "powercap"), true
	if o.PowercapRoot != "" {
		root, system = filepath.Clean(o.PowercapRoot), sameFolder(o.PowercapRoot, root)
	}
	zones, notFound, err := discover(root)
	if err != nil {
		return nil, err
	}
	choices, notes := choose(zones)
	m := &Meter{now: now}
	m.info = meter.Info{Name: "rapl", Source: record.Measured, Resolution: resolution, Counter: true, WholeMachine: true}
	m.info.Notes = slices.Concat(notFound, notes)
	if !system {
		m.info.Root = realFolder(root)
	}
	s := starter{root: root, open: openFile, now: now}
	mirrors, err := m.addPackages(s, choices)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if len(m.groups[0].counters) == 0 {
		return nil, &NoCounterError{root, noPackage(root, zones, m.info.Notes)}
	}
	m.addMemory(s, choices, mirrors)
	m.addParts()
	m.addPlatform(s, choices)
	if guest, _ := virtual.Machine(o); guest && system {
		m.info = m.info.HostsShare()
	}
	return m, nil
}

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// realFolder resolves links and relative paths: /proc/self/cwd, for example, means
// another folder to every reader.
func realFolder(folder string) string {
	if at, err := filepath.EvalSymlinks(folder); err == nil {
		folder = at
	}
	if at, err := filepath.Abs(folder); err == nil {
		folder = at
	}
	return folder
}

// noPackage says why the zones give no total.
func noPackage(root string, zones []zone, notes []note.Note) string {
	var names []string
	for _, z := range zones {
		names = append(names, fmt.Sprintf("%s (%s)", filepath.Base(z.path), z.name))
	}
	if len(names) == 0 {
		return strings.Join(wording.Texts(notes), "; ")
	}
	return fmt.Sprintf("%s has no package zone, only %s", root, strings.Join(names, ", "))
}

// A starter opens counters.
type starter struct {
	root string
	open func(string) (file, error)
	now  func() time.Time
}

func (s starter) start(ch choice) (*counter, error) {
	c := &counter{zone: ch.zone, number: ch.number, open: func(path string) (file, error) {
		f, err := s.open(path)
		return f, explain(s.root, path, err)
	}}
	if err := c.start(s.now()); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// addPackages starts the counters of all packages, or fails: a total without one of
// them would be wrong. It returns the places of the dies that it left out because they
// show the counter of another die.
func (m *Meter) addPackages(s starter, choices []choice) (mirrors map[string]bool, err error) {
	m.groups = []group{{domain: spell.CPU}}
	m.info.Domains = []spell.Domain{spell.CPU}
	mirrors = map[string]bool{}
	dies := map[string][]*counter{}
	for _, ch := range choices {
		if ch.domain != spell.CPU {
			continue
		}
		c, err := s.start(ch)
		if err != nil {
			return nil, err
		}
		if original := mirrorOf(c, dies[ch.number], s.now); ch.die && original != nil {
			m.info.Notes = append(m.info.Notes, note.ZoneMirrored(c.zone.path, c.zone.name, original.zone.name))
			mirrors[c.zone.place.String()] = true
			if err := c.close(); err != nil {
				return nil, fmt.Errorf("closing %s: %w", c.zone.counterPath(), err)
			}
			continue
		}
		dies[ch.number] = append(dies[ch.number], c)
		m.groups[0].counters, m.counters = append(m.groups[0].counters, c), append(m.counters, c)
	}
	return mirrors, nil
}

// addMemory starts the counters of the memory, except that of mirrored dies: all of
// them or, with a warning, none.
func (m *Meter) addMemory(s starter, choices []choice, mirrors map[string]bool) {
	g := group{domain: spell.DRAM}
	for _, ch := range choices {
		if ch.domain != spell.DRAM || mirrors[ch.zone.place.parent().String()] {
			continue
		}
		c, err := s.start(ch)
		if err != nil {
			err = errors.Join(err, closeAll(g.counters))
			m.info.Notes = append(m.info.Notes, note.MemoryNotMeasured(err.Error()))
			return
		}
		g.counters = append(g.counters, c)
	}
	if len(g.counters) > 0 {
		m.groups, m.counters = append(m.groups, g), append(m.counters, g.counters...)
		m.info.Domains = append(m.info.Domains, spell.DRAM)
	}
}

// addParts adds what is counted for each package and its memory, where there are several packages.
func (m *Meter) addParts() {
	for _, g := range m.groups {
		kind, name := meter.Package, "package-"
		if g.domain == spell.DRAM {
			kind, name = meter.Memory, "dram-"
		}
		of := map[string]*group{}
		var numbers []string
		for _, c := range g.counters {
			if of[c.number] == nil {
				of[c.number] = &group{}
				numbers = append(numbers, c.number)
			}
			of[c.number].counters = append(of[c.number].counters, c)
		}
		if len(numbers) < 2 || of[""] != nil {
			continue
		}
		slices.SortFunc(numbers, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		for _, n := range numbers {
			m.addSeparate(meter.Separate{Name: name + n, Kind: kind}, *of[n])
		}
	}
}

func (m *Meter) addSeparate(s meter.Separate, g group) {
	m.info.Separate, m.separate = append(m.info.Separate, s), append(m.separate, g)
}

// addPlatform starts the counters of the whole machine. One that cannot be read is left out, with a warning.
func (m *Meter) addPlatform(s starter, choices []choice) {
	for _, ch := range choices {
		if ch.domain != "" {
			continue
		}
		c, err := s.start(ch)
		if err != nil {
			m.info.Notes = append(m.info.Notes, note.SeparateUnread(ch.zone.name, err.Error()))
			continue
		}
		m.platform = append(m.platform, c)
		m.addSeparate(meter.Separate{Name: ch.zone.name, Kind: meter.Platform}, group{counters: []*counter{c}})
	}
}

// Info describes the meter. Its domains are cpu and, where the memory has
// counters, dram; psys, and the packages of a machine with several, are separate.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter and ignores the program's usage. A failed reading of
// a zone is retried once before Read fails or, for psys, its value is missing.
func (m *Meter) Read(_ meter.Usage, joules []float64) error {
	if m.closed {
		return errors.New("reading RAPL: the meter is closed")
	}
	if n := m.info.Values(); len(joules) != n {
		return fmt.Errorf("reading RAPL: there is room for %d values, the meter has %d", len(joules), n)
	}
	err := meter.Each(m.counters, func(c *counter) error { return c.advance(m.now()) })
	for _, c := range m.platform {
		c.missed = c.advance(m.now()) != nil
	}
	if err != nil {
		return fmt.Errorf("reading RAPL: %w", err)
	}
	for i, g := range m.groups {
		joules[i] = g.joules()
	}
	for i, g := range m.separate {
		joules[len(m.groups)+i] = g.joules()
	}
	return nil
}

// Close closes the files of the counters.
func (m *Meter) Close() error {
	m.closed = true
	return closeAll(slices.Concat(m.counters, m.platform))
}
