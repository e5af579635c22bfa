package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/fitness"
	"spell-lsp/runner/meter"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Why: a run must say what of its machine makes figures doubtful, and a laptop whose energy is
// estimated must not be told of its governor each time.
func TestNotesOfTheMachine(t *testing.T) {
	const hot, governor = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
	throttled := note.Throttled(1, 1)
	varies, busy := note.FrequencyNotHeld([]string{"governor schedutil, on 1 of 1 processors"}), note.Busy(0.25)
	for name, tt := range map[string]struct {
		info meter.Info
		want []note.Note
	}{
		"a counter":                     {meter.Info{Source: record.Measured}, []note.Note{throttled, varies, busy}},
		"a counter of another machine":  {meter.Info{Source: record.Measured, Root: "/simulated"}, []note.Note{throttled}},
		"an estimate":                   {meter.Info{Source: record.Estimated}, []note.Note{throttled}},
		"calls and CPU time, no energy": {meter.Info{Source: record.NoEnergy}, []note.Note{throttled}},
	} {
		root := t.TempDir()
		put := func(file, content string) {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		put("sys/devices/system/cpu/online", "0\n")
		put(governor, "schedutil\n")
		put(hot, "1\n")
		m := &measurement{
			Params: Params{Meters: meter.Options{ProcRoot: filepath.Join(root, "proc"), SysRoot: filepath.Join(root, "sys")}},
			info:   tt.info, machine: attribution.Machine{Cores: 2},
		}
		m.fitness = fitness.Begin(m.Meters)
		put(hot, "2\n")
		o := &observation{intervals: []*attribution.Interval{{LengthNS: 1e9, OthersNS: 0.5e9}}}
		m.kept = []*round{{tests: []*observation{o}}}
		m.noteMachine()
		if diff := cmp.Diff(tt.want, m.notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
