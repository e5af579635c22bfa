package battery

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A laptop is a power supply class written by the test.
type laptop struct {
	t    *testing.T
	o    meter.Options
	time time.Time
}

// newLaptop makes a laptop from lines with a path and its content: "BAT0/status Discharging".
func newLaptop(t *testing.T, lines ...string) *laptop {
	l := &laptop{t, meter.Options{SysRoot: t.TempDir()}, time.Unix(1000, 0)}
	l.set(lines...)
	return l
}

func (l *laptop) set(lines ...string) {
	l.t.Helper()
	for _, line := range lines {
		name, content, _ := strings.Cut(line, " ")
		path := l.o.Sys("class", "power_supply", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			l.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *laptop) open() *Meter {
	l.t.Helper()
	m, err := open(l.o, func() time.Time { return l.time })
	if err != nil {
		l.t.Fatal(err)
	}
	return m
}

// read advances the clock and reads.
func (l *laptop) read(m *Meter, pass time.Duration) (float64, error) {
	l.time = l.time.Add(pass)
	joules := make([]float64, 1)
	err := m.Read(meter.Usage{}, joules)
	return joules[0], err
}

// wants reads the meter after a pause and compares the total.
func (l *laptop) wants(m *Meter, pass time.Duration, want float64) {
	l.t.Helper()
	if got, err := l.read(m, pass); err != nil || math.Abs(got-want) > 1e-6 {
		l.t.Errorf("%v J, %v; want %v J", got, err, want)
	}
}

// A battery reports energy, charge or power; 1 Wh is 3600 J.
func TestQuantities(t *testing.T) {
	tests := []struct {
		why           string
		before, after []string
		want          float64
	}{
		{"energy; power is ignored then", []string{"energy_now 50000000", "power_now 9000000"}, []string{"energy_now 49990000"}, 36},
		{"charge at a voltage", []string{"charge_now 4000000", "voltage_now 12000000"}, []string{"charge_now 3999000"}, 43.2},
		{"power alone, for ten seconds", []string{"power_now 10000000"}, []string{"power_now 20000000"}, 150},
		{"negative power", []string{"power_now -10000000"}, []string{"power_now -20000000"}, 150},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			l := newLaptop(t, "AC/type Mains", "BAT0/type Battery", "BAT0/present 1", "BAT0/status Discharging")
			for _, line := range tt.before {
				l.set("BAT0/" + line)
			}
			m := l.open()
			for _, line := range tt.after {
				l.set("BAT0/" + line)
			}
			l.wants(m, 10*time.Second, tt.want)
		})
	}
}

// All batteries of the laptop are summed, but not the battery of a mouse. The total changes
// only once a second, when the firmware is polled.
func TestSum(t *testing.T) {
	l := newLaptop(t, "BAT0/type Battery", "BAT0/status Discharging", "BAT0/energy_now 50000000",
		"BAT1/type Battery", "BAT1/status Not charging", "BAT1/energy_now 20000000",
		"mouse/type Battery", "mouse/scope Device", "mouse/status Discharging", "mouse/energy_now 9000000",
		"BAT2/type Battery", "BAT2/present 0", "BAT2/energy_now 0")
	m := l.open()
	l.set("BAT0/energy_now 49990000", "mouse/energy_now 10000")
	l.wants(m, 999*time.Millisecond, 0)
	l.wants(m, time.Millisecond, 36)
	l.set("BAT0/status Not charging", "BAT1/status Discharging", "BAT1/energy_now 19990000")
	l.wants(m, time.Second, 72)
}

func TestInfo(t *testing.T) {
	info := newLaptop(t, "BAT0/type Battery", "BAT0/status Discharging", "BAT0/energy_now 1").open().Info()
	for _, want := range []string{"energy of the whole laptop", "only windows of minutes are resolved"} {
		if !strings.Contains(strings.Join(wording.Texts(info.Notes), " "), want) {
			t.Errorf("the warnings do not say %q: %q", want, info.Notes)
		}
	}
	info.Notes = nil
	want := meter.Info{Name: "battery", Source: record.Measured, Domains: []spell.Domain{spell.CPU}, Resolution: time.Second, Counter: true, WholeMachine: true, Includes: spell.Domains()}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

// While a charger is connected, opening and reading a battery fail.
func TestCharger(t *testing.T) {
	l := newLaptop(t, "BAT0/type Battery", "BAT0/status Full", "BAT0/energy_now 50000000")
	_, err := Open(l.o)
	var charger *ChargerError
	if !errors.As(err, &charger) || !strings.Contains(err.Error(), `BAT0 is "Full"`) || Remedy(err) != "unplug the charger." {
		t.Errorf("a full battery: %v, remedy %q", err, Remedy(err))
	}
	l.set("BAT0/status Discharging")
	m := l.open()
	l.set("BAT0/status Charging", "BAT0/energy_now 50010000")
	for range 2 {
		if _, err := l.read(m, time.Second); !errors.As(err, &charger) {
			t.Errorf("while charging: %v", err)
		}
	}
	l.set("BAT0/status Discharging")
	l.wants(m, time.Second, 0)
	l.set("BAT0/energy_now 50000000")
	l.wants(m, time.Second, 36)
}

// A failed reading is an error that names the file, never 0. An interval in which the
// remaining energy rises is discarded.
func TestBadInput(t *testing.T) {
	l := newLaptop(t, "BAT0/type Battery", "BAT0/status Discharging", "BAT0/energy_now 50000000")
	m := l.open()
	for _, content := range []string{"", "-5", "many", "99999999999999999999"} {
		l.set("BAT0/energy_now " + content)
		if _, err := l.read(m, time.Second); err == nil || !strings.Contains(err.Error(), "BAT0/energy_now") {
			t.Errorf("%q: error %v does not name the file", content, err)
		}
	}
	l.set("BAT0/energy_now 50010000")
	if _, err := l.read(m, time.Second); !errors.Is(err, meter.ErrDiscarded) {
		t.Errorf("more energy while discharging: %v, want a discarded interval", err)
	}
	if err := os.Remove(l.o.Sys("class", "power_supply", "BAT0", "status")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.read(m, time.Second); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a battery that was taken out: %v", err)
	}
	if err := m.Read(meter.Usage{}, nil); err == nil {
		t.Error("Read accepts a slice without room for the domain")
	}
}

func TestNoBattery(t *testing.T) {
	for why, l := range map[string]*laptop{
		"no class":                         newLaptop(t),
		"a charger alone":                  newLaptop(t, "AC/type Mains"),
		"a battery that reports no energy": newLaptop(t, "BAT0/type Battery", "BAT0/status Discharging", "BAT0/capacity 80"),
		"the battery of another device":    newLaptop(t, "BAT0/type Battery", "BAT0/scope Device", "BAT0/energy_now 1"),
	} {
		_, err := Open(l.o)
		var none *NoBatteryError
		if !errors.As(err, &none) {
			t.Errorf("%s: %v, want no battery", why, err)
		}
	}
}
