package calm

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/regularfile"
)

// ErrNoFrequency says that the kernel shows no frequency, as in most virtual machines.
var ErrNoFrequency = errors.New("the kernel shows no frequency of a core")

// Frequencies reads those of the cores from sysfs (Documentation/admin-guide/pm/cpufreq.rst of
// the Linux kernel, scaling_cur_freq).
type Frequencies struct {
	files []*os.File
	names []string
}

// OpenFrequencies opens the files of all cores under a folder of sysfs, /sys: those of cores
// that are off at that time are left out. It fails with ErrNoFrequency where there are none.
func OpenFrequencies(sys string) (*Frequencies, error) {
	names, err := filepath.Glob(filepath.Join(sys, "devices", "system", "cpu", "cpu[0-9]*", "cpufreq", "scaling_cur_freq"))
	if err != nil {
		return nil, fmt.Errorf("finding the frequencies of cores: %w", err)
	}
	slices.SortFunc(names, func(a, b string) int { return core(a) - core(b) })
	f := &Frequencies{}
	for _, name := range names {
		file, err := regularfile.Open(name)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("reading the frequency of a core: %w", err), f.Close())
		}
		f.files, f.names = append(f.files, file), append(f.names, name)
	}
	if len(f.files) == 0 {
		return nil, fmt.Errorf("%w: %s has no folder cpufreq", ErrNoFrequency, filepath.Join(sys, "devices", "system", "cpu", "cpu*"))
	}
	return f, nil
}

// core is the number of the core to which a file belongs.
func core(name string) int {
	folder := filepath.Base(filepath.Dir(filepath.Dir(name)))
	n, _ := strconv.Atoi(strings.TrimPrefix(folder, "cpu"))
	return n
}

// Cores is the number of values of a reading.
func (f *Frequencies) Cores() int { return len(f.files) }

// Read reads the present frequency of each core, in kHz; NaN of one that is off now.
func (f *Frequencies) Read(khz []float64) error {
	if len(khz) != len(f.files) {
		return fmt.Errorf("reading frequencies: there is room for %d cores of %d", len(khz), len(f.files))
	}
	for i, file := range f.files {
		var b [32]byte
		n, err := file.ReadAt(b[:], 0)
		if err != nil && !errors.Is(err, io.EOF) {
			khz[i] = math.NaN() // the kernel answers EBUSY or ENODEV for a core that is off
			continue
		}
		text := strings.TrimSpace(string(b[:n]))
		value, err := strconv.ParseUint(text, 10, 40)
		switch {
		case text == "<unknown>":
			khz[i] = math.NaN()
		case err != nil || value == 0:
			return fmt.Errorf("%s is %q, not a frequency in kHz", f.names[i], text)
		default:
			khz[i] = float64(value)
		}
	}
	return nil
}

// Close closes the files.
func (f *Frequencies) Close() error {
	var errs []error
	for _, file := range f.files {
		errs = append(errs, file.Close())
	}
	f.files, f.names = nil, nil
	return errors.Join(errs...)
}
