// Package workspacetest makes folders of Go files with a run of them, for tests of what
// is made from snapshots. It has no server and no client.
package workspacetest

import (
	"os"
	"path/filepath"
	"testing"

	"go.lsp.dev/uri"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// A Workspace is a folder, and the snapshots of an editor in it.
type Workspace struct {
	*snapshot.Store
	t   testing.TB
	dir string
}

// New writes files, by name, and shows a run in which all functions of those that are
// named ran.
func New(t testing.TB, files map[string]string, ran ...string) *Workspace {
	t.Helper()
	w := &Workspace{snapshot.NewStore(), t, t.TempDir()}
	for name, text := range files {
		w.Write(name, text)
	}
	run := &record.Run{ID: "a", Granularity: spell.KindFunction, Meter: record.Meter{Domains: []spell.Domain{spell.CPU}}}
	run.Matrix.Domains = run.Meter.Domains
	run.Tests = []record.Test{{Name: "p.TestAll", Outcome: record.Pass}}
	for _, name := range ran {
		for _, f := range outline.Parse(files[name]).Functions {
			if f.Kind == spell.KindFunction {
				run.Matrix.Add(record.Cell{C: len(run.Components), N: 1, TimeMS: 1})
				run.Components = append(run.Components, record.Component{ID: "p." + f.Name, Kind: f.Kind, Package: "p", File: name, Hash: f.Hash, N: 1, TimeMS: 1})
			}
		}
	}
	w.Show(results.New(results.Origin{Dir: w.dir, Root: w.dir}, run, settings.Default()))
	return w
}

// Show shows other results than before.
func (w *Workspace) Show(list ...*results.Result) {
	w.Update(func(next *snapshot.Snapshot) bool {
		next.Show(&results.Layers{List: list})
		return true
	})
}

// Result is the newest result.
func (w *Workspace) Result() *results.Result { return w.Current().Results.List[0] }

// Path is the path of a file.
func (w *Workspace) Path(name string) string { return filepath.Join(w.dir, name) }

// Write writes a file, as another program does.
func (w *Workspace) Write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.Path(name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// Edit is what an editor does to a file, which it opens if it has not.
func (w *Workspace) Edit(name string, version int32, text string) {
	path := w.Path(name)
	w.Update(func(next *snapshot.Snapshot) bool {
		next.Put(&snapshot.Document{URI: uri.File(path), Key: path, Path: path, Version: version, Source: outline.NewSource(text, nil)})
		return true
	})
}
