// Package disk estimates the energy of disks from the bytes that the program
// moved.
//
// Limits: bytes are counted in the storage layer. Reads from the page cache cost
// nothing; a write counts when its page becomes dirty, unless it is truncated before
// it reaches the disk (proc(5), /proc/pid/io: read_bytes, write_bytes,
// cancelled_write_bytes). Seeks, other programs and idle power are left out. One model
// stands for all disks of its kind; real disks differ by a factor of ten.
//
// The figures are the power of sequential transfer above idle, divided by its rate,
// from the makers' data sheets:
//
//	SSD  Samsung 970 EVO Plus 1 TB: idle 0.03 W; reads 3500 MB/s at 5.5 W,
//	     writes 3300 MB/s at 6.0 W: 1.56 and 1.81 nJ per byte
//	HDD  Seagate Barracuda XT 2 TB (ST32000641AS): idle 6.39 W, operating 9.23 W
//	     at 138 MB/s: 20.6 nJ per byte, read or written
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// Driver makes estimates from Options.ProcRoot/PID/io.
func Driver() meter.Driver {
	return meter.Driver{Name: "disk", Open: Open, Remedy: func(error) string { return "" }}
}

// Open finds the kind of the machine's disks. It fails where procfs does not
// count bytes (CONFIG_TASK_IO_ACCOUNTING), as on other systems than Linux.
func Open(o meter.Options) (meter.Meter, error) {
	if _, err := readIO(o.Proc("self", "io")); err != nil {
		return nil, fmt.Errorf("the kernel does not count the bytes that a program moves to disk: %w", err)
	}
	k, why := choose(o)
	return &Meter{o: o, kind: k, info: meter.Info{
		Name: "disk", Source: record.Estimated, Domains: []spell.Domain{spell.Disk},
		Resolution: time.Millisecond, IdleW: []float64{0}, PerByte: [][2]float64{{k.read, k.write}},
		Notes: []note.Note{note.DiskEstimated(k.name, k.read, k.write, why)},
	}}, nil
}

// Meter adds up the bytes of all measured programs. It reads nothing while none runs.
type Meter struct {
	o      meter.Options
	kind   kind
	info   meter.Info
	pid    int
	path   string // of the program's io file
	now    moved  // by the program with that PID
	before moved  // by earlier programs
}

// Info describes the meter. Its only domain is disk.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter. The last reading of a program that has ended stands.
func (m *Meter) Read(u meter.Usage, joules []float64) error {
	if len(joules) != 1 {
		return fmt.Errorf("estimating the disks' energy: there is room for %d domains, the meter has 1", len(joules))
	}
	if u.PID != 0 {
		if err := m.advance(u.PID); err != nil {
			return fmt.Errorf("estimating the disks' energy: %w", err)
		}
	}
	joules[0] = m.kind.read*float64(m.before.read+m.now.read) + m.kind.write*float64(m.before.written+m.now.written)
	return nil
}

func (m *Meter) advance(pid int) error {
	if pid != m.pid {
		m.next()
		m.pid, m.path = pid, m.o.Proc(strconv.Itoa(pid), "io")
	}
	v, err := readIO(m.path)
	if meter.Gone(err) || errors.Is(err, fs.ErrPermission) && ending(m.o.Proc(strconv.Itoa(pid), "stat")) {
		return nil
	}
	if err != nil {
		return err
	}
	if v.read < m.now.read { // another program has this PID now
		m.next()
	}
	m.now.read = v.read
	m.now.written = max(m.now.written, v.written) // it falls when a file is truncated
	return nil
}

// next adds the program's bytes to those of earlier programs.
func (m *Meter) next() {
	m.before.read += m.now.read
	m.before.written += m.now.written
	m.now = moved{}
}

// Close does nothing: there is nothing open.
func (m *Meter) Close() error { return nil }

func readIO(path string) (moved, error) {
	text, err := regularfile.Read(path, regularfile.MaxValue)
	if err != nil {
		return moved{}, err
	}
	v, err := parseIO(string(text))
	if err != nil {
		return moved{}, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
