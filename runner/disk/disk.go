// Package disk estimates the energy of disks from the bytes that the program
// moved.
//
// Limits: bytes are those of the storage layer, not what the program asked for:
// what the page cache answers costs nothing, and what is written counts when the
// page is made dirty, less what was truncated before it reached the disk
// (proc(5), /proc/pid/io: read_bytes, write_bytes, cancelled_write_bytes).
// Seeks, other programs and the idle disk are not in it, and every disk of a
// kind is taken for one model of it. Real ones differ by a factor of ten. Which
// function moved the bytes is not known: runs have the energy of tests only.
//
// The figures are the power above idle, divided by the rate, of sequential
// transfer, by the makers' data sheets:
//
//	SSD  Samsung 970 EVO Plus 1 TB: idle 0.03 W; reads 3500 MB/s at 5.5 W,
//	     writes 3300 MB/s at 6.0 W: 1.56 and 1.81 nJ a byte
//	HDD  Seagate Barracuda XT 2 TB (ST32000641AS): idle 6.39 W, operating 9.23 W
//	     at 138 MB/s: 20.6 nJ a byte, read or written
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// Driver makes estimates from Options.ProcRoot/PID/io.
func Driver() meter.Driver {
	return meter.Driver{Name: "disk", Open: Open, Remedy: func(error) string { return "" }}
}

// A kind of disk costs so much.
type kind struct {
	name        string
	read, write float64 // joules a byte
}

var (
	ssd = kind{"a solid-state disk", (5.5 - 0.03) / 3500e6, (6.0 - 0.03) / 3300e6}
	hdd = kind{"a hard disk", (9.23 - 6.39) / 138e6, (9.23 - 6.39) / 138e6}
)

// Open finds the kind of the machine's disks. It fails where procfs does not
// count bytes (CONFIG_TASK_IO_ACCOUNTING), as on other systems than Linux.
func Open(o meter.Options) (meter.Meter, error) {
	if _, err := readIO(o.Proc("self", "io")); err != nil {
		return nil, fmt.Errorf("the kernel does not tell what a program moves to disk: %w", err)
	}
	k, why := choose(o)
	return &Meter{o: o, kind: k, info: meter.Info{
		Name: "disk", Source: record.Estimated, Domains: []spell.Domain{spell.Disk},
		Resolution: time.Millisecond, IdleW: []float64{0},
		Warnings: []string{fmt.Sprintf(
			"The energy of disks is estimated, not measured: %s of %.3g nJ a byte read and %.3g written, without idle power (%s).",
			k.name, k.read*1e9, k.write*1e9, why)},
	}}, nil
}

// Meter is the sum of what all programs moved. It reads nothing while none runs.
type Meter struct {
	o      meter.Options
	kind   kind
	info   meter.Info
	pid    int
	path   string // of the program's io file
	now    moved  // by the program with that PID
	before moved  // by those before it
}

// moved is bytes that reached, or are to reach, a disk. A program's begin at 0
// with it, and include its children's that it has waited for.
type moved struct{ read, written uint64 }

// Info describes the meter. Its only domain is disk.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter. Of a program that has ended, what was read last
// stays.
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
	if v.read < m.now.read { // the number is another program's by now
		m.next()
	}
	m.now.read = v.read
	m.now.written = max(m.now.written, v.written) // it falls where a file is truncated
	return nil
}

// next puts the program's bytes with those of the ones before it.
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
