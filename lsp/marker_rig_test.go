package lsp_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// A rig plays an archive in an editor.
type rig struct {
	testing.TB
	a        *archive
	client   lsptest.Client
	patience time.Duration // how long a check waits before it fails

	dir        string // the workspace, as the editor names it
	simulation *simulation
	costs      string // the name of the costs
	e          *lsptest.Editor
	server     *server

	saved    string            // the folder of saved runs, with the flag store
	disk     map[string]string // the texts that the files must have: only the editor writes
	settings map[string]any    // of the user
	call     *lsptest.Call     // the last command
	reply    json.RawMessage
	failure  *lsptest.Error
	heard    map[string]int // number of checked messages by method
	problems []string
}

// newRig writes the workspace and opens it.
func newRig(t testing.TB, a *archive, c lsptest.Client, patience time.Duration) *rig {
	r := &rig{
		TB: t, a: a, client: c, patience: patience, costs: "costs",
		simulation: &simulation{waiting: make(chan struct{}, 1), release: make(chan struct{})},
		disk:       map[string]string{}, settings: map[string]any{}, heard: map[string]int{},
	}
	r.simulation.costs = func() (costs, error) { return parseCosts(a.other[r.costs]) }
	r.dir, r.saved = t.TempDir(), t.TempDir()
	for name, text := range a.files {
		r.write(name, text)
	}
	if link := a.flags["link"]; link != "" {
		to := filepath.Join(t.TempDir(), link)
		if err := os.Symlink(r.dir, to); err != nil {
			t.Fatal(err)
		}
		r.dir = to
	}
	r.object("settings", &r.settings)
	r.start()
	return r
}

// object decodes a JSON file of the archive, if there is one.
func (r *rig) object(name string, into any) {
	r.Helper()
	if text := r.a.other[name]; text != "" {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			r.Fatalf("%s: %v", name, err)
		}
	}
}

// start starts a server and opens the files.
func (r *rig) start() {
	r.Helper()
	r.e, r.server = serve(r.TB, r.serverOptions())
	r.e.Behave(r.client)
	r.heard = map[string]int{}
	r.object("options", &r.e.Options)
	r.e.Folders = nil
	for _, folder := range append(r.a.list("folders"), ".")[:max(1, len(r.a.list("folders")))] {
		r.e.Folders = append(r.e.Folders, r.path(folder))
	}
	r.e.Configure(r.settings)
	r.e.Start()
	if !r.client.Asked && len(r.settings) > 0 {
		r.e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"spell": r.settings}})
	}
	r.e.Settle()
	for _, name := range r.a.opened() {
		r.e.Open(r.path(name))
	}
}

func (r *rig) serverOptions() lsp.Options {
	o := lsp.Options{Measure: r.simulation.measure, Load: r.simulation.load, MainPackage: firstWord}
	if r.a.flags["store"] != "" {
		o.Store = store.Open(r.saved)
	}
	return o
}

// firstWord names the main package of a scenario.
func firstWord(s settings.Scenario) (string, error) { return strings.Fields(s.Exec)[0], nil }

func (r *rig) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// name returns the path of a file in the archive.
func (r *rig) name(path string) string {
	for _, dir := range []string{r.dir, realPath(r.dir)} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

func realPath(path string) string {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	return resolved
}

// write writes a file behind the editor's back.
func (r *rig) write(name, text string) {
	r.Helper()
	write(r.TB, r.path(name), text)
	r.disk[name] = text
}

func (r *rig) remove(name string) {
	r.Helper()
	if err := os.Remove(r.path(name)); err != nil {
		r.Fatal(err)
	}
	delete(r.disk, name)
}

// text returns the text of a file in the editor, or else on disk.
func (r *rig) text(name string) string {
	if r.e.IsOpen(r.path(name)) {
		return r.e.Text(r.path(name))
	}
	return r.disk[name]
}

// play runs the script and returns the failures.
func (r *rig) play() []string {
	r.Helper()
	for i, line := range r.a.script {
		if err := r.do(line); err != nil {
			r.problems = append(r.problems, fmt.Sprintf("in step %d, %s: %v", i+1, line, err))
			break // later steps depend on this one
		}
	}
	r.untouched()
	return r.problems
}

// untouched reports files whose text differs from the last text that the editor wrote.
func (r *rig) untouched() {
	r.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(realPath(r.dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[r.name(path)] = string(text)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	names := slices.Collect(maps.Keys(found))
	for name := range r.disk {
		if _, ok := found[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if found[name] != r.disk[name] {
			r.problems = append(r.problems, fmt.Sprintf("the file %s is %q, must be %q", name, found[name], r.disk[name]))
		}
	}
}

// flush waits until the server has published all files that are due.
func (r *rig) flush() {
	r.Helper()
	r.e.MustCall(lsp.FlushMethod, nil)
}

// soon waits until there are no problems, at most for r.patience, and returns those that remain.
func (r *rig) soon(problems func() []string) error {
	r.Helper()
	end := time.Now().Add(r.patience)
	for {
		r.flush()
		found := problems()
		if len(found) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s", strings.Join(found, "\n"))
		}
		time.Sleep(5 * time.Millisecond)
	}
}
