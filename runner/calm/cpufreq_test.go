package calm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A tree is a simulated folder of sysfs with the frequencies of cores.
type tree struct {
	t    *testing.T
	root string
	open map[int]*os.File
}

func newTree(t *testing.T, cores ...int) tree {
	t.Helper()
	tr := tree{t, t.TempDir(), make(map[int]*os.File)}
	for _, c := range cores {
		if err := os.MkdirAll(filepath.Dir(tr.file(c)), 0o750); err != nil {
			t.Fatal(err)
		}
		tr.set(c, "800000\n")
	}
	return tr
}

func (tr tree) file(core int) string {
	return filepath.Join(tr.root, "devices", "system", "cpu", fmt.Sprint("cpu", core), "cpufreq", "scaling_cur_freq")
}

func (tr tree) set(core int, text string) {
	tr.t.Helper()
	// In place: a file system may write a file to its disk when it becomes empty.
	f := tr.open[core]
	if f == nil {
		var err error
		if f, err = os.OpenFile(tr.file(core), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			tr.t.Fatal(err)
		}
		tr.t.Cleanup(func() { f.Close() })
		tr.open[core] = f
	}
	if _, err := f.WriteAt([]byte(fmt.Sprintf("%-31s", text)), 0); err != nil {
		tr.t.Fatal(err)
	}
}

func TestFrequencies(t *testing.T) {
	tr := newTree(t, 0, 2, 10)
	f, err := OpenFrequencies(tr.root)
	if err != nil {
		t.Fatal(err)
	}
	tr.set(2, "3100000\n")
	tr.set(10, "<unknown>\n")
	khz := make([]float64, f.Cores())
	err = f.Read(khz)
	if diff := cmp.Diff([]float64{800_000, 3_100_000, math.NaN()}, khz, cmpopts.EquateNaNs()); diff != "" || err != nil {
		t.Errorf("frequencies: %v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{" ", "fast\n", "0\n", "-1\n", "99999999999999999999\n"} {
		tr.set(2, bad)
		if err := f.Read(khz); err == nil || !strings.Contains(err.Error(), "cpu2/cpufreq/scaling_cur_freq is "+fmt.Sprintf("%q", strings.TrimSpace(bad))) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := f.Read(nil); err == nil {
		t.Error("there is no room for the frequencies")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := OpenFrequencies(t.TempDir()); !errors.Is(err, ErrNoFrequency) || !strings.Contains(err.Error(), "cpu*") {
		t.Errorf("a machine without frequencies: %v", err)
	}
}

// Where cores get faster whenever something wakes up on them, reading each millisecond keeps
// them from slowing down, and the run is disturbed; reading each 16 ms leaves it calm.
func TestWakeUpsThatDisturb(t *testing.T) {
	tr := newTree(t, 0, 1)
	f, err := OpenFrequencies(tr.root)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seed := uint64(0)
	judge := func(period time.Duration) (Result, error) {
		var plain, measured []Round
		for range MaxRounds {
			for _, side := range []struct {
				list   *[]Round
				period int
			}{{&plain, 0}, {&measured, int(period / time.Millisecond)}} {
				seed++
				r, err := simulate(tr, f, rand.New(rand.NewPCG(seed, 0)), side.period)
				if err != nil {
					return Result{}, err
				}
				*side.list = append(*side.list, r)
			}
		}
		return Judge(plain, measured), nil
	}
	verdicts := make(map[time.Duration]Verdict)
	for p := Shortest; verdicts[p] == ""; p = Next(verdicts, Shortest, Shortest) {
		r, err := judge(p)
		if err != nil || r.Time.Verdict != Calm {
			t.Fatalf("a reading each %v: %+v, %v", p, r, err)
		}
		verdicts[p] = r.OfPeriod(true)
	}
	chosen := Next(verdicts, Shortest, Shortest)
	if verdicts[Shortest] != Disturbed || chosen < 2*Shortest || chosen > 16*Shortest || verdicts[chosen] != Calm {
		t.Errorf("the period is %v, of %v", chosen, verdicts)
	}
	if r, err := judge(16 * time.Millisecond); err != nil || r.Verdict != Calm {
		t.Errorf("a reading each 16 ms: %+v, %v", r, err)
	}
}

// simulate is 1.2 seconds of a program that computes on one core or the other 40 % of the time, in
// stretches. A core runs at 3 GHz while it computes, and at 0.8 GHz otherwise; for 3 ms after
// something wakes up on it each period (in ms; 0 for never), it runs at 1.8 GHz. Its trace is
// read each 4 ms.
func simulate(tr tree, f *Frequencies, random *rand.Rand, period int) (Round, error) {
	const wake, length = 3, 1200
	busy, until := -1, 0
	r := Round{Seconds: 2 + 0.01*random.NormFloat64(), CPUSeconds: 0.8 + 0.004*random.NormFloat64()}
	for ms := range length {
		if ms >= until {
			busy, until = random.IntN(5)-3, ms+5+random.IntN(30) // below 0 none computes
		}
		if ms%4 != 0 {
			continue
		}
		for core := range 2 {
			switch {
			case core == busy:
				tr.set(core, "3000000\n")
			case period > 0 && ms%period < wake:
				tr.set(core, "1800000\n")
			default:
				tr.set(core, "800000\n")
			}
		}
		khz := make([]float64, f.Cores())
		if err := f.Read(khz); err != nil {
			return Round{}, err
		}
		r.Trace = append(r.Trace, khz)
	}
	return r, nil
}
