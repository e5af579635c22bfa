package perf

import (
	"errors"
	"fmt"
	"io/fs"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/note"
)

// addCores starts the counters of single cores, which AMD's processors have: the PMU power_core of newer kernels. Its cpumask
// has one processor of each core. Without all of them there are none, with a warning.
func (m *Meter) addCores(o meter.Options, openEvent opener) {
	counters, cpus, err := startCores(o, openEvent, m)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // Intel's processors have none, and older kernels do not show them
	case err != nil:
		m.info.Notes = append(m.info.Notes, note.SeparateUnread("energy-core", explain(o, err).Error()))
		return
	}
	m.cores, m.info.CoreCPUs = counters, cpus
}

// maxCores is so many that reading them, a microsecond or two each, takes half of the time between two readings.
const maxCores = 256

func startCores(o meter.Options, openEvent opener, m *Meter) (counters []*counter, cores [][]int, err error) {
	dir := o.Sys("bus", "event_source", "devices", "power_core")
	s, err := readEvent(dir+"/events/", "energy-core")
	if err != nil {
		return nil, nil, err
	}
	var p pmu
	if p.kind, err = readNumber[uint32](dir+"/type", 10, 32); err != nil {
		return nil, nil, err
	}
	cpus, err := readCPUs(dir + "/cpumask")
	if err != nil {
		return nil, nil, err
	}
	if len(cpus) > maxCores {
		return nil, nil, fmt.Errorf("there are %d cores, more than %d, which take too long to read each millisecond", len(cpus), maxCores)
	}
	for _, cpu := range cpus {
		of, err := readCPUs(o.Sys("devices", "system", "cpu", fmt.Sprintf("cpu%d", cpu), "topology", "core_cpus_list"))
		if err != nil {
			return nil, nil, fmt.Errorf("which processors are one core: %s", err) //nolint:errorlint // its absence is no absence of the counters
		}
		cores = append(cores, of)
	}
	counters, err = start(p, s, cpus, openEvent, m.now)
	return counters, cores, err
}

// ReadCores implements meter.CoreMeter.
func (m *Meter) ReadCores(joules []float64) {
	for i, c := range m.cores {
		joules[i] = meter.Missing()
		if !m.closed && c.advance() == nil {
			joules[i] = c.joules()
		}
	}
}
