// Package gpu reads the energy of NVIDIA's graphics processors through the
// maker's library NVML, which comes with the driver and is loaded at run time.
//
// Limits: the sum covers all GPUs of the machine with their memory, whoever uses
// them. Readings change every 20 to 100 ms, and the sensors of some GPUs sample only
// part of the time (Yang et al., Part-time Power Measurements, arXiv:2312.02741), so
// shorter windows are not resolved.
//
// A program can load a library at run time only if it is linked with the system's C
// library. Builds with cgo are, and that is Go's default on systems with a C compiler.
// With CGO_ENABLED=0 spell-lsp is one static file that starts everywhere, and has no
// GPU meter unless it is built with -tags gpu.
//
// Source: NVML API Reference Guide, Device Queries.
package gpu

import (
	"errors"
	"fmt"
	"os"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// libraryName is the library that the driver's packages install. It is not
// configurable: a privileged process must not load a library that somebody else names.
const libraryName = "libnvidia-ml.so.1"

// Driver sums all GPUs.
func Driver() meter.Driver {
	return meter.Driver{Name: "gpu", Auto: meter.Added, Open: Open, Remedy: Remedy}
}

// A NoGPUError says that there is no NVIDIA GPU, or no driver for one.
type NoGPUError struct {
	Reason string
}

func (e *NoGPUError) Error() string { return "no NVIDIA GPU: " + e.Reason }

// A BuildError says that there is a driver whose library this build of spell-lsp
// cannot load.
type BuildError struct{}

func (*BuildError) Error() string {
	return "there is an NVIDIA driver, but this spell-lsp was built as a static program, which cannot load its library " + libraryName
}

// Remedy says how to make the meter work after Open failed with err; "" where
// nothing helps.
func Remedy(err error) string {
	var built *BuildError
	var none *NoGPUError
	switch {
	case errors.As(err, &built):
		return "build spell-lsp with CGO_ENABLED=1, or with -tags gpu, on a machine with glibc."
	case errors.As(err, &none):
		return "on a machine with an NVIDIA GPU, install the maker's driver: " + libraryName + " comes with it (Debian: libnvidia-ml1).\n" +
			"In a container, start it with --gpus all and the capability utility (NVIDIA_DRIVER_CAPABILITIES=utility)."
	}
	return ""
}

// Open loads the library and takes the first readings. It fails with a *NoGPUError where
// there is no GPU or no driver, and with a *BuildError where this build cannot
// load one.
func Open(o meter.Options) (meter.Meter, error) {
	if !canLoad {
		if _, err := os.Stat(o.Proc("driver", "nvidia")); err == nil {
			return nil, &BuildError{}
		}
		return nil, &NoGPUError{"there is no " + o.Proc("driver", "nvidia")}
	}
	lib, err := load(libraryName)
	if err != nil {
		return nil, &NoGPUError{err.Error()}
	}
	m, err := open(lib, time.Now)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Meter is the sum of all GPUs.
type Meter struct {
	info   meter.Info
	lib    library
	now    func() time.Time
	boards []*board
	polled time.Time // when the library was last polled
	closed bool
}

func open(lib library, now func() time.Time) (*Meter, error) {
	m := &Meter{lib: lib, now: now}
	n, err := lib.count()
	if err == nil && n == 0 {
		err = &NoGPUError{"the driver lists none"}
	}
	integrated := 0
	for i := 0; i < n && err == nil; i++ {
		b := &board{number: i, lib: lib}
		if err = b.start(now()); err == nil {
			m.boards = append(m.boards, b)
		}
		if b.integrated {
			integrated++
		}
	}
	if err != nil {
		return nil, errors.Join(err, lib.close())
	}
	m.polled = now()
	m.info = meter.Info{
		Name: "gpu", Source: record.Measured, Domains: []spell.Domain{spell.GPU},
		Resolution: resolution, Counter: true, WholeMachine: true,
		Notes: []note.Note{note.GPUSlow(n)},
	}
	if integrated > 0 {
		m.info.Notes = append(m.info.Notes, note.GPUIntegrated(integrated, n, float64(resolution)/1e6))
	}
	return m, nil
}

// Info describes the meter. Its only domain is gpu.
func (m *Meter) Info() meter.Info { return m.info }

// Read implements meter.Meter and ignores the program's usage. It polls the library
// once in each interval of resolution, because a poll may take a millisecond; in between
// it returns the previous values. A failed reading is retried once before Read fails.
func (m *Meter) Read(_ meter.Usage, joules []float64) error {
	if m.closed {
		return errors.New("reading the GPUs: the meter is closed")
	}
	if len(joules) != 1 {
		return fmt.Errorf("reading the GPUs: there is room for %d domains, the meter has 1", len(joules))
	}
	if now := m.now(); now.Sub(m.polled) >= resolution {
		m.polled = now
		if err := m.advance(now); err != nil {
			return fmt.Errorf("reading the GPUs: %w", err)
		}
	}
	joules[0] = 0
	for _, b := range m.boards {
		joules[0] += b.joules()
	}
	return nil
}

// advance reads all GPUs.
func (m *Meter) advance(now time.Time) error {
	return meter.Each(m.boards, func(b *board) error { return b.advance(now) })
}

// Close releases the library.
func (m *Meter) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	return m.lib.close()
}
