package frequency

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spell-lsp/runner/meter"
)

// A tree is a simulated machine: its folders of cpufreq, and /proc/stat.
type tree struct {
	t          *testing.T
	sys, procs string
	busy       map[int]int // ticks, by processor
}

// newTree has processors of 0.8 to 3.2 GHz with a base of 2 GHz, all idle.
func newTree(t *testing.T, processors ...int) *tree {
	t.Helper()
	tr := &tree{t, t.TempDir(), t.TempDir(), make(map[int]int)}
	for _, n := range processors {
		tr.busy[n] = 0
		for name, text := range map[string]string{
			"scaling_governor": "powersave", "cpuinfo_min_freq": "800000", "cpuinfo_max_freq": "3200000",
			"base_frequency": "2000000", "scaling_cur_freq": "2000000",
		} {
			tr.write(n, "cpufreq/"+name, text)
		}
	}
	tr.spend(nil)
	return tr
}

func (tr *tree) options() meter.Options { return meter.Options{SysRoot: tr.sys, ProcRoot: tr.procs} }

func (tr *tree) file(n int, name string) string {
	return filepath.Join(tr.sys, "devices/system/cpu", fmt.Sprint("cpu", n), name)
}

func (tr *tree) write(n int, name, text string) {
	tr.t.Helper()
	overwrite(tr.t, tr.file(n, name), text)
}

// overwrite keeps the file, which is open.
func overwrite(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o750)
	if err == nil {
		err = os.WriteFile(name, []byte(text+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spend has processors work for so many ticks, half of them in the kernel.
func (tr *tree) spend(ticks map[int]int) {
	tr.t.Helper()
	text := "cpu  1 2 3 4 5 6 7 8 9 0\n"
	for n := range 100 {
		if _, ok := tr.busy[n]; ok {
			tr.busy[n] += ticks[n]
			half := tr.busy[n] / 2
			text += fmt.Sprintf("cpu%d %d 0 %d 9000 800 0 0 70 0 0\n", n, tr.busy[n]-half, half)
		}
	}
	overwrite(tr.t, filepath.Join(tr.procs, "stat"), text+"intr 12345 0 7\nctxt 1")
}

// states sets how many ticks each frequency was set.
func (tr *tree) states(n, slow, base, fast int) {
	tr.t.Helper()
	tr.write(n, "cpufreq/stats/time_in_state", fmt.Sprintf("800000 %d\n2000000 %d\n3200000 %d", slow, base, fast))
}

func (tr *tree) open(name string, most float64) *Weigher {
	tr.t.Helper()
	w, err := Open(tr.options(), name, most)
	if err != nil {
		tr.t.Fatal(err)
	}
	tr.t.Cleanup(func() {
		if err := w.Close(); err != nil {
			tr.t.Error(err)
		}
	})
	return w
}

func expect(t *testing.T, why string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: weight %v, want %v", why, got, want)
	}
}

var typical = Range{Lowest: 800e3, Base: 2000e3, Highest: 3200e3}

// The weight of a program is that of the processors that work. One that idles at its lowest
// frequency says nothing of it; of several that work, each counts by how long it does.
func TestBusyProcessorsAreWeighed(t *testing.T) {
	tr := newTree(t, 0, 1, 10)
	w := tr.open("", 0)
	slow, fast := typical.Weight(800e3), typical.Weight(3200e3)
	expect(t, "at the start", w.Weight(0), 1)

	tr.write(0, "cpufreq/scaling_cur_freq", "3200000")
	tr.write(1, "cpufreq/scaling_cur_freq", "800000")
	tr.spend(map[int]int{0: 10})
	expect(t, "before a window is over", w.Weight(99*time.Millisecond), 1)
	expect(t, "one processor works, at turbo", w.Weight(100*time.Millisecond), fast)
	tr.spend(map[int]int{0: 5, 1: 15})
	expect(t, "two work", w.Weight(250*time.Millisecond), (5*fast+15*slow)/20)
	expect(t, "nobody has worked since", w.Weight(400*time.Millisecond), (5*fast+15*slow)/20)

	tr.write(0, "cpufreq/scaling_cur_freq", "<unknown>")
	tr.spend(map[int]int{0: 5, 10: 5})
	expect(t, "one does not show its frequency", w.Weight(500*time.Millisecond), 1)
	tr.write(10, "cpufreq/scaling_cur_freq", "99000000000")
	tr.write(1, "cpufreq/scaling_cur_freq", "3200000")
	tr.spend(map[int]int{1: 5, 10: 5})
	expect(t, "one shows nonsense", w.Weight(600*time.Millisecond), fast)
	delete(tr.busy, 1)
	tr.write(10, "cpufreq/scaling_cur_freq", "800000")
	tr.spend(map[int]int{10: 3})
	expect(t, "one is off", w.Weight(700*time.Millisecond), slow)
	overwrite(t, filepath.Join(tr.procs, "stat"), "btime 7")
	expect(t, "who was busy is not known any more", w.Weight(800*time.Millisecond), slow)
	if got, want := w.Basis(), "scaling_cur_freq each 100ms, base frequency 2.00 GHz"; got != want {
		t.Errorf("basis %q, want %q", got, want)
	}
}

// Where the kernel counts the time at each frequency, a weight is the mean over the window.
func TestTimeInState(t *testing.T) {
	tr := newTree(t, 0, 1)
	tr.states(0, 1000, 0, 500)
	tr.states(1, 9, 9, 9)
	tr.write(1, "cpufreq/base_frequency", "2400000")
	w := tr.open("", 0)
	if got, want := w.Basis(), "time_in_state over 100ms, base frequency 2.00 to 2.40 GHz"; got != want {
		t.Errorf("basis %q, want %q", got, want)
	}
	slow, fast := typical.Weight(800e3), typical.Weight(3200e3)
	tr.states(0, 1003, 0, 507)
	tr.states(1, 19, 9, 9)
	tr.spend(map[int]int{0: 10})
	expect(t, "3 of 10 units slow, 7 fast", w.Weight(100*time.Millisecond), 0.3*slow+0.7*fast)
	tr.states(0, 0, 0, 2)
	tr.spend(map[int]int{0: 10})
	expect(t, "the counts began anew", w.Weight(200*time.Millisecond), 0.3*slow+0.7*fast)
	tr.states(0, 0, 5, 2)
	tr.spend(map[int]int{0: 10})
	expect(t, "the base frequency", w.Weight(300*time.Millisecond), 1)
}

// All processors cannot draw turbo power for long: the power limit holds. One can.
func TestPowerLimit(t *testing.T) {
	tr := newTree(t, 0, 1)
	w := tr.open("", 1.5)
	fast := typical.Weight(3200e3)
	for n := range 2 {
		tr.write(n, "cpufreq/scaling_cur_freq", "3200000")
	}
	tr.spend(map[int]int{0: 10, 1: 10})
	expect(t, "all are busy", w.Weight(100*time.Millisecond), 1.5)
	tr.spend(map[int]int{0: 10})
	expect(t, "half are busy", w.Weight(200*time.Millisecond), fast)
	tr.spend(map[int]int{0: 11, 1: 11})
	expect(t, "a unit more than the window has", w.Weight(300*time.Millisecond), 1.5)
}

// The base frequency is where drivers, firmware or Intel's names have it. Where it is not known,
// nothing is weighed, and the error says what is missing.
func TestBaseFrequency(t *testing.T) {
	remove := func(tr *tree, name string) {
		if err := os.Remove(tr.file(0, name)); err != nil {
			tr.t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		why, name string
		change    func(*tree)
		basis     string
		fails     string
	}{
		{"the driver's", "X @ 9.99GHz", func(*tree) {}, "2.00 GHz", ""},
		{"the firmware's", "X @ 9.99GHz", func(tr *tree) { remove(tr, "cpufreq/base_frequency"); tr.write(0, "acpi_cppc/nominal_freq", "2450") }, "2.45 GHz", ""},
		{"that in the name", "Intel(R) Xeon(R) CPU @ 2.60GHz", func(tr *tree) { remove(tr, "cpufreq/base_frequency") }, "2.60 GHz", ""},
		{"none", "AMD EPYC 7763", func(tr *tree) { remove(tr, "cpufreq/base_frequency") }, "", `no base frequency (base_frequency, acpi_cppc/nominal_freq), and "AMD EPYC 7763" has none in its name`},
		{"none of the limits", "", func(tr *tree) { remove(tr, "cpufreq/cpuinfo_min_freq") }, "", "shows 0 to 3.2e+06 kHz (cpuinfo_min_freq, cpuinfo_max_freq)"},
		{"a limit in other units", "", func(tr *tree) { tr.write(0, "cpufreq/cpuinfo_max_freq", "3200000000") }, "", "shows 800000 to 3.2e+09 kHz"},
		{"a limit that is no number", "", func(tr *tree) { tr.write(0, "cpufreq/cpuinfo_max_freq", "fast") }, "", "shows 800000 to 0 kHz"},
		{"no frequency", "", func(tr *tree) { remove(tr, "cpufreq/scaling_cur_freq") }, "", "reading the frequency of a processor: open"},
		{"a frequency that is not known", "", func(tr *tree) { tr.write(0, "cpufreq/scaling_cur_freq", "<unknown>") }, "", "scaling_cur_freq shows no frequency"},
		{"no /proc/stat", "", func(tr *tree) { os.Remove(filepath.Join(tr.procs, "stat")) }, "", "reading how busy processors are: open"},
		{"another /proc/stat", "", func(tr *tree) { overwrite(tr.t, filepath.Join(tr.procs, "stat"), "cpu0 1 x") }, "", `"cpu0 1 x" does not say how busy`},
	} {
		tr := newTree(t, 0)
		tt.change(tr)
		w, err := Open(tr.options(), tt.name, 0)
		if tt.fails != "" {
			if err == nil || errors.Is(err, ErrNone) || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: error %v, want %q", tt.why, err, tt.fails)
			}
			continue
		}
		if err != nil || !strings.HasSuffix(w.Basis(), tt.basis) {
			t.Errorf("%s: %v, %v; want %s", tt.why, w, err, tt.basis)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Most virtual machines show no frequency, and neither do processors that are off.
func TestNoFrequency(t *testing.T) {
	off := newTree(t, 0)
	overwrite(t, off.file(0, "cpufreq/scaling_governor"), "")
	if err := os.Truncate(off.file(0, "cpufreq/scaling_governor"), 0); err != nil {
		t.Fatal(err)
	}
	for _, tr := range []*tree{newTree(t), off} {
		if _, err := Open(tr.options(), "", 0); !errors.Is(err, ErrNone) {
			t.Errorf("error %v, want ErrNone", err)
		}
	}
}
