package lsp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/lsp"
	"spell-lsp/lsp/lsptest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// byLine is a run that another tool made of one slow line in each of the files.
func byLine(files ...string) *record.Run {
	run := oneComponent(record.Component{ID: files[0], Kind: spell.KindFunction, File: files[0], Line: 1})
	for i, file := range files[1:] {
		c := run.Components[0]
		c.ID, c.File = file, file
		run.Components = append(run.Components, c)
		run.Matrix.Add(record.Cell{C: i + 1, N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}})
	}
	run.Analyze(spell.Options{}, false)
	return run
}

// loads gives the same run for every file.
func loads(run *record.Run) func(string, settings.Settings) (*record.Run, error) {
	return func(string, settings.Settings) (*record.Run, error) { return run, nil }
}

func changeFolders(e *lsptest.Editor, added, removed []string) {
	named := func(dirs []string) []any {
		list := []any{}
		for _, dir := range dirs {
			list = append(list, map[string]any{"uri": lsptest.URI(dir), "name": filepath.Base(dir)})
		}
		return list
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": named(added), "removed": named(removed)}})
	e.Settle()
}

// A run that was loaded has marks in the folders that are open and in no other,
// also when the ranking is made anew and when folders come and go.
func TestLoadedMarksFollowFolders(t *testing.T) {
	w := t.TempDir()
	a, b := filepath.Join(w, "a"), filepath.Join(w, "b")
	aPy, bPy := filepath.Join(a, "a.py"), filepath.Join(b, "b.py")
	write(t, aPy, "pass\n")
	write(t, bPy, "pass\n")
	e, _ := serve(t, lsp.Options{Load: loads(byLine("a/a.py", "b/b.py"))})
	e.Folders = []string{a}
	e.Start()
	see := func(why, want string) {
		t.Helper()
		marks := func() string { return fmt.Sprint(len(e.Diagnostics(aPy)), len(e.Diagnostics(bPy))) }
		e.Eventually(why, func() bool { return marks() == want })
	}
	execute(t, e, "load", map[string]any{"path": filepath.Join(w, "m.csv")})
	see("only a is open", "1 0")
	e.Configure(map[string]any{"severity": map[string]any{"green": "off", "yellow": "off", "red": "warning"}, "zones": map[string]any{"rule": "absolute", "redFrom": 0.1, "yellowFrom": 0.05}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("it is ranked anew", func() bool {
		d := e.Diagnostics(aPy)
		return len(d) == 1 && d[0].Severity == lsptest.SeverityWarning
	})
	see("it is ranked anew", "1 0")
	changeFolders(e, []string{b}, nil)
	see("b is opened", "1 1")
	if d := e.Diagnostics(bPy); len(d) == 1 && strings.Contains(d[0].Message, "before this edit") {
		t.Errorf("nobody edited b.py, but it has %q", d[0].Message)
	}
	changeFolders(e, nil, []string{a})
	see("a is closed", "0 1")
	changeFolders(e, nil, []string{b})
	see("all are closed", "0 0")
}

// A run may be of files that are there, but in no folder that is open: the user
// is told that nothing of it is marked.
func TestLoadedWithoutMarks(t *testing.T) {
	w := t.TempDir()
	write(t, filepath.Join(w, "a", "a.py"), "pass\n")
	opened := module(t, map[string]string{})
	e, _ := serve(t, lsp.Options{Load: loads(byLine("a/a.py"))})
	e.Folders = []string{opened}
	e.Start()
	execute(t, e, "load", map[string]any{"path": filepath.Join(w, "m.csv")})
	if told := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(told.Params), "only the ranking shows it") {
		t.Errorf("the user is told %s", told.Params)
	}
}
