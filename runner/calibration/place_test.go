package calibration

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner/meter"
)

// A home is a place with folders of its own, and a machine of two processors.
type home struct {
	t *testing.T
	Place
	root string
}

func newHome(t *testing.T) home {
	t.Helper()
	root := t.TempDir()
	h := home{t, Below(root), root}
	h.user = filepath.Join(root, "home", "spell-lsp", "calibration")
	h.write("proc/cpuinfo", "processor: 0\nmodel name: "+cpuName+"\nprocessor: 1\n")
	return h
}

func (h home) write(name, text string) string {
	h.t.Helper()
	file := filepath.Join(h.root, name)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return file
}

func (h home) options() meter.Options {
	return meter.Options{ProcRoot: filepath.Join(h.root, "proc"), SysRoot: filepath.Join(h.root, "sys")}
}

func (h home) keep(c *Calibration, root bool) string {
	h.t.Helper()
	file, err := h.Keep(c, root)
	if err != nil {
		h.t.Fatal(err)
	}
	return file
}

var day = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func example() *Calibration {
	return &Calibration{
		Format: format, Date: day, Version: "v1.2.3", Counter: "rapl", Machine: Machine{CPU: cpuName, Cores: 2},
		Fit:   Fit{IdleW: 8.04, IdleCI: [2]float64{8, 8.1}, BusyW: 12, BusyCI: [2]float64{11.9, 12.1}, Error: 0.04},
		Steps: []Step{{Asked: 1, Busy: 1.02, Weighed: 1.02, Watts: 20, Seconds: 5}},
	}
}

// What is kept is found again: a user's own before what root kept for all users of the machine, who can
// all read it. Neither the file nor its name tells the ID of the machine.
func TestKeepAndFind(t *testing.T) {
	h := newHome(t)
	if file, c, err := h.Find(); file != "" || c != nil || err != nil {
		t.Errorf("before anything was kept: %q, %v, %v", file, c, err)
	}
	if got := h.ForModel(h.options(), day); got != (meter.Calibration{}) {
		t.Errorf("the model is told %+v", got)
	}
	const id = "0123456789abcdef0123456789abcdef"
	h.write("etc/machine-id", id+"\n")
	h.id = Below(h.root).id
	all, own := example(), example()
	all.Counter, own.Frequency = "perf", "time_in_state"
	for _, c := range []*Calibration{all, own} {
		file := h.keep(c, c == all)
		found, got, err := h.Find()
		if diff := cmp.Diff(c, got); found != file || err != nil || diff != "" {
			t.Errorf("kept in %s, found %s, %v (-kept +found):\n%s", file, found, err, diff)
		}
		info, err := os.Stat(file)
		if err != nil || (info.Mode().Perm() == 0o644) != (c == all) {
			t.Errorf("%s: %v, %v", file, info, err)
		}
		text, err := os.ReadFile(file)
		if err != nil || bytes.Contains(text, []byte(id)) || strings.Contains(file, id[:8]) || h.id == "machine" {
			t.Errorf("%s tells the ID of the machine, or none: %v", file, err)
		}
	}
	want := meter.Calibration{IdleW: 8.04, BusyW: 12, Weighed: true, Basis: "8.04 W idle and 12 W for each busy one of 2 processors, calibrated on 2026-11-28 with rapl (error 4.0 %)"}
	if diff := cmp.Diff(want, h.ForModel(h.options(), day.Add(179*24*time.Hour))); diff != "" {
		t.Errorf("the model is told (-want +got):\n%s", diff)
	}
}

// A calibration that is old, or of another governor, is used and says so. One of another machine is not.
func TestAnotherMachine(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(home, *Calibration)
		says   []string
		used   bool
	}{
		{"old", func(_ home, c *Calibration) { c.Date = day.Add(-200 * 24 * time.Hour) }, []string{"calibrated on 2026-05-12", "; that was 200 days ago: calibrate again"}, true},
		{"another governor", func(h home, c *Calibration) {
			c.Machine.Governor = "performance"
			h.write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave")
			h.write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave")
		}, []string{"; the governor was performance and is powersave: calibrate again"}, true},
		{"a battery", func(_ home, c *Calibration) { c.Counter = "battery" }, []string{"with battery, which has the whole laptop"}, true},
		{"other processors", func(_ home, c *Calibration) { c.Machine.CPU = "Other 1" }, []string{`it is of 2 processors "Other 1", and this is 2 processors "Example 3000 CPU"`}, false},
		{"more of them", func(_ home, c *Calibration) { c.Machine.Cores = 8 }, []string{"it is of 8 processors"}, false},
		{"a virtual machine", func(h home, _ *Calibration) {
			h.write("proc/cpuinfo", "processor: 0\nmodel name: "+cpuName+"\nflags: fpu hypervisor\nprocessor: 1\n")
		}, []string{"virtual (unknown)"}, false},
		{"no cpuinfo", func(h home, _ *Calibration) { os.Remove(filepath.Join(h.root, "proc/cpuinfo")) }, []string{"reading the processor's name"}, false},
	} {
		h := newHome(t)
		c := example()
		tt.change(h, c)
		file := h.keep(c, false)
		got := h.ForModel(h.options(), day)
		if (got.BusyW > 0) != tt.used || (got.Unused == "") != tt.used {
			t.Errorf("%s: %+v", tt.why, got)
		}
		if !tt.used {
			tt.says = append(tt.says, file+": ", "calibrate again with spell-lsp doctor --calibrate, or remove it with rm "+file)
		}
		if lacks := has(got.Basis+got.Unused, tt.says...); lacks != "" {
			t.Errorf("%s: does not say %q: %+v", tt.why, lacks, got)
		}
	}
}

// A file that is no calibration, or that others can change, is not used; the error says which it is and
// what to do.
func TestNoCalibration(t *testing.T) {
	whole, err := os.ReadFile(newHome(t).keep(example(), false))
	if err != nil {
		t.Fatal(err)
	}
	with := func(old, now string) string { return strings.Replace(string(whole), old, now, 1) }
	for says, text := range map[string]string{
		"it is no calibration: unexpected end of JSON":              string(whole[:len(whole)/2]),
		"it is no calibration: invalid character":                   "\x00",
		`its format is "spell-lsp/calibration/v9"`:                  with("/v1", "/v9"),
		"-1 W idle, 12 W busy and an error of 0.04 are no fit":      with("8.04", "-1"),
		"8.04 W idle, 0 W busy":                                     with(`"busy_w": 12`, `"busy_w": 0`),
		"an error of 3 are no fit":                                  with(`"error": 0.04`, `"error": 3`),
		"date, counter or cores are missing":                        with("rapl", ""),
		"it is no calibration: parsing time":                        with("2026-11-28T", "28.11."),
		"it is no calibration: json: cannot unmarshal number 1e999": with("8.04", "1e999"),
	} {
		h := newHome(t)
		file := h.keep(example(), false)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := h.ForModel(h.options(), day)
		if lacks := has(got.Unused, file+": ", says, "remove it with rm "+file); lacks != "" || got.BusyW != 0 {
			t.Errorf("the model is told %+v, which lacks %q", got, lacks)
		}
		var listed bytes.Buffer
		if err := List(&listed, h.Place); err != nil || has(listed.String(), "cannot be used: "+file, says) != "" {
			t.Errorf("listed as %q, %v", listed.String(), err)
		}
	}
	h := newHome(t)
	file := h.keep(example(), false)
	if err := os.Chmod(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := h.ForModel(h.options(), day); got.BusyW != 0 || !strings.Contains(got.Unused, "other users can change what is in "+filepath.Dir(file)) {
		t.Errorf("a folder of everybody: %+v", got)
	}
	if _, err := h.Keep(example(), false); err == nil || !strings.Contains(err.Error(), "keeping the calibration: other users can change") {
		t.Errorf("keeping it in a folder of everybody: %v", err)
	}
}

// People read what was fitted, where it is and how to remove it.
func TestWrite(t *testing.T) {
	h := newHome(t)
	var out bytes.Buffer
	c := example()
	c.Frequency = "time_in_state over 100ms, base frequency 2.00 GHz"
	if err := Write(&out, c, "/f.json"); err != nil {
		t.Fatal(err)
	}
	want := `Calibrated with rapl, 2 processors "Example 3000 CPU":

   busy    power   the line
   1.02     20 W    20.3 W

8.04 W idle (95 % interval 8 to 8.1), 12 W for each busy processor (11.9 to 12.1); error 4.0 %.
Busy processors were weighed by their frequency (time_in_state over 100ms, base frequency 2.00 GHz).
Kept in /f.json. The meter model takes these watts from now on; its joules stay estimates.
To remove it: rm /f.json
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	if err := List(&out, h.Place); err != nil || out.Len() > 0 {
		t.Errorf("without one: %q, %v", out.String(), err)
	}
	file := h.keep(c, false)
	if err := List(&out, h.Place); err != nil || has(out.String(), "calibrated on 2026-11-28 with rapl, for 2 processors", "by spell-lsp v1.2.3", "kept in "+file+"; to remove it: rm "+file) != "" {
		t.Errorf("listed as %q, %v", out.String(), err)
	}
}
