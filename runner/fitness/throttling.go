package fitness

import (
	"path/filepath"

	"spell-lsp/runner/meter"
)

// Throttling is how often each processor was slowed down, as its core or its package was too hot,
// since the machine started: by folder of the processor. Processors that do not tell are left out;
// the kernel tells on Intel's only (Documentation/ABI/testing/sysfs-devices-system-cpu,
// thermal_throttle).
type Throttling map[string]int

func throttling(o meter.Options) Throttling {
	t := make(Throttling)
	for _, folder := range cpuFolders(o) {
		for _, name := range []string{"core_throttle_count", "package_throttle_count"} {
			if n := number(filepath.Join(folder, "thermal_throttle", name)); n != nil && *n >= 0 {
				t[folder] += *n
			}
		}
	}
	return t
}

// most is the highest count.
func (t Throttling) most() (n int) {
	for _, count := range t {
		n = max(n, count)
	}
	return n
}

// since counts the processors that were slowed down after an earlier look.
func (t Throttling) since(before Throttling) (cpus int) {
	for folder, count := range t {
		if earlier, known := before[folder]; known && count > earlier {
			cpus++
		}
	}
	return cpus
}
