package fitness

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/runner/meter"
)

// A Quota is the tightest limit of CPU time that this process is in, of its own control group and
// of those above.
type Quota struct {
	CPUs  float64 // CPU time per time that is allowed; below the number of processors, it bites
	File  string  // that sets it
	stats string  // cpu.stat of that group
}

// quota reads the limits of both versions of control groups (Documentation/admin-guide/cgroup-v2.rst,
// cpu.max; Documentation/scheduler/sched-bwc.rst, cpu.cfs_quota_us); nil without a limit.
func quota(o meter.Options) (tightest *Quota) {
	for _, line := range lines(o.Proc("self", "cgroup")) {
		fields := strings.SplitN(line, ":", 3)
		if len(fields) != 3 {
			continue
		}
		for _, root := range hierarchies(o, fields[1]) {
			for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
				q := quotaOf(filepath.Join(root, filepath.FromSlash(group)))
				if q != nil && (tightest == nil || q.CPUs < tightest.CPUs) {
					tightest = q
				}
				if group == "/" {
					break
				}
			}
		}
	}
	return tightest
}

// hierarchies are where a hierarchy of control groups can be mounted, by the controllers that
// /proc/self/cgroup has for it: none for version 2.
func hierarchies(o meter.Options, controllers string) []string {
	if controllers == "" {
		return []string{o.Sys("fs", "cgroup"), o.Sys("fs", "cgroup", "unified")}
	}
	if !slices.Contains(strings.Split(controllers, ","), "cpu") {
		return nil
	}
	return []string{o.Sys("fs", "cgroup", "cpu"), o.Sys("fs", "cgroup", controllers)}
}

// quotaOf is the limit of one group; nil if it has none.
func quotaOf(folder string) *Quota {
	var limit, period string
	file := filepath.Join(folder, "cpu.max")
	if fields := strings.Fields(text(file)); len(fields) == 2 {
		limit, period = fields[0], fields[1]
	} else {
		file = filepath.Join(folder, "cpu.cfs_quota_us")
		limit, period = text(file), text(filepath.Join(folder, "cpu.cfs_period_us"))
	}
	us, err := strconv.ParseInt(limit, 10, 64) // "max" and -1 are no limit
	of, errOf := strconv.ParseInt(period, 10, 64)
	if err != nil || errOf != nil || us <= 0 || of <= 0 {
		return nil
	}
	return &Quota{CPUs: float64(us) / float64(of), File: file, stats: filepath.Join(folder, "cpu.stat")}
}

// Stops is how often and how long the kernel has stopped the processes of a group that had used up
// its limit (cpu.stat).
type Stops struct {
	Times int64
	MS    float64
}

// stops reads those of the group with the limit, so far.
func (q *Quota) stops() (s Stops) {
	if q == nil {
		return s
	}
	for _, line := range lines(q.stats) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "nr_throttled":
			s.Times = n
		case "throttled_usec": // version 2
			s.MS = float64(n) / 1e3
		case "throttled_time": // version 1, in ns
			s.MS = float64(n) / 1e6
		}
	}
	return s
}
