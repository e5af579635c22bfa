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
	"spell-lsp/spell/settings"
)

// irregular creates, in place of a file, a named pipe that nobody writes to, or a link to a
// device that never ends.
func irregular(t testing.TB, kind, path string) {
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
	t.Cleanup(func() { // a reader of the pipe would wait for ever
		if f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			_ = f.Close()
		}
	})
}

// If the configuration file is a pipe or a device, opening the folder neither hangs the server
// nor fills the memory, and a message says what the file is.
func TestSettingsInPipeOrDevice(t *testing.T) {
	for kind, want := range map[string]string{"pipe": "a named pipe", "device": "a device"} {
		t.Run(kind, func(t *testing.T) {
			dir := module(t, maps.Clone(park))
			irregular(t, kind, filepath.Join(dir, settings.FileName))
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

// A loaded run may name any file. If a file is a pipe or a device, the run is shown without its
// marks.
func TestComponentInPipeOrDevice(t *testing.T) {
	for _, kind := range []string{"pipe", "device"} {
		t.Run(kind, func(t *testing.T) {
			dir := module(t, maps.Clone(park))
			irregular(t, kind, filepath.Join(dir, "slow.py"))
			run := oneComponent(record.Component{ID: "slow", Kind: spell.KindFunction, File: "slow.py", Line: 3, Column: 5})
			e, _ := serve(t, lsp.Options{Load: func(string, settings.Settings) (*record.Run, error) { return run, nil }})
			e.Folders = []string{dir}
			e.Start()
			execute(t, e, "load", map[string]any{"path": "m.csv"})
		})
	}
}

// The server reads the files of a folder to find out which belong to a package. It must skip
// pipes and devices.
func TestPackageWithPipeOrDevice(t *testing.T) {
	for _, kind := range []string{"pipe", "device"} {
		t.Run(kind, func(t *testing.T) {
			l := newLab(parkCosts)
			l.kind = spell.KindPackage
			e, _, parkGo := openPark(t, l)
			l.alter = func(*record.Run) { irregular(t, kind, filepath.Join(filepath.Dir(parkGo), "a.go")) }
			measure(t, e)
			if got := e.Diagnostics(filepath.Join(filepath.Dir(parkGo), "car.go")); len(got) != 1 {
				t.Errorf("diagnostics: %v", got)
			}
		})
	}
}

// Before a measurement, texts of open documents are compared with their files, which may be
// pipes or devices.
func TestBufferOfPipeOrDevice(t *testing.T) {
	for _, kind := range []string{"pipe", "device"} {
		t.Run(kind, func(t *testing.T) {
			l := newLab(parkCosts)
			e, _, parkGo := openPark(t, l)
			if err := os.Remove(parkGo); err != nil {
				t.Fatal(err)
			}
			irregular(t, kind, parkGo)
			if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait(); err != nil {
				t.Fatal(err)
			}
			if r := <-l.requests; string(r.Buffers[parkGo]) != e.Text(parkGo) {
				t.Errorf("measured %q", r.Buffers[parkGo])
			}
		})
	}
}
