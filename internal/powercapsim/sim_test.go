package powercapsim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// onClock makes a simulated machine whose clock the test advances.
func onClock(t *testing.T, now *int64, zones ...Zone) *Sim {
	t.Helper()
	s, err := New(Params{Dir: t.TempDir(), Zones: zones, Clock: func() int64 { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func read(t *testing.T, s *Sim, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Root(), path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The tree has the kernel's form: a link in the class for every control type
// and zone, hexadecimal numbers, subzones as folders in their parent's.
func TestTree(t *testing.T) {
	zones := []Zone{{Name: "psys"}}
	for i := range 10 {
		zones = append(zones, Zone{Name: "package-" + strconv.Itoa(i)})
	}
	zones = append(zones, Zone{Name: "dram", Parent: "package-9"}, Zone{Name: "package-0", Control: "intel-rapl-mmio", Mirror: "package-0"})
	var now int64
	s := onClock(t, &now, zones...)
	files := map[string]string{
		"intel-rapl:0/name":                      "psys\n",
		"intel-rapl:a/name":                      "package-9\n",
		"intel-rapl:a:0/name":                    "dram\n",
		"intel-rapl:a/intel-rapl:a:0/name":       "dram\n",
		"intel-rapl/intel-rapl:a/name":           "package-9\n",
		"intel-rapl-mmio:0/name":                 "package-0\n",
		"intel-rapl:a/max_energy_range_uj":       "262143328850\n",
		"intel-rapl:a/energy_uj":                 "00000000000000000000\n",
		"intel-rapl-mmio/intel-rapl-mmio:0/name": "package-0\n",
	}
	for path, want := range files {
		if got := read(t, s, path); got != want {
			t.Errorf("%s holds %q, want %q", path, got, want)
		}
	}
	for _, link := range []string{"intel-rapl", "intel-rapl:0", "intel-rapl:a:0"} {
		target, err := os.Readlink(filepath.Join(s.Root(), link))
		if err != nil || !strings.HasPrefix(target, "../../devices/virtual/powercap/") {
			t.Errorf("%s is a link to %q, %v", link, target, err)
		}
	}
}

// A counter shows the energy in whole units of 2^-14 J, modulo the range.
func TestCounter(t *testing.T) {
	var now int64
	s := onClock(t, &now, Zone{Name: "package-0", Watts: 10, RangeUJ: 1_000_000, StartUJ: 999_000},
		Zone{Name: "package-0", Control: "intel-rapl-mmio", Mirror: "package-0"})
	tests := []struct {
		at   time.Duration
		want uint64
	}{
		{0, 999_000},
		{6 * time.Microsecond, 999_000},    // 60 µJ: under a unit
		{7 * time.Microsecond, 999_061},    // 70 µJ: one unit
		{100 * time.Microsecond, 999_976},  // 1000 µJ: 16 units
		{110 * time.Microsecond, 98},       // 1100 µJ: 18 units, across the wrap
		{time.Second, 999_000},             // ten times around
		{1050 * time.Millisecond, 499_000}, // 10.5 J: ten and a half times
	}
	for _, tt := range tests {
		now = tt.at.Nanoseconds()
		s.Update()
		for _, zone := range []string{"intel-rapl:0", "intel-rapl-mmio:0"} {
			if got := read(t, s, zone+"/energy_uj"); got != image(tt.want) {
				t.Errorf("after %v %s shows %q, want %d", tt.at, zone, got, tt.want)
			}
		}
	}
}

// The truth follows every change of power, and the truth of a past moment does not
// change afterwards.
func TestTruth(t *testing.T) {
	now := time.Hour.Nanoseconds()
	s := onClock(t, &now, Zone{Name: "package-0", Watts: 10}, Zone{Name: "dram", Parent: "package-0", Joules: Square(2, 4, time.Second)},
		Zone{Name: "package-0", Control: "intel-rapl-mmio", Mirror: "package-0"})
	start := now
	now += time.Second.Nanoseconds()
	if err := s.SetWatts("package-0", 30); err != nil {
		t.Fatal(err)
	}
	now += 2 * time.Second.Nanoseconds()
	tests := []struct {
		after time.Duration
		want  map[string]float64
	}{
		{-time.Second, map[string]float64{"package-0": 0, "package-0/dram": 0}},
		{0, map[string]float64{"package-0": 0, "package-0/dram": 0}},
		{500 * time.Millisecond, map[string]float64{"package-0": 5, "package-0/dram": 1}},
		{time.Second, map[string]float64{"package-0": 10, "package-0/dram": 3}},
		{3 * time.Second, map[string]float64{"package-0": 70, "package-0/dram": 9}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, s.Truth(start+tt.after.Nanoseconds())); diff != "" {
			t.Errorf("joules %v after the start (-want +got):\n%s", tt.after, diff)
		}
	}
	if err := s.SetWatts("gpu", 1); err == nil {
		t.Error("setting the power of a zone that there is not is no error")
	}
	if err := s.SetWatts("package-0", math.NaN()); err == nil {
		t.Error("NaN watts are no error")
	}
}

// A square wave's energy is its power added up in small steps.
func TestSquare(t *testing.T) {
	energy := Square(5, 25, 7*time.Millisecond)
	const step = 10 * time.Microsecond
	sum := 0.0
	for at := time.Duration(0); at < 50*time.Millisecond; at += step {
		if got := energy(at); math.Abs(got-sum) > 1e-9 {
			t.Fatalf("after %v the energy is %v J, added up it is %v J", at, got, sum)
		}
		watts := 5.0
		if at%(7*time.Millisecond) >= 3500*time.Microsecond {
			watts = 25
		}
		sum += watts * step.Seconds()
	}
}

// The intervals have the percentiles that they are drawn from.
func TestPeriods(t *testing.T) {
	for _, p := range []Period{Broadwell, IceLakeSP, Zen2, {}} {
		r := rand.New(rand.NewPCG(1, 2))
		drawn := make([]time.Duration, 100_000)
		for i := range drawn {
			drawn[i] = p.draw(r)
		}
		slices.Sort(drawn)
		want := p
		if p == (Period{}) {
			want = Broadwell
		}
		got := Period{drawn[1000], drawn[50_000], drawn[99_000]}
		for _, pair := range [][2]time.Duration{{got.P1, want.P1}, {got.P50, want.P50}, {got.P99, want.P99}} {
			if off := (pair[0] - pair[1]).Abs(); off > pair[1]/50 {
				t.Errorf("%+v: drawn %+v", want, got)
			}
		}
	}
}

// A reader never finds the file empty or of another length, and never sees the
// counter go back. A reading counts if the next one is equal: unlike those of sysfs, reads of a file are
// not atomic beside its writes, and may return the first digits of one write and the last of another.
func TestReadWhileUpdating(t *testing.T) {
	s, err := New(Params{Dir: t.TempDir(), Zones: []Zone{{Name: "package-0", Watts: 100}}, Period: Zen2})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	f, err := os.Open(filepath.Join(s.Root(), "intel-rapl:0", "energy_uj"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, last, updates := "", "", 0
	begun := Now()
	passed := func(d time.Duration) bool { return Now()-begun > d.Nanoseconds() }
	for !passed(200*time.Millisecond) || updates < 10 && !passed(10*time.Second) {
		buf := make([]byte, 40)
		n, _ := f.ReadAt(buf, 0)
		text := string(buf[:n])
		once := text != last
		last = text
		if len(text) != 21 || !once && text < before {
			t.Fatalf("read %q after %q", text, before)
		}
		if once {
			continue
		}
		if text != before {
			updates++
		}
		before = text
	}
	if updates < 10 {
		t.Errorf("%d updates in 10 s", updates)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if got := s.Truth(Now())["package-0"]; got < 20 {
		t.Errorf("after the end the truth is %v J, want the 20 J of 200 ms at least", got)
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		fault Fault
		want  string // content of the file a second later, at 10 W; "error" for a file that cannot be read
	}{
		{Frozen, image(0)},
		{Empty, ""},
		{Garbage, "not available       \n"},
		{StepBack, image(9_000_000)},
		{Missing, "error"},
		{Folder, "error"},
		{EIO, "error"},
	}
	for _, tt := range tests {
		var now int64
		s := onClock(t, &now, Zone{Name: "package-0", Watts: 10})
		if err := s.Fault("package-0", tt.fault); err != nil {
			t.Fatal(err)
		}
		now = time.Second.Nanoseconds()
		s.Update()
		text, err := os.ReadFile(filepath.Join(s.Root(), "intel-rapl:0", "energy_uj"))
		if err != nil {
			text = []byte("error")
		}
		if string(text) != tt.want {
			t.Errorf("%s: the file holds %q, want %q", tt.fault, text, tt.want)
		}
	}
	var now int64
	s := onClock(t, &now, Zone{Name: "package-0"})
	if err := s.Fault("dram", Frozen); err == nil {
		t.Error("a fault of a zone that there is not is no error")
	}
	if err := s.Fault("package-0", "rust"); err == nil {
		t.Error("an unknown fault is no error")
	}
}

func TestParamsThatCannotBe(t *testing.T) {
	tests := []struct {
		why   string
		zones []Zone
	}{
		{"no name", []Zone{{Watts: 1}}},
		{"one name twice", []Zone{{Name: "a"}, {Name: "a"}}},
		{"parent after its child", []Zone{{Name: "dram", Parent: "package-0"}, {Name: "package-0"}}},
		{"mirror of nothing", []Zone{{Name: "a", Mirror: "b"}}},
		{"negative power", []Zone{{Name: "a", Watts: -1}}},
		{"no power", []Zone{{Name: "a", Watts: math.NaN()}}},
		{"start at the range", []Zone{{Name: "a", RangeUJ: 10, StartUJ: 10}}},
	}
	for _, tt := range tests {
		if _, err := New(Params{Dir: t.TempDir(), Zones: tt.zones}); err == nil {
			t.Errorf("%s: no error", tt.why)
		}
	}
	if _, err := New(Params{}); err == nil {
		t.Error("no folder: no error")
	}
}

// Run writes the truth from the creation of the tree until the end, with times of
// the clock that all processes share.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	from := Now()
	out, w := io.Pipe()
	dir := t.TempDir()
	go func() { w.CloseWithError(Run(ctx, Params{Dir: dir}, w)) }()
	var lines []Line
	for in := json.NewDecoder(out); ; {
		var l Line
		if err := in.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if lines = append(lines, l); l.Time-lines[0].Time >= 50*time.Millisecond.Nanoseconds() {
			cancel()
		}
	}
	to := Now()
	if len(lines) < 2 {
		t.Fatalf("%d lines, want one at the start and one at the end", len(lines))
	}
	first, last := lines[0], lines[len(lines)-1]
	if first.Time < from || last.Time > to || last.Time-first.Time < 50*time.Millisecond.Nanoseconds() {
		t.Errorf("lines from %d to %d, the run was from %d to %d", first.Time, last.Time, from, to)
	}
	watts := (last.Joules["package-0"] - first.Joules["package-0"]) / (float64(last.Time-first.Time) / 1e9)
	if math.Abs(watts-20) > 1e-6 {
		t.Errorf("the truth has %v W, want 20", watts)
	}
}

func TestRunAsProgram(t *testing.T) {
	params, err := json.Marshal(Params{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := runUntilEOF([]string{string(params)}, strings.NewReader(""), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"package-0"`) {
		t.Errorf("the output has no package: %s", out.String())
	}
	for _, args := range [][]string{nil, {"{"}, {"{}"}, {"{}", "x"}} {
		if err := runUntilEOF(args, strings.NewReader(""), &out); err == nil {
			t.Errorf("arguments %q: no error", args)
		}
	}
}
