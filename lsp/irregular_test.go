//go:build unix

package lsp_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// endless puts a named pipe, which nobody writes to, or a link to a device that
// never ends in place of a file.
func endless(t testing.TB, kind, path string) {
	t.Helper()
	var err error
	if kind == "pipe" {
		err = syscall.Mkfifo(path, 0o600)
	} else {
		err = os.Symlink("/dev/zero", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // who waits for the pipe would never end
		if f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			_ = f.Close()
		}
	})
}

// Opening a folder that nobody trusts must not hang the server, nor fill the
// memory, whatever has the name of the settings. The user is told what it is.
func TestSettingsWithoutEnd(t *testing.T) {
	for kind, want := range map[string]string{"pipe": "a named pipe", "device": "a device"} {
		t.Run(kind, func(t *testing.T) {
			dir := module(t, maps.Clone(park))
			endless(t, kind, filepath.Join(dir, settings.FileName))
			e, _ := serve(t, lsp.Options{Measure: newLab(parkCosts).measure})
			e.Folders, e.Options = []string{dir}, map[string]any{"trusted": false}
			e.Start()
			if m := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(m.Params), settings.FileName+" is "+want) {
				t.Errorf("shown: %s", m.Params)
			}
			_, err := e.Execute("spell-lsp.doctor", map[string]any{}).Wait()
			if err == nil || !strings.Contains(err.Message, want) {
				t.Errorf("the doctor: %v", err)
			}
		})
	}
}

// A run that is loaded names any file: one without end has no text to be shown
// in, and the run is shown without it.
func TestComponentInFileWithoutEnd(t *testing.T) {
	for _, kind := range []string{"pipe", "device"} {
		t.Run(kind, func(t *testing.T) {
			dir := module(t, maps.Clone(park))
			endless(t, kind, filepath.Join(dir, "slow.py"))
			run := oneComponent(record.Component{ID: "slow", Kind: spell.KindFunction, File: "slow.py", Line: 3, Column: 5})
			e, _ := serve(t, lsp.Options{Load: func(string, settings.Settings) (*record.Run, error) { return run, nil }})
			e.Folders = []string{dir}
			e.Start()
			execute(t, e, "load", map[string]any{"path": "m.csv"})
		})
	}
}

// Which files a package has is found out by looking into them.
func TestPackageWithFileWithoutEnd(t *testing.T) {
	for _, kind := range []string{"pipe", "device"} {
		t.Run(kind, func(t *testing.T) {
			l := newLab(parkCosts)
			l.kind = spell.KindPackage
			e, _, parkGo := openPark(t, l)
			l.alter = func(*record.Run) { endless(t, kind, filepath.Join(filepath.Dir(parkGo), "a.go")) }
			measure(t, e)
			if got := e.Diagnostics(filepath.Join(filepath.Dir(parkGo), "car.go")); len(got) != 1 {
				t.Errorf("diagnostics: %v", got)
			}
		})
	}
}

// A file that is open in the editor is compared with the one on disk.
func TestBufferOfFileWithoutEnd(t *testing.T) {
	for _, kind := range []string{"pipe", "device"} {
		t.Run(kind, func(t *testing.T) {
			l := newLab(parkCosts)
			e, _, parkGo := openPark(t, l)
			if err := os.Remove(parkGo); err != nil {
				t.Fatal(err)
			}
			endless(t, kind, parkGo)
			if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait(); err != nil {
				t.Fatal(err)
			}
			if r := <-l.requests; string(r.Buffers[parkGo]) != e.Text(parkGo) {
				t.Errorf("measured %q", r.Buffers[parkGo])
			}
		})
	}
}

// oneComponent is a run that some other tool made of one component.
func oneComponent(c record.Component) *record.Run {
	c.N, c.TimeMS, c.EnergyJ = 1, 1, record.Energy{spell.CPU: 1}
	run := &record.Run{
		Schema: record.Schema, ID: "20261120T180000Z-0c0c", Started: started, Granularity: c.Kind,
		Meter:      record.Meter{Name: "file", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}},
		Tests:      []record.Test{{Name: "t1", Outcome: record.Pass}},
		Components: []record.Component{c},
	}
	run.Matrix.Domains = run.Meter.Domains
	run.Matrix.Add(record.Cell{N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}})
	ranking.Analyze(run, spell.Options{}, false)
	return run
}
