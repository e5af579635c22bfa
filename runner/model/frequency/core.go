package frequency

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/regularfile"
)

// A core is a logical processor whose frequency is shown.
type core struct {
	number int
	Range
	file *os.File
	// states says that the file is stats/time_in_state, how long each frequency was set, and not
	// scaling_cur_freq, the present one.
	states bool
	spent  []int64 // ticks at each frequency, in the order of the lines
	text   []byte
}

// cores finds all that have cpufreq. A folder of cpufreq that lacks what a weight needs is an error.
func cores(o meter.Options, cpuName string) ([]core, error) {
	folders, _ := filepath.Glob(o.Sys("devices", "system", "cpu", "cpu[0-9]*", "cpufreq")) // the pattern is a good one
	var list []core
	shown := false
	for _, folder := range folders {
		if text, err := regularfile.Read(filepath.Join(folder, "scaling_governor"), 1<<12); err != nil || len(text) == 0 {
			continue // the processor is off
		}
		c, err := openCore(folder, cpuName)
		if err != nil {
			return nil, errors.Join(err, closeCores(list))
		}
		_, known := c.mean()
		shown = shown || known || c.states
		list = append(list, c)
	}
	switch {
	case len(list) == 0:
		return nil, ErrNone
	case !shown:
		return nil, errors.Join(fmt.Errorf("%s shows no frequency", list[0].file.Name()), closeCores(list))
	}
	slices.SortFunc(list, func(a, b core) int { return cmp.Compare(a.number, b.number) })
	return list, nil
}

func openCore(folder, cpuName string) (core, error) {
	number, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(folder)), "cpu"))
	c := core{number: number, text: make([]byte, 1<<12)}
	var err error
	if c.Range, err = rangeOf(folder, cpuName); err != nil {
		return core{}, err
	}
	if c.file, err = regularfile.Open(filepath.Join(folder, "stats", "time_in_state")); err == nil {
		c.states = true
	} else if c.file, err = regularfile.Open(filepath.Join(folder, "scaling_cur_freq")); err != nil {
		return core{}, fmt.Errorf("reading the frequency of a processor: %w", err)
	}
	return c, nil
}

var nominal = regexp.MustCompile(`@ ([0-9]+\.[0-9]+)GHz`)

// rangeOf reads the lowest and the highest frequency, and finds the base frequency: that of
// intel_pstate (Documentation/admin-guide/pm/intel_pstate.rst, base_frequency), that of the firmware
// (Documentation/admin-guide/acpi/cppc_sysfs.rst, nominal_freq, in MHz), or that in Intel's names.
func rangeOf(folder, cpuName string) (Range, error) {
	r := Range{Lowest: value(folder, "cpuinfo_min_freq"), Highest: value(folder, "cpuinfo_max_freq")}
	r.Base = cmp.Or(value(folder, "base_frequency"), 1e3*value(filepath.Dir(folder), "acpi_cppc", "nominal_freq"))
	if name := nominal.FindStringSubmatch(cpuName); r.Base == 0 && name != nil {
		ghz, _ := strconv.ParseFloat(name[1], 64)
		r.Base = ghz * 1e6
	}
	switch {
	case r.Base == 0:
		return r, fmt.Errorf("%s shows no base frequency (base_frequency, acpi_cppc/nominal_freq), and %q has none in its name", folder, cpuName)
	case r.Lowest == 0 || r.Highest < r.Lowest || !r.believes(r.Highest) || r.Base < r.Lowest:
		return r, fmt.Errorf("%s shows %g to %g kHz (cpuinfo_min_freq, cpuinfo_max_freq) around a base of %g", folder, r.Lowest, r.Highest, r.Base)
	}
	return r, nil
}

// value is the number in a file of the kernel, 0 if there is none.
func value(elem ...string) float64 {
	text, err := regularfile.Read(filepath.Join(elem...), 1<<12)
	n, rest := numberAt(bytes.TrimSpace(text))
	if err != nil || n < 0 || len(rest) > 0 {
		return 0
	}
	return float64(n)
}

// mean is the weight over the time since the last call, or, if only the present frequency is shown,
// at its end. It is not known of a processor that is off, or where the counts began anew.
func (c *core) mean() (weight float64, known bool) {
	n, _ := c.file.ReadAt(c.text, 0) // EBUSY or ENODEV of one that is off, with no text
	if c.states {
		return c.meanOfStates(c.text[:n])
	}
	khz, _ := numberAt(c.text[:n])
	if !c.believes(float64(khz)) { // also <unknown>
		return 0, false
	}
	return c.Weight(float64(khz)), true
}

func (c *core) meanOfStates(text []byte) (weight float64, known bool) {
	var sum, all float64
	anew := false
	i := 0
	for line := range bytes.Lines(text) {
		khz, rest := numberAt(line)
		ticks, _ := numberAt(bytes.TrimLeft(rest, " "))
		if ticks < 0 || !c.believes(float64(khz)) {
			continue
		}
		if i == len(c.spent) {
			c.spent = append(c.spent, ticks) // the first reading
		}
		since := float64(ticks - c.spent[i])
		c.spent[i] = ticks
		anew = anew || since < 0 // somebody wrote stats/reset
		sum, all, i = sum+since*c.Weight(float64(khz)), all+since, i+1
	}
	if anew || all == 0 {
		return 0, false
	}
	return sum / all, true
}

func closeCores(list []core) error {
	var errs []error
	for _, c := range list {
		errs = append(errs, c.file.Close())
	}
	return errors.Join(errs...)
}
