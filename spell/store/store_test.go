package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/store"
)

const workspace = "/home/me/park"

// CI sets the folder, users may, most do not.
func TestDir(t *testing.T) {
	for _, test := range []struct{ own, xdg, want string }{
		{"/data/runs", "/xdg", "/data/runs"},
		{"", "/xdg", "/xdg/spell-lsp"},
		{"", "relative", "/home/me/.local/share/spell-lsp"},
		{"", "", "/home/me/.local/share/spell-lsp"},
	} {
		t.Setenv("SPELL_LSP_DATA", test.own)
		t.Setenv("XDG_DATA_HOME", test.xdg)
		t.Setenv("HOME", "/home/me")
		if dir, err := store.Dir(); dir != test.want || err != nil {
			t.Errorf("%+v: %s, error %v", test, dir, err)
		}
	}
	t.Setenv("HOME", "")
	if _, err := store.Dir(); err == nil || !strings.Contains(err.Error(), "set SPELL_LSP_DATA") {
		t.Errorf("without a home: %v", err)
	}
}

// After a restart the editor shows the last run, and says of each what it was.
func TestSavedRunsComeBack(t *testing.T) {
	dir := t.TempDir()
	older, newer := runWith("20261120T180000Z-ffff", 2), runWith("20261120T180001Z-0000", 3)
	newer.Partial, newer.Workspace.Dirty = true, true
	newer.Settings = map[string]any{"exclude": []string{"gen"}, "run": "TestA", "tags": []string{}, "rounds": "auto"}
	newer.Host.CPU, newer.Tests[0].TimeMS, newer.Tests[0].EnergyJ = "Some CPU", 12, record.Energy{spell.CPU: 4}
	s := store.Open(dir)
	save(t, s, newer)
	if err := s.Save(workspace, "./park TestAdd", older); err != nil {
		t.Fatal(err)
	}
	s = store.Open(dir)
	got, err := s.List(workspace)
	if err != nil {
		t.Fatal(err)
	}
	want := []store.Entry{
		{ID: newer.ID, Started: newer.Started, Tests: 1, Components: 3, Meter: "rapl", Source: record.Measured, Revision: "abc123", Dirty: true, Partial: true, Chosen: "exclude [gen], run TestA", Domains: "cpu", Host: "Some CPU", Rounds: 1, EnergyJ: 4, TimeMS: 12},
		{ID: older.ID, Started: older.Started, Tests: 1, Components: 2, Meter: "rapl", Source: record.Measured, Revision: "abc123", Scope: "./park TestAdd", Domains: "cpu", Rounds: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	latest, ok, err := s.Latest(workspace)
	if diff := cmp.Diff(want[0], latest); diff != "" || !ok || err != nil {
		t.Errorf("ok %t, error %v, latest (-want +got):\n%s", ok, err, diff)
	}
	if diff := cmp.Diff(written(t, older), written(t, load(t, s, older.ID))); diff != "" {
		t.Errorf("the run changed (-saved +loaded):\n%s", diff)
	}
}

// Zones are kept from an earlier run that measured the same: not from one of other tests or
// settings, one that was interrupted, or one that another process measured meanwhile.
func TestBefore(t *testing.T) {
	s := store.Open(t.TempDir())
	ids := func(scope string, r *record.Run) (list []string) {
		for run := range s.Before(workspace, scope, r) {
			list = append(list, run.ID)
		}
		return list
	}
	now := runWith("20261120T180009Z-0000", 1)
	if got := ids("", now); got != nil {
		t.Errorf("of no run: %q", got)
	}
	oldest, before, later := runWith("20261120T180000Z-0000", 2), runWith("20261120T180001Z-0000", 3), runWith("20261120T180010Z-0000", 1)
	chosen, partial, sampled, scoped := runWith("20261120T180002Z-0000", 1), runWith("20261120T180003Z-0000", 1), runWith("20261120T180005Z-0000", 1), runWith("20261120T180004Z-0000", 1)
	chosen.Settings = map[string]any{"run": "TestA"}
	partial.Partial, sampled.Mode = true, "sample"
	for _, run := range []*record.Run{oldest, before, later, chosen, partial, sampled} {
		save(t, s, run)
	}
	if err := s.Save(workspace, "TestAdd", scoped); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		scope string
		of    *record.Run
		want  []string
	}{{"", now, []string{before.ID, oldest.ID}}, {"TestAdd", now, []string{scoped.ID}}, {"", before, []string{oldest.ID}}, {"", oldest, nil}} {
		if diff := cmp.Diff(tt.want, ids(tt.scope, tt.of)); diff != "" {
			t.Errorf("scope %q of %s (-want +got):\n%s", tt.scope, tt.of.ID, diff)
		}
	}
}

// Who only looks leaves no folder behind, and is told what is missing.
func TestNothingIsMadeBeforeTheFirstSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := store.Open(dir)
	id := newID()
	entries, err := s.List(workspace)
	if len(entries) > 0 || err != nil {
		t.Errorf("%d runs, error %v", len(entries), err)
	}
	if _, ok, err := s.Latest(workspace); ok || err != nil {
		t.Errorf("a latest run %t, error %v", ok, err)
	}
	if _, ok, err := s.Baseline(workspace, "main"); ok || err != nil {
		t.Errorf("a baseline %t, error %v", ok, err)
	}
	for name, err := range map[string]error{
		"Load": second(s.Load(workspace, id)), "Delete": s.Delete(workspace, id),
		"SetBaseline": s.SetBaseline(workspace, "main", id), "RemoveBaseline": s.RemoveBaseline(workspace, "main"),
	} {
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), workspace) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}

// Two checkouts of one name are two workspaces; one that is reached through a link
// is the same.
func TestWorkspacesAreApart(t *testing.T) {
	base := t.TempDir()
	one, two := filepath.Join(base, "one", "my park"), filepath.Join(base, "two", "my park")
	link := filepath.Join(base, "link")
	if err := errors.Join(os.MkdirAll(one, 0o700), os.MkdirAll(two, 0o700), os.Symlink(one, link)); err != nil {
		t.Fatal(err)
	}
	s := store.Open(filepath.Join(base, "data"))
	if err := s.Save(link, "", runOf(1)); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{one: 1, one + "/": 1, link: 1, two: 0} {
		if entries, err := s.List(dir); len(entries) != want || err != nil {
			t.Errorf("%s has %d runs, error %v, want %d", dir, len(entries), err, want)
		}
	}
	folder := s.Folder(one)
	if !strings.HasPrefix(filepath.Base(folder), "my-park-") {
		t.Errorf("the folder is %s", folder)
	}
	text, err := os.ReadFile(filepath.Join(folder, "workspace.json"))
	if want := fmt.Sprintf("{%q:%q}\n", "path", resolved(t, one)); string(text) != want || err != nil {
		t.Errorf("workspace.json is %s, error %v, want %s", text, err, want)
	}
	if _, err := s.List("park"); err == nil || !strings.Contains(err.Error(), "must be absolute") {
		t.Errorf("a relative folder: %v", err)
	}
}

// Ids come from users and clients. None may lead out of the store.
func TestIDsLeadNowhereElse(t *testing.T) {
	s := store.Open(t.TempDir())
	save(t, s, runOf(1))
	for _, id := range []string{"", ".", "../../../etc/passwd", "20261120T180000Z-3f9a/../x", "20261120T180000Z-3F9A", "20261120T180000Z-3f9a\n", "latest", "20261399T996000Z-3f9a"} {
		r := runWith(id, 1)
		for name, err := range map[string]error{
			"Save": s.Save(workspace, "", r), "Load": second(s.Load(workspace, id)), "Delete": s.Delete(workspace, id), "SetBaseline": s.SetBaseline(workspace, "main", id),
		} {
			if err == nil || !strings.Contains(err.Error(), "is not the id of a run, which is like 20261120T180000Z-3f9a") {
				t.Errorf("%s of %q: %v", name, id, err)
			}
		}
	}
}

// A run does not change: an id that is there is refused, and what is there stays.
func TestSaveRefusesAnIDThatIsThere(t *testing.T) {
	s := store.Open(t.TempDir())
	first := runOf(1)
	second := runWith(first.ID, 2)
	save(t, s, first)
	if err := s.Save(workspace, "", second); !errors.Is(err, fs.ErrExist) {
		t.Errorf("saving a second run of the same id: %v", err)
	}
	if got := len(load(t, s, first.ID).Components); got != 1 {
		t.Errorf("the first run has %d components now", got)
	}
}

// A list must show what is there and not what the index says: files are copied,
// removed and restored by hand.
func TestIndexIsNotBelieved(t *testing.T) {
	s := store.Open(t.TempDir())
	var ids []string
	for i := range 20 {
		ids = append(ids, save(t, s, runOf(i)))
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	listed := func() []store.Entry {
		t.Helper()
		entries, err := s.List(workspace)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	before := listed()
	index := filepath.Join(s.Folder(workspace), "index")
	if _, err := os.Stat(index); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, listed()); diff != "" {
		t.Errorf("with an index (-without +with):\n%s", diff)
	}
	for _, junk := range []string{"", "junk", strings.Repeat("\xff", 1000)} {
		if err := os.WriteFile(index, []byte(junk), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, listed()); diff != "" {
			t.Errorf("with the index %q:\n%s", junk, diff)
		}
	}
	other := store.Open(t.TempDir())
	save(t, other, runWith(ids[3], 77))
	file := func(s *store.Store, id string) string { return filepath.Join(s.Folder(workspace), "runs", id+".run") }
	if err := errors.Join(os.Rename(file(other, ids[3]), file(s, ids[3])), os.Remove(file(s, ids[4]))); err != nil {
		t.Fatal(err)
	}
	after := listed()
	if len(after) != 19 || after[3].Components != 77 || after[4].ID != ids[5] {
		t.Errorf("a run replaced and the next removed by hand: %d runs, %+v, %+v", len(after), after[3], after[4])
	}
}

// Another version of the program, whose entries have other fields, wrote the index:
// what it does not know of would seem to be 0.
func TestIndexOfAnotherVersion(t *testing.T) {
	s := store.Open(t.TempDir())
	for i := range 20 {
		save(t, s, runOf(i))
	}
	for _, test := range []struct {
		fields string
		want   int
	}{{"{ID: Started:}", 1}, {store.FieldsOfEntry, 99}} {
		if _, err := s.List(workspace); err != nil { // which writes an index where there is none
			t.Fatal(err)
		}
		if err := s.ForgeIndex(workspace, test.fields); err != nil {
			t.Fatal(err)
		}
		if entries, err := s.List(workspace); len(entries) != 20 || err != nil || entries[0].Tests != test.want {
			t.Errorf("an index of the fields %s: %d runs, error %v, the first has %d tests, want %d", test.fields, len(entries), err, entries[0].Tests, test.want)
		}
	}
}

// The rest of a writer that was killed is no run, and goes with the next one.
func TestLeftoversGo(t *testing.T) {
	s := store.Open(t.TempDir())
	save(t, s, runOf(1))
	folder := s.Folder(workspace)
	left := []string{filepath.Join(folder, ".new-1"), filepath.Join(folder, "runs", ".new-2"), filepath.Join(folder, "baselines", ".new-3")}
	for _, name := range left {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := s.List(workspace); len(entries) != 1 || err != nil {
		t.Errorf("%d runs, error %v", len(entries), err)
	}
	save(t, s, runOf(1))
	for _, name := range left {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
}

// While one process writes, another writer waits for it, and nobody who reads does.
func TestReadersDoNotWait(t *testing.T) {
	s := store.Open(t.TempDir())
	for i := range 20 { // enough for an index to be due
		save(t, s, runOf(i))
	}
	id := save(t, s, runOf(1))
	if err := s.SetBaseline(workspace, "main", id); err != nil {
		t.Fatal(err)
	}
	unlock, err := s.Lock(workspace)
	if err != nil {
		t.Fatal(err)
	}
	saved := make(chan error)
	go func() { saved <- s.Save(workspace, "", runOf(5)) }()
	if entries, err := s.List(workspace); len(entries) != 21 || err != nil {
		t.Errorf("%d runs, error %v", len(entries), err)
	}
	load(t, s, id)
	if got, err := s.Resolve(workspace, "main"); got != id || err != nil {
		t.Errorf("main is %s, error %v", got, err)
	}
	select {
	case err := <-saved:
		t.Errorf("a second writer did not wait: %v", err)
	default:
	}
	unlock()
	if err := <-saved; err != nil {
		t.Error(err)
	}
}

// A user names a run by its id, as latest or by a baseline.
func TestResolve(t *testing.T) {
	s := store.Open(t.TempDir())
	if _, err := s.Resolve(workspace, "latest"); err == nil || !strings.Contains(err.Error(), "there is no saved run of /home/me/park: measure first") {
		t.Errorf("latest of none: %v", err)
	}
	old, latest := runWith("20261120T180000Z-ffff", 1), runWith("20261120T180001Z-0000", 1)
	save(t, s, latest)
	save(t, s, old)
	if err := s.SetBaseline(workspace, "release/1.0", old.ID); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"latest": latest.ID, "release/1.0": old.ID, old.ID: old.ID} {
		if id, err := s.Resolve(workspace, name); id != want || err != nil {
			t.Errorf("%s is %s, error %v, want %s", name, id, err, want)
		}
	}
	if _, err := s.Resolve(workspace, "release/2.0"); err == nil || !strings.Contains(err.Error(), `"release/2.0" is neither the id of a run, nor latest, nor the name of a baseline`) {
		t.Errorf("a name that nothing has: %v", err)
	}
}

// runOf is a run of so many components, see runWith.
func runOf(components int) *record.Run { return runWith(newID(), components) }

// runWith is a run of so many components, whose names begin with its id.
func runWith(id string, components int) *record.Run {
	r := &record.Run{
		Schema: record.Schema, ID: id, Started: time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC), Rounds: 1, Granularity: spell.KindFunction,
		Workspace:  record.Workspace{Root: ".", Revision: "abc123"},
		Meter:      record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}},
		Tests:      []record.Test{{Name: "example.com/park.TestAdd", Outcome: record.Pass, Rounds: 1}},
		Components: make([]record.Component, components),
	}
	for i := range r.Components {
		r.Components[i] = record.Component{ID: fmt.Sprintf("%s.F%d", r.ID, i), Kind: spell.KindFunction, N: float64(i), TimeMS: rand.Float64()}
	}
	return r
}

// newID is one that no other run has, in all likelihood.
func newID() string {
	return record.NewID(time.Unix(rand.Int64N(2_000_000_000), rand.Int64N(1e9)))
}

func save(t testing.TB, s *store.Store, r *record.Run) (id string) {
	t.Helper()
	if err := s.Save(workspace, "", r); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// load reads a run of runOf, and checks that it is whole.
func load(t testing.TB, s *store.Store, id string) *record.Run {
	t.Helper()
	r, err := s.Load(workspace, id)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Components {
		if want := fmt.Sprintf("%s.F%d", id, i); r.ID != id || c.ID != want || c.N != float64(i) {
			t.Fatalf("component %d of run %s is %s with %v calls, want %s", i, r.ID, c.ID, c.N, want)
		}
	}
	return r
}

func second[T any](_ T, err error) error { return err }

func resolved(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func written(t *testing.T, r *record.Run) string {
	t.Helper()
	var b strings.Builder
	if err := recordjson.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
