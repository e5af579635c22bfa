package fitness

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
)

// Why: a processor that gets too hot, or a container that uses up its share, while something is
// measured makes figures wrong, and nothing else in the run would say so. What was so before, and
// what changed nothing, is no note.
func TestNotes(t *testing.T) {
	const stat = "sys/fs/cgroup/user.slice/a.scope/cpu.stat"
	hot := func(core, pkg string) map[string]string {
		return map[string]string{cpu + "cpu0/thermal_throttle/core_throttle_count": core, cpu + "cpu0/thermal_throttle/package_throttle_count": pkg}
	}
	limited := func(stat1 string) map[string]string {
		return map[string]string{"sys/fs/cgroup/user.slice/a.scope/cpu.max": "150000 100000\n", stat: stat1}
	}
	varying := map[string]string{policy0 + "scaling_governor": "schedutil\n", cpu + "intel_pstate/no_turbo": "0\n"}
	guest := map[string]string{policy0 + "scaling_governor": "schedutil\n", "proc/cpuinfo": "flags: hypervisor\n"}
	for name, tt := range map[string]struct {
		before, after map[string]string
		counter       bool
		want          []note.Note
	}{
		"nothing":                          {nil, nil, true, nil},
		"too hot before":                   {hot("7\n", "9\n"), nil, true, nil},
		"too hot, by its core":             {hot("7\n", "9\n"), hot("8\n", "9\n"), false, []note.Note{note.Throttled(1, 2)}},
		"too hot, by its package":          {hot("7\n", "9\n"), hot("7\n", "10\n"), true, []note.Note{note.Throttled(1, 2)}},
		"counts that were set back":        {hot("7\n", "9\n"), hot("0\n", "0\n"), true, nil},
		"a count that could not be read":   {hot("x\n", "x\n"), hot("3\n", "3\n"), true, nil},
		"stopped":                          {limited("nr_periods 10\nnr_throttled 2\nthrottled_usec 1000\n"), limited("nr_periods 20\nnr_throttled 5\nthrottled_usec 301000\n"), false, []note.Note{note.QuotaReached(1.5, 3, 300)}},
		"stopped in version 1":             {limited("nr_throttled 2\nthrottled_time 0\n"), limited("nr_throttled 5\nthrottled_time 300000000\n"), false, []note.Note{note.QuotaReached(1.5, 3, 300)}},
		"stopped for less than 1 %":        {limited("nr_throttled 2\nthrottled_usec 0\n"), limited("nr_throttled 3\nthrottled_usec 9000\n"), true, nil},
		"stopped before":                   {limited("nr_throttled 2\nthrottled_usec 900000\n"), nil, true, nil},
		"a frequency that varies":          {varying, nil, true, []note.Note{note.FrequencyNotHeld([]string{"governor schedutil of intel_pstate, on 1 of 2 processors", "turbo frequencies on"})}},
		"a frequency, without a counter":   {varying, nil, false, nil},
		"a frequency of a virtual machine": {guest, nil, true, nil},
	} {
		files := quiet()
		for file, content := range tt.before {
			files[file] = content
		}
		root, o := tree(t, files)
		before := glanceAt(o)
		for file, content := range tt.after {
			put(t, filepath.Join(root, file), content)
		}
		after := glanceAt(o)
		after.at = before.at.Add(time.Second)
		if diff := cmp.Diff(tt.want, compare(before, after, tt.counter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
