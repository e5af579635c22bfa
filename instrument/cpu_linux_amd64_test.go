package instrument

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"spell-lsp/instrument/probe"
)

// What ran is written down with its CPU where that is asked for; a thread that stays on one CPU is known to.
func TestCPUOfWhatRan(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/cpu.txtar")})
	names, err := probe.NewNames(probe.Index{})
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	file, err := probe.Create(probe.Setup{Components: len(b.Components), Names: names, Ticks: readings(t), OnCPU: true})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b.execute(t, b.probed, b.Tests[0], nil, file)
	ran := make(map[string]map[uint32]float64) // ns by function and CPU
	file.Occupancy(true, func(o probe.Occupied) {
		if o.Row == 0 || int(o.Row) > len(b.Components) {
			return
		}
		id := b.Components[o.Row-1].ID
		if ran[id] == nil {
			ran[id] = make(map[uint32]float64)
		}
		ran[id][o.OnCPU] += o.RanNS
	})
	first, last := allowed(t)
	for name, cpu := range map[string]int{".First": first, ".Last": last} {
		var right, wrong, unknown float64
		for id, on := range ran {
			for is, ns := range on {
				switch {
				case !strings.HasSuffix(id, name):
				case is == 0:
					unknown += ns
				case is == uint32(cpu+1):
					right += ns
				default:
					wrong += ns
				}
			}
		}
		if right == 0 || right < 10*wrong || right < 4*unknown {
			t.Errorf("%s: %.3f ms on CPU %d, %.3f ms on others, %.3f ms on an unknown one", name, right/1e6, cpu, wrong/1e6, unknown/1e6)
		}
	}
}

// allowed are the first and the last CPU that this process may use.
func allowed(t *testing.T) (first, last int) {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	first = -1
	for cpu := range 1024 {
		if set.IsSet(cpu) {
			if last = cpu; first < 0 {
				first = cpu
			}
		}
	}
	return first, last
}
