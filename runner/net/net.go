// Package net estimates the energy of the network from the bytes that were sent
// and received while the program ran.
//
// Limits: Linux counts bytes by network namespace, not by program. Usually that is the
// whole machine, so bytes of other programs count as the measured program's. Loopback is
// left out, because it reaches no wire. A network card draws about the same power whether
// it sends or not, so the figure is not that of the card: it is the energy of the network
// between data centres, 0.001 kWh per gigabyte, 3.6 µJ per byte, the lowest of the published
// coefficients (Cloud Carbon Footprint, Methodology, Networking). Others are up to a hundred
// times as high.
package net

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// joulesPerByte is 0.001 kWh of 3.6 MJ for 10^9 bytes.
const joulesPerByte = 0.001 * 3.6e6 / 1e9

// Driver makes estimates from Options.ProcRoot/PID/net/dev.
func Driver() meter.Driver {
	return meter.Driver{Name: "net", Open: Open, Remedy: func(error) string { return "" }}
}

// Open fails where procfs does not count bytes, as on other systems than Linux.
func Open(o meter.Options) (meter.Meter, error) {
	if _, err := readDevices(o.Proc("self", "net", "dev")); err != nil {
		return nil, fmt.Errorf("the kernel does not count the bytes that are sent: %w", err)
	}
	return &Meter{o: o, info: meter.Info{
		Name: "net", Source: record.Estimated, Domains: []spell.Domain{spell.Net},
		Resolution: time.Millisecond, IdleW: []float64{0}, PerByte: [][2]float64{{joulesPerByte, joulesPerByte}},
		Notes: []note.Note{note.NetEstimated(joulesPerByte)},
	}}, nil
}

// Meter adds up the bytes sent and received while programs ran.
type Meter struct {
	o     meter.Options
	info  meter.Info
	pid   int
	last  map[string]uint64 // by interface, received and sent
	bytes uint64
}

// Info describes the meter. Its only domain is net.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter. The count of a program begins with its first reading.
// The last reading of a program that has ended stands.
func (m *Meter) Read(u meter.Usage, joules []float64) error {
	if len(joules) != 1 {
		return fmt.Errorf("estimating the network's energy: there is room for %d domains, the meter has 1", len(joules))
	}
	if u.PID != m.pid {
		m.pid, m.last = u.PID, nil
	}
	if u.PID != 0 {
		if err := m.advance(); err != nil {
			return fmt.Errorf("estimating the network's energy: %w", err)
		}
	}
	joules[0] = joulesPerByte * float64(m.bytes)
	return nil
}

func (m *Meter) advance() error {
	all, err := readDevices(m.o.Proc(strconv.Itoa(m.pid), "net", "dev"))
	if meter.Gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	now := m.cards(all)
	for name, v := range now {
		if last, ok := m.last[name]; ok && v >= last {
			m.bytes += v - last
		} else if m.last != nil { // the interface is new, or its counter was reset
			m.bytes += v
		}
	}
	m.last = now
	return nil
}

// cards leaves out interfaces that would count a byte twice: loopback and, where there
// are physical devices, interfaces on top of them, such as bridges and tunnels. A
// container has no device: its end of the virtual pair counts.
func (m *Meter) cards(all map[string]uint64) map[string]uint64 {
	devices := map[string]uint64{}
	for name, v := range all {
		if _, err := os.Stat(m.o.Sys("class", "net", name, "device")); err == nil {
			devices[name] = v
		}
	}
	if len(devices) > 0 {
		return devices
	}
	delete(all, "lo")
	return all
}

// Close does nothing: there is nothing open.
func (m *Meter) Close() error { return nil }

func readDevices(path string) (map[string]uint64, error) {
	text, err := regularfile.Read(path, regularfile.MaxSource)
	if err != nil {
		return nil, err
	}
	devices, err := parseDevices(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return devices, nil
}

// parseDevices reads the content of net/dev (proc(5)): two header lines, then for each
// interface its name, a colon, eight numbers about receiving and eight about sending.
// The first of each eight is bytes.
func parseDevices(text string) (map[string]uint64, error) {
	devices := map[string]uint64{}
	heads := 0
	for line := range strings.Lines(text) {
		if strings.Contains(line, "|") {
			heads++
			continue
		}
		name, numbers, _ := strings.Cut(line, ":")
		f := strings.Fields(numbers)
		if len(f) < 9 {
			return nil, fmt.Errorf("line %.40q is no interface", line)
		}
		received, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s has received %.40q, not a number of bytes", strings.TrimSpace(name), f[0])
		}
		sent, err := strconv.ParseUint(f[8], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s has sent %.40q, not a number of bytes", strings.TrimSpace(name), f[8])
		}
		devices[strings.TrimSpace(name)] = received + sent
	}
	if heads == 0 {
		return nil, fmt.Errorf("it has no heads: %.40q", text)
	}
	return devices, nil
}
