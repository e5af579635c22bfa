package sampler

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/model/frequency"
)

// Why: power follows the frequency, and where the kernel shows it, each reading must have it. Elsewhere a reading must not
// claim one.
func TestReadingsHaveTheFrequency(t *testing.T) {
	sys := t.TempDir()
	for cpu := range 256 { // the processors of this machine are among them
		dir := filepath.Join(sys, "devices/system/cpu", fmt.Sprint("cpu", cpu), "cpufreq")
		if err := os.MkdirAll(dir, 0o750); err != nil {
			t.Fatal(err)
		}
		for name, khz := range map[string]string{
			"scaling_governor": "performance", "cpuinfo_min_freq": "800000", "cpuinfo_max_freq": "3200000", "base_frequency": "2000000", "scaling_cur_freq": "3200000",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(khz+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := frequency.Range{Lowest: 800_000, Base: 2_000_000, Highest: 3_200_000}.Weight(3_200_000)
	sim := machine(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // frequencies of idle processors are not read
		for ctx.Err() == nil {
		}
	}()
	s, err := Open("rapl", meter.Options{PowercapRoot: sim.Root(), SysRoot: sys})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	isWanted := func(weight float64) bool { return math.Abs(weight-want) < 1e-9 } // it is a mean
	list := collect(t, s, func(l []Reading) bool { return len(l) > 0 && isWanted(l[len(l)-1].Weight) })
	for _, r := range list {
		if r.Weight != 0 && r.Weight != 1 && !isWanted(r.Weight) {
			t.Fatalf("a reading has the weight %v, want %v", r.Weight, want)
		}
	}
	plain := start(t, sim)
	for _, r := range collect(t, plain, func(l []Reading) bool { return len(l) > 0 && l[len(l)-1].UpdatedNS-l[0].UpdatedNS > 3e8 }) {
		if _, err := os.Stat("/sys/devices/system/cpu/cpu0/cpufreq"); err != nil && r.Weight != 0 {
			t.Fatalf("a reading has the weight %v of a machine that shows no frequency", r.Weight)
		}
	}
}
