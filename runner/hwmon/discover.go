package hwmon

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/regularfile"
)

// A NoSensorError says that a machine has no sensor that this meter reads.
type NoSensorError struct {
	Reason string
}

func (e *NoSensorError) Error() string {
	return "no energy or power of known coverage in hwmon: " + e.Reason
}

// A PermissionError says that a sensor may not be read.
type PermissionError struct {
	Path string
	Err  error
}

func (e *PermissionError) Error() string { return e.Err.Error() }
func (e *PermissionError) Unwrap() error { return e.Err }

// explain makes a *PermissionError of a refusal by the kernel.
func explain(err error) error {
	var at *fs.PathError
	if errors.Is(err, fs.ErrPermission) && errors.As(err, &at) {
		return &PermissionError{at.Path, err}
	}
	return err
}

// remedy says how to make the meter work after Open failed with err, on a processor of that architecture (as in
// package runtime); "" where nothing helps.
func remedy(err error, arch string) string {
	var denied *PermissionError
	var none *NoSensorError
	switch {
	case errors.As(err, &denied):
		return "as the machine's owner, until the next boot: sudo chmod a+r '" + denied.Path + "'\n" +
			"Every user and program of the machine can then see what all others use, closely enough to recover keys from code\n" +
			"that handles them (the PLATYPUS attack, CVE-2020-12912), because of which Linux closed these files."
	case errors.As(err, &none) && arch == "arm64":
		return "on a server whose firmware has power meters (NVIDIA Grace has), load their driver: sudo modprobe acpi_power_meter"
	}
	return ""
}

// discover finds the sensors of all chips, in the order of their paths.
func discover(o meter.Options) ([]*sensor, error) {
	root := o.Sys("class", "hwmon")
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing the sensors: %w", err)
	}
	var chips []string
	var all []*sensor
	seen := map[string]bool{}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		chip := cmp.Or(text(dir, "name"), text(filepath.Join(dir, "device"), "name"))
		if chip == "" {
			continue
		}
		if !slices.Contains(chips, chip) {
			chips = append(chips, chip)
		}
		all = append(all, inChip(chip, dir, seen)...)
	}
	kept := choose(all)
	if len(kept) == 0 {
		if len(chips) == 0 {
			return nil, &NoSensorError{"there is no driver in " + root}
		}
		return nil, &NoSensorError{fmt.Sprintf("%s has %s", root, strings.Join(chips, ", "))}
	}
	return kept, nil
}

// inChip finds the known sensors of a chip. Drivers of the older interface have their files in the folder of
// the device, and newer kernels link there. seen are the real paths of sensors that were found already.
func inChip(chip, dir string, seen map[string]bool) (list []*sensor) {
	for _, folder := range []string{dir, filepath.Join(dir, "device")} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // many chips have no such folder
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			k, ok := lookUp(chip, e.Name(), label(folder, e.Name()))
			target, err := filepath.EvalSymlinks(path)
			if !ok || err != nil || seen[target] || text(folder, numbered(e.Name())+"_is_battery") == "1" {
				continue
			}
			seen[target] = true
			s := newSensor(k, path)
			if s.device = dir; chip == acpi {
				s.device = chip
			}
			list = append(list, s)
		}
	}
	return list
}

func newSensor(k known, path string) *sensor {
	s := &sensor{known: k, path: path}
	switch file := filepath.Base(path); {
	case strings.HasPrefix(file, "energy"):
		s.quantity = energy
	case strings.HasSuffix(file, "_average"):
		s.quantity = average
		ms, err := strconv.ParseUint(text(filepath.Dir(path), numbered(file)+"_average_interval"), 10, 32)
		if err == nil && ms > 0 {
			s.every = min(max(time.Duration(ms)*time.Millisecond, fastest), slowest)
		}
	default:
		s.quantity = power
	}
	return s
}

// Bounds of the intervals that chips say.
const (
	fastest = 10 * time.Millisecond
	slowest = 10 * time.Second
)

// numbered is the first part of the name of a sensor's files: "power1" of "power1_average".
func numbered(file string) string {
	first, _, _ := strings.Cut(file, "_")
	return first
}

// label is what a driver says of a sensor: energyN_label or powerN_label, or what ACPI's firmware does.
func label(folder, file string) string {
	return cmp.Or(text(folder, numbered(file)+"_label"), text(folder, numbered(file)+"_oem_info"))
}

// lookUp finds a sensor in the table, and completes its name beside the domains.
func lookUp(chip, file, label string) (k known, ok bool) {
	for _, k := range sensors {
		if k.chip != chip {
			continue
		}
		if number, ok := k.match(file, label); ok {
			k.beside = strings.Replace(k.beside, "%s", number, 1)
			return k, true
		}
	}
	return known{}, false
}

// choose keeps the sensors of the first group of each device, and what covers the whole machine only where nothing else
// covers a part of it: the part would count twice. Of several that may cover it, nothing says which does.
func choose(found []*sensor) (kept []*sensor) {
	first := map[string]int{}
	for _, s := range found {
		if group, ok := first[s.device]; s.group != always && (!ok || s.group < group) {
			first[s.device] = s.group
		}
	}
	wholes, parts := 0, false
	for _, s := range found {
		if s.all {
			wholes++
		} else if s.domain != "" {
			parts = true
		}
	}
	for _, s := range found {
		if (s.group == always || s.group == first[s.device]) && (!s.all || wholes == 1 && !parts) {
			kept = append(kept, s)
		}
	}
	slices.SortFunc(kept, func(a, b *sensor) int { return cmp.Compare(a.path, b.path) })
	if !slices.ContainsFunc(kept, func(s *sensor) bool { return s.domain != "" }) {
		return nil
	}
	numberRepeated(kept)
	return kept
}

// numberRepeated makes the names of sensors beside the domains unique: firmware may give several the same label.
func numberRepeated(sensors []*sensor) {
	seen := map[string]int{}
	for _, s := range sensors {
		if s.domain != "" {
			continue
		}
		seen[s.beside]++
		if n := seen[s.beside]; n > 1 {
			s.beside = fmt.Sprintf("%s (%d)", s.beside, n)
		}
	}
}

// text is the content of a file, "" without one.
func text(dir, name string) string {
	content, err := regularfile.Read(filepath.Join(dir, name), regularfile.MaxValue)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// number reads a file with one whole number, which is not negative.
func number(path string) (float64, error) {
	content, err := regularfile.Read(path, regularfile.MaxValue)
	if err != nil {
		return 0, err
	}
	digits := strings.TrimSpace(string(content))
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > math.MaxInt64 {
		return 0, fmt.Errorf("%s is %.40q, not a number", path, digits)
	}
	return float64(n), nil
}
