package powercapsim

import (
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spell-lsp/internal/powercapsim/burn"
)

// withAccounts makes a simulated machine with accounts, in which process 1 has the
// running time *cpu; setting that to 0 ends the process.
func withAccounts(t *testing.T, now *int64, cpu *time.Duration, zones ...Zone) *Sim {
	t.Helper()
	dir := t.TempDir()
	s, err := New(Params{Dir: dir, Accounts: filepath.Join(dir, "accounts"), Zones: zones, Clock: func() int64 { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	s.ledger.cpu = func(pid int) (time.Duration, error) {
		if pid != 1 || *cpu == 0 {
			return 0, errors.New("no such process")
		}
		return *cpu, nil
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The counter shows, to the unit of 2^-14 J, the sum of the idle machine's energy,
// the energy that functions booked, and the process's other running time at its
// power. Time before the process registered does not count, nor does booked time,
// nor any time after its end.
func TestCounterOfAccounts(t *testing.T) {
	var now int64
	cpu := 40 * time.Millisecond
	s := withAccounts(t, &now, &cpu,
		Zone{Name: "package-0", Watts: 8, Load: 1, RangeUJ: 1_000_000},
		Zone{Name: "dram", Parent: "package-0", Load: 0.15},
		Zone{Name: "package-0", Control: "intel-rapl-mmio", Mirror: "package-0"})
	program, err := burn.Open(filepath.Join(s.params.Dir, "accounts"))
	if err != nil {
		t.Fatal(err)
	}
	process, err := program.Register(1, 10)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		why    string
		do     func()
		joules float64 // in the accounts
	}{
		{"a process that has just begun has used nothing", func() {}, 0},
		{"functions book watts times time", func() {
			cpu += 30 * time.Millisecond
			program.Book(process, 0, 22.5, int64(20*time.Millisecond))
			program.Book(process, 255, 6, int64(10*time.Millisecond))
		}, 0.45 + 0.06},
		{"5 ms that no function booked use 10 W", func() { cpu += 5 * time.Millisecond }, 0.56},
		{"more was booked than the process was running: it is booked all the same", func() {
			cpu += time.Millisecond
			program.Book(process, 0, 10, int64(3*time.Millisecond))
		}, 0.59},
		{"and is not booked again as the rest", func() { cpu += 2 * time.Millisecond }, 0.59},
		{"the rest goes on after it", func() { cpu += time.Millisecond }, 0.60},
		{"what the process does after the last reading is not seen", func() { cpu = 0 }, 0.60},
	}
	for _, step := range steps {
		now += 10 * time.Millisecond.Nanoseconds()
		step.do()
		s.Update()
		idle := 8 * float64(now) / 1e9
		for path, want := range map[string]float64{"intel-rapl:0": idle + step.joules, "intel-rapl-mmio:0": idle + step.joules, "intel-rapl:0:0": 0.15 * step.joules} {
			rangeUJ := uint64(1_000_000)
			if path == "intel-rapl:0:0" {
				rangeUJ = DefaultRangeUJ
			}
			units := math.Floor(want*(1<<14) + 1e-9)
			shown := image(uint64(units/(1<<14)*1e6) % rangeUJ)
			if got := read(t, s, path+"/energy_uj"); got != shown {
				t.Errorf("%s: %s shows %q, want %q", step.why, path, got, shown)
			}
		}
		if got := s.Truth(now)["package-0"]; math.Abs(got-idle-step.joules) > 1e-9 {
			t.Errorf("%s: the truth is %v J, want %v", step.why, got, idle+step.joules)
		}
	}
	if got := s.Accounts().Processes[0].PID.Load(); got != 0 {
		t.Errorf("the entry of a process that is gone still holds %d", got)
	}
}

// What processes that do not take part run draws power: one that was there before the simulation from then on, a new
// one from its start. A participant's time counts elsewhere, and one that has ended no more.
func TestOtherProcessesDrawPower(t *testing.T) {
	const ms = time.Millisecond
	running := map[int]time.Duration{1: time.Hour, 2: time.Hour}
	o := others{
		watts: 10,
		list:  func() ([]int, error) { return slices.Collect(maps.Keys(running)), nil },
		cpu: func(pid int) (time.Duration, error) {
			if cpu, ok := running[pid]; ok {
				return cpu, nil
			}
			return 0, errors.New("no such process")
		},
	}
	takesPart := func(pid int) bool { return pid == 2 }
	for i, step := range []struct {
		at   time.Duration
		do   func()
		want time.Duration
	}{
		{0, func() {}, 0},
		{2 * ms, func() { running[1] += ms }, 0}, // it has not run since a search
		{16 * ms, func() { running[1] += ms; running[2] += 4 * ms; running[3] = 5 * ms }, 7 * ms},
		{17 * ms, func() { running[1] += ms; running[2] += ms }, ms}, // now it is looked at each time
		{18 * ms, func() { delete(running, 3); running[1] += ms }, ms},
		{32 * ms, func() { running[3] = ms }, ms}, // another process with that number
	} {
		step.do()
		if got := o.ran(takesPart, step.at.Nanoseconds()); got != step.want {
			t.Errorf("step %d: others ran for %v, want %v", i, got, step.want)
		}
	}
}

// A zone with a load is refused if there are no accounts.
func TestLoadWithoutAccounts(t *testing.T) {
	for _, load := range []float64{1, -1, math.NaN()} {
		if _, err := New(Params{Dir: t.TempDir(), Zones: []Zone{{Name: "package-0", Load: load}}}); err == nil {
			t.Errorf("load %v: no error", load)
		}
	}
	if _, err := New(Params{Dir: t.TempDir(), Accounts: filepath.Join(t.TempDir(), "no", "folder")}); err == nil {
		t.Error("a file that cannot be made is no error")
	}
}

// The lateness includes the longest delay, and is zero without updates.
func TestLateness(t *testing.T) {
	var h histogram
	if got, want := h.lateness(""), (Lateness{}); got != want {
		t.Errorf("without updates: %+v", got)
	}
	for range 98 {
		h.add(4200 * time.Nanosecond)
	}
	h.add(70 * time.Microsecond)
	h.add(20 * time.Millisecond) // beyond the last bin
	want := Lateness{Updates: 100, P50: 5 * time.Microsecond, P99: 71 * time.Microsecond, Max: 20 * time.Millisecond, Schedule: "nice -5"}
	if got := h.lateness("nice -5"); got != want {
		t.Errorf("lateness is %+v, want %+v", got, want)
	}
}
