package execution

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// taskTimes is the CPU time of tasks by the names of their folders, in ns.
type taskTimes map[string]int64

// othersNow reads the CPU time of all tasks of the machine, except those of some processes
// (schedstat, Documentation/scheduler/sched-stats.rst). It is exact, whereas the sums of
// /proc/stat have a resolution of 10 ms, and takes some milliseconds.
func othersNow(except ...int) taskTimes {
	times := make(taskTimes)
	names, _ := filepath.Glob("/proc/[0-9]*/task/*/schedstat") // the pattern is right
	for _, name := range names {
		pid, err := strconv.Atoi(strings.Split(name, "/")[2])
		if err != nil || slices.Contains(except, pid) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		ran, _, _ := strings.Cut(string(text), " ")
		if ns, err := strconv.ParseInt(ran, 10, 64); err == nil {
			times[name] = ns
		}
	}
	return times
}

// since is the CPU time of tasks between two moments, in s, without those that began or ended
// in between.
func (t taskTimes) since(now taskTimes) float64 {
	var sum int64
	for name, ns := range now {
		if before, ok := t[name]; ok {
			sum += ns - before
		}
	}
	return float64(sum) / 1e9
}
