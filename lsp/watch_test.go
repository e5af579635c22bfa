package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
)

// If a client does not report changes on disk, or only announces that it does, the results of a
// changed file must become stale all the same.
func TestUnreportedChangesOnDisk(t *testing.T) {
	for name, setUp := range map[string]func(*lsptest.Editor){
		"cannot": func(e *lsptest.Editor) { e.Capabilities = map[string]any{} },
		"refuses": func(e *lsptest.Editor) {
			e.Answer("client/registerCapability", func(json.RawMessage) (any, *lsptest.Error) {
				return nil, &lsptest.Error{Code: -32601, Message: "not supported"}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, _, parkGo := openPark(t, newLab(parkCosts), setUp)
			carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
			measure(t, e)
			if got := show(park["car.go"], e.Diagnostics(carGo)); len(got) == 0 || strings.HasSuffix(got[0], "edit") {
				t.Fatalf("after the measurement: %v", got)
			}
			text := strings.Replace(park["car.go"], "a.plate < b.plate", "a.plate > b.plate", 1)
			write(t, carGo, text)
			e.Eventually("the result is stale", func() bool {
				got := show(text, e.Diagnostics(carGo))
				return len(got) > 0 && strings.HasSuffix(got[0], "measured before this edit")
			})
		})
	}
}

// stale reports whether the last diagnostics of a file say that the file has changed.
func stale(e *lsptest.Editor, path, text string) bool {
	got := show(text, e.Diagnostics(path))
	return len(got) > 0 && strings.HasSuffix(got[0], "measured before this edit")
}

// Files change in many ways besides being written. The server must notice each of them, and show
// fresh results after the original text is back.
func TestWaysToChangeFiles(t *testing.T) {
	edited := strings.Replace(park["car.go"], "a.plate < b.plate", "a.plate > b.plate", 1)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, ways := range map[string]struct {
		change, back func(e *lsptest.Editor, dir string)
	}{
		"saved by another file that takes its name": {
			func(_ *lsptest.Editor, dir string) {
				write(t, filepath.Join(dir, "in", ".car.go.swp"), edited)
				do(os.Rename(filepath.Join(dir, "in", ".car.go.swp"), filepath.Join(dir, "in", "car.go")))
			},
			func(_ *lsptest.Editor, dir string) {
				write(t, filepath.Join(dir, "in", "4913"), park["car.go"])
				do(os.Rename(filepath.Join(dir, "in", "4913"), filepath.Join(dir, "in", "car.go")))
			},
		},
		"removed and written again": {
			func(_ *lsptest.Editor, dir string) {
				do(os.Remove(filepath.Join(dir, "in", "car.go")))
				write(t, filepath.Join(dir, "in", "car.go"), edited)
			},
			func(_ *lsptest.Editor, dir string) { write(t, filepath.Join(dir, "in", "car.go"), park["car.go"]) },
		},
		"another folder takes its folder's name": {
			func(_ *lsptest.Editor, dir string) {
				write(t, filepath.Join(dir, "other", "car.go"), edited)
				do(os.Rename(filepath.Join(dir, "in"), filepath.Join(dir, "kept")))
				do(os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "in")))
			},
			func(_ *lsptest.Editor, dir string) {
				do(os.Rename(filepath.Join(dir, "in"), filepath.Join(dir, "other")))
				do(os.Rename(filepath.Join(dir, "kept"), filepath.Join(dir, "in")))
			},
		},
		"its folder is removed and comes back": {
			func(e *lsptest.Editor, dir string) {
				do(os.RemoveAll(filepath.Join(dir, "in")))
				e.Eventually("the server notices that the file is missing", func() bool { return len(e.Diagnostics(filepath.Join(dir, "in", "car.go"))) == 0 })
				write(t, filepath.Join(dir, "in", "car.go"), edited)
			},
			func(_ *lsptest.Editor, dir string) { write(t, filepath.Join(dir, "in", "car.go"), park["car.go"]) },
		},
		"the target of a link is written": {
			func(_ *lsptest.Editor, dir string) { write(t, filepath.Join(dir, "real", "linked.txt"), edited) },
			func(_ *lsptest.Editor, dir string) {
				write(t, filepath.Join(dir, "real", "linked.txt"), park["car.go"])
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, map[string]string{"in/park.go": park["park.go"], "in/car.go": park["car.go"], "real/linked.txt": park["car.go"]})
			if strings.Contains(name, "link") {
				do(os.Remove(filepath.Join(dir, "in", "car.go")))
				do(os.Symlink(filepath.Join("..", "real", "linked.txt"), filepath.Join(dir, "in", "car.go")))
			}
			carGo := filepath.Join(dir, "in", "car.go")
			e, _ := serve(t, lspOptions(newLab(parkCosts)))
			e.Capabilities, e.Folders = map[string]any{}, []string{dir}
			e.Start()
			measure(t, e)
			e.Eventually("the result is shown", func() bool { return len(e.Diagnostics(carGo)) > 0 && !stale(e, carGo, park["car.go"]) })
			ways.change(e, dir)
			e.Eventually("the result is stale", func() bool { return stale(e, carGo, edited) })
			ways.back(e, dir)
			e.Eventually("the result is fresh again", func() bool { return len(e.Diagnostics(carGo)) > 0 && !stale(e, carGo, park["car.go"]) })
		})
	}
}

// Checking out another branch changes a thousand files at once. The server notices all of them,
// and publishes each a limited number of times.
func TestManyFilesChange(t *testing.T) {
	const many = 1000
	files, costs := map[string]string{}, map[string]cost{}
	name := func(i int) string { return fmt.Sprintf("p%d/f%d.go", i%10, i) }
	for i := range many {
		files[name(i)] = fmt.Sprintf("package p\n\nfunc F%d() {}\n", i)
		costs[fmt.Sprintf("F%d", i)] = cost{1, 1, 1}
	}
	dir := module(t, files)
	e, _ := serve(t, lspOptions(newLab(costs)))
	e.Capabilities, e.Folders = map[string]any{}, []string{dir}
	e.Start()
	measure(t, e)
	before := len(e.Messages("textDocument/publishDiagnostics"))
	for i := range many {
		write(t, filepath.Join(dir, name(i)), fmt.Sprintf("package p\n\nfunc F%d() { _ = 1 }\n", i))
	}
	seen, stale := before, map[string]bool{}
	e.Eventually("all results are stale", func() bool {
		messages := e.Messages("textDocument/publishDiagnostics")
		for _, m := range messages[seen:] {
			var file struct{ URI string }
			if err := json.Unmarshal(m.Params, &file); err != nil {
				t.Fatal(err)
			}
			stale[file.URI] = strings.Contains(string(m.Params), "measured before this edit")
		}
		seen = len(messages)
		n := 0
		for _, is := range stale {
			if is {
				n++
			}
		}
		return n == many
	})
	if n := len(e.Messages("textDocument/publishDiagnostics")) - before; n > 50*many {
		t.Errorf("%d publications for %d files", n, many)
	}
}

// When a folder is deleted or renamed in an editor, all files in it change, but the editor reports
// only the folder.
func TestFolderIsDeleted(t *testing.T) {
	files := maps.Clone(park)
	files["sub/s.go"] = "package sub\n\nfunc Sub() { println(1) }\n"
	dir := module(t, files)
	costs := maps.Clone(parkCosts)
	costs["Sub"] = cost{1000, 1000, 10}
	e, _ := serve(t, lspOptions(newLab(costs)))
	e.Folders = []string{dir}
	watches(e)
	e.Start()
	measure(t, e)
	sub := filepath.Join(dir, "sub")
	if len(e.Diagnostics(filepath.Join(sub, "s.go"))) == 0 {
		t.Fatal("nothing is shown")
	}
	if asked := string(e.AwaitMessage("client/registerCapability", 1).Params); !strings.Contains(asked, `{"globPattern":"**/*","kind":5}`) {
		t.Errorf("the server did not register for creation and deletion of folders: %s", asked)
	}
	if err := os.RemoveAll(sub); err != nil {
		t.Fatal(err)
	}
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(sub), "type": 3}}})
	e.AwaitEmpty(filepath.Join(sub, "s.go"))
	if len(e.Diagnostics(filepath.Join(dir, "park.go"))) == 0 {
		t.Error("the other files have no diagnostics any more")
	}
}

// watches makes an editor report changes on disk.
func watches(e *lsptest.Editor) {
	can(map[string]map[string]any{"workspace": {"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}}})(e)
	e.Answer("client/registerCapability", func(json.RawMessage) (any, *lsptest.Error) { return nil, nil })
}

// An editor watches only the open folders. A measurement may have files elsewhere, for example in
// modules of a go.work: the server must notice their changes.
func TestChangesOutsideOpenFolders(t *testing.T) {
	opened, other := module(t, map[string]string{"x.go": "package x\n"}), module(t, maps.Clone(park))
	run, err := newLab(parkCosts).invent(lsp.Request{Dir: other})
	if err != nil {
		t.Fatal(err)
	}
	run.Workspace.Root = other
	e, _ := serve(t, lsp.Options{Measure: func(context.Context, lsp.Request, func(lsp.Progress)) (*record.Run, error) { return run, nil }})
	e.Folders = []string{opened}
	watches(e)
	e.Start()
	e.AwaitMessage("client/registerCapability", 1)
	measure(t, e)
	carGo := filepath.Join(other, "car.go")
	old := func() bool {
		got := e.Diagnostics(carGo)
		return len(got) > 0 && strings.Contains(got[0].Message, "before this edit")
	}
	if got := e.Diagnostics(carGo); len(got) == 0 || old() {
		t.Fatalf("after the measurement: %v", got)
	}
	write(t, carGo, strings.Replace(park["car.go"], "a.plate < b.plate", "a.plate > b.plate", 1))
	e.Eventually("the result is stale", old)
}
