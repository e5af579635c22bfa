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

// unseen is how many busy processors no task shows where tasks of others are hidden
// from this user.
const unseen = 0.1

// othersNow reads for how long all tasks of the machine have been running, but for
// those of some processes (schedstat, Documentation/scheduler/sched-stats.rst). It is
// exact, where the kernel's sums are guessed at its own ticks, and takes some
// milliseconds.
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

// since is for how long tasks ran between two moments, in s; those that began or
// ended in between are not counted.
func (t taskTimes) since(now taskTimes) float64 {
	var sum int64
	for name, ns := range now {
		if before, ok := t[name]; ok {
			sum += ns - before
		}
	}
	return float64(sum) / 1e9
}
