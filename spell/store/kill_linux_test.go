package store_test

import (
	"bufio"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"spell-lsp/spell/store"
)

// killsVariable says how many writers TestKilledWriters kills.
const killsVariable = "SPELL_LSP_STORE_KILLS"

// Editors crash and CI jobs are killed while they save. What a writer said was saved
// must be there whole, a run that it had begun must be there whole or not at all,
// baselines must name runs that exist, and others must be able to go on. Two writers
// at a time are killed at moments that nobody chose, while a reader looks on.
func TestKilledWriters(t *testing.T) {
	kills := 40
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		kills = 4
	}
	dir := t.TempDir()
	s := store.Open(dir)
	s.Limits = store.Limits{}
	stop := lookOn(t, s)
	half := 0
	all := map[string]bool{}
	for k := 0; k < kills; k += 2 {
		writers := [2]writer{startWriter(t, dir, "first"), startWriter(t, dir, "second")}
		time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
		for _, w := range writers {
			for id := range w.kill(t) {
				all[id] = true
			}
		}
		half += len(unfinished(t, s)) // no more than one: the others waited
		checkSurvivors(t, s, all)
	}
	stop()
	for id := range all {
		load(t, s, id)
	}
	save(t, s, runOf(1))
	if left := unfinished(t, s); len(left) > 0 {
		t.Errorf("what killed writers had begun is still there after another one: %v", left)
	}
	t.Logf("%d writers were killed, two at a time, and %d times one of them was writing a file; %d runs are there", kills, half, len(all))
}

// checkSurvivors checks that all runs that must be there are, and that all that is
// there can be read.
func checkSurvivors(t *testing.T, s *store.Store, all map[string]bool) {
	t.Helper()
	entries, err := s.List(workspace)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.ID] = true
		if !all[e.ID] { // saved without having been able to say so
			load(t, s, e.ID)
		}
	}
	for id := range all {
		if !there[id] {
			t.Fatalf("run %s was saved and is gone", id)
		}
	}
	bases, err := s.Baselines(workspace)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bases {
		if !there[b.ID] {
			t.Fatalf("baseline %s names %s, which is not there", b.Name, b.ID)
		}
	}
}

// A writer is a process that saves, names and deletes runs.
type writer struct {
	end   func() error
	lines chan map[string]bool
}

// startWriter starts one, and returns when it has saved its first run.
func startWriter(t *testing.T, dir, name string) writer {
	t.Helper()
	cmd := child(t, "write", dir, name, "1000000")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, w := make(chan bool), writer{lines: make(chan map[string]bool, 1)}
	go func() {
		kept := map[string]bool{}
		for in, begun := bufio.NewScanner(out), false; in.Scan(); begun = true {
			if !begun {
				close(first)
			}
			switch word, id, _ := strings.Cut(in.Text(), " "); word {
			case "saved":
				kept[id] = true
			case "deleting":
				delete(kept, id)
			case "named":
			default:
				t.Errorf("a writer failed: %s", in.Text())
			}
		}
		w.lines <- kept
	}()
	w.end = func() error { return errors.Join(cmd.Process.Kill(), ignored(cmd.Wait())) }
	<-first
	return w
}

// ignored drops the error that says that a process was killed.
func ignored(error) error { return nil }

// kill ends the writer and gives the runs that must be there.
func (w writer) kill(t *testing.T) map[string]bool {
	t.Helper()
	if err := w.end(); err != nil {
		t.Error(err)
	}
	return <-w.lines
}

// lookOn reads all the time, which must never fail, until it is stopped.
func lookOn(t *testing.T, s *store.Store) (stop func()) {
	t.Helper()
	done := make(chan bool)
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
			latest, ok, err := s.Latest(workspace)
			if err != nil {
				t.Errorf("a reader met %v", err)
			}
			if !ok {
				continue
			}
			if _, err := s.Load(workspace, latest.ID); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a reader met %v", err)
			}
		}
	})
	return func() { close(done); reader.Wait() }
}

// Editors and CI save at the same time, and each must find all of its own, and its
// own baseline.
func TestProcessesSaveAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	names := []string{"one", "two", "three"}
	last := make([]string, len(names))
	kept := make([]map[string]bool, len(names))
	for i, name := range names {
		cmd := child(t, "write", dir, name, "11")
		all.Go(func() {
			out, _ := cmd.Output() // whether it came to its end is in what it prints
			kept[i] = map[string]bool{}
			for line := range strings.Lines(string(out)) {
				word, id, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch word {
				case "saved":
					kept[i][id] = true
				case "deleting":
					delete(kept[i], id)
				case "named":
					last[i] = id
				}
			}
			if !strings.Contains(string(out), "done") {
				t.Errorf("%s failed:\n%s", name, out)
			}
		})
	}
	all.Wait()
	s := store.Open(dir)
	entries, err := s.List(workspace)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(names) * 8; len(entries) != want {
		t.Errorf("%d runs are there, want %d", len(entries), want)
	}
	for i, name := range names {
		for id := range kept[i] {
			load(t, s, id)
		}
		if id, _, err := s.Baseline(workspace, name); id != last[i] || err != nil {
			t.Errorf("baseline %s is %s, error %v, want %s", name, id, err, last[i])
		}
	}
}
