package bisect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/runner"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/record"
)

// The commit is found, with its function and line, past commits that cannot be measured. The
// workspace and its .git stay as they are, to the last byte and time, and no checkout is left.
func TestCulpritIsFound(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	r.commits("1", "1", "broken", "1", "1", "fails", "1")
	culprit := r.commits("1.2")
	r.commits("1.2", "1.2", "broken", "1.2")
	r.git("worktree", "add", "-q", filepath.Join(t.TempDir(), "tree"))
	r.must(os.WriteFile(filepath.Join(r.module(), "cost"), []byte("7 uncommitted\n"), 0o644))
	f, before := useFake(t), r.hash()
	f.before = func(_ int, p runner.Params) {
		if p.Run != "TestA" && p.Run != "^(TestA)$" || p.Warmup != 0 || strings.HasPrefix(p.Dir, r.dir) {
			t.Errorf("it measures %+v", p)
		}
	}
	got := r.search(good[:10], "main")
	if got.Outcome != bisection.Culprit || len(got.Commits) != 1 || got.Commits[0].Hash != culprit || got.Commits[0].Subject != "costs 1.2" || !strings.HasPrefix(got.Commits[0].Date, "2026-01-02T03:04:05") {
		t.Errorf("%+v", got)
	}
	if m := got.Made; m == nil || m.CI[0] > 0.2 || m.CI[1] < 0.2 || m.Change < 0.15 {
		t.Errorf("it changed %+v", m)
	}
	if fn := got.Function; fn == nil || fn.ID != "example.com/m.(*T).F" || fn.Costly == nil || *fn.Costly != (bisection.CostlyLine{Line: 2, Text: "line 2 of 1.2", Share: 0.7, Changed: true}) {
		t.Errorf("the function is %+v", fn)
	}
	if got.History != 12 || got.Quantity != bisection.Energy || got.Meter != "fake" || got.Rounds == 0 || got.Kept != 0 || !slices.Equal(got.Tests, []string{"example.com/m.TestA"}) {
		t.Errorf("%+v", got)
	}
	for _, tried := range got.Tried {
		want := map[string]string{"costs broken": "undefined: x", "costs fails": "does not pass: fail"}[tried.Subject]
		if (tried.Side == bisection.Skipped) != (want != "") || !strings.Contains(tried.Reason, want) {
			t.Errorf("tried %+v", tried)
		}
	}
	if r.hash() != before {
		t.Error("the workspace or its .git changed")
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A function is compared by its own values; the end of its name is enough.
func TestComponent(t *testing.T) {
	r, _ := newRepo(t), useFake(t)
	good, culprit := r.commits("1"), r.commits("1.3")
	r.commits("1.3")
	p := r.params(good, "HEAD")
	p.Component = "T.F"
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit || got.Component != "T.F" {
		t.Errorf("%+v, %v", got, err)
	}
	p.Component = "T.G"
	if _, err = Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), `GOOD (`+good[:7]+`) cannot be measured: there is no component "T.G"`) {
		t.Error(err)
	}
}

// A function runs less where its test fails: such a commit says nothing of the function.
func TestComponentOfFailingTest(t *testing.T) {
	r, _ := newRepo(t), useFake(t)
	good := r.commits("1.3")
	r.commits("fails")
	culprit := r.commits("1.6")
	p := r.params(good, "HEAD")
	p.Component = "T.F"
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.SeveralLeft || len(got.Commits) != 2 || got.Commits[1].Hash != culprit || len(got.Tried) != 1 || got.Tried[0].Side != bisection.Skipped {
		t.Errorf("%+v, %v", got, err)
	}
}

// If skipped commits hide the culprit, the answer names all that it may be.
func TestRangeOfCommits(t *testing.T) {
	r, f := newRepo(t), useFake(t)
	good := r.commits("1")
	first, second, third := r.commits("broken"), r.commits("broken"), r.commits("1.2")
	r.commits("1.2")
	got := r.search(good, "HEAD")
	var hashes []string
	for _, c := range got.Commits {
		hashes = append(hashes, c.Hash)
	}
	if got.Outcome != bisection.SeveralLeft || !slices.Equal(hashes, []string{first, second, third}) || got.Made != nil {
		t.Errorf("%+v", got)
	}
	// The same search again measures nothing.
	f.calls = 0
	again := r.search(good, "HEAD")
	if f.calls > 0 || again.Outcome != bisection.SeveralLeft || !slices.Equal(again.Commits, got.Commits) || again.Kept != again.Rounds || again.Kept == 0 {
		t.Errorf("%d runs were measured again: %+v", f.calls, again)
	}
}

// A culprit that is a merge is searched for in what it merges.
func TestMerges(t *testing.T) {
	for _, c := range []struct {
		name     string
		side     []string // costs
		merged   string
		main     []string // costs beside the side
		want     string   // subject of the culprit
		merge    bisection.MergeCase
		outcome  bisection.Outcome
		tried    string // subject of a commit that must have been tried
		asksSide bool   // GOOD is the first commit of the side
	}{
		{"in the side", []string{"1.00", "1.3", "1.30"}, "1.300", []string{"1.0"}, "costs 1.3", "", bisection.Culprit, "costs 1.30", false},
		{"the first of the side", []string{"1.3", "1.30"}, "1.300", []string{"1.0"}, "costs 1.3", "", bisection.Culprit, "costs 1.30", false},
		{"the merge itself", []string{"1.00", "1.000"}, "1.3", []string{"1.0"}, "merge", bisection.MergeItself, bisection.Culprit, "costs 1.000", false},
		{"the side cannot be measured", []string{"1.3", "broken"}, "1.30", []string{"1.0"}, "merge", bisection.MergeUnsure, bisection.SeveralLeft, "costs broken", false},
		{"GOOD is merged", []string{"1.00"}, "1.30", []string{"1.0", "1.3"}, "costs 1.3", "", bisection.Culprit, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := newRepo(t), useFake(t)
			good := r.commits("1")
			r.git("checkout", "-q", "-b", "side")
			side := r.commits(c.side...)
			r.git("checkout", "-q", "main")
			r.commits(c.main...)
			r.git("merge", "-q", "--no-ff", "--no-commit", "-s", "ours", "side")
			r.must(os.WriteFile(filepath.Join(r.module(), "cost"), []byte(c.merged+"\n\n"), 0o644))
			r.git("commit", "-q", "-a", "-m", "merge")
			r.commits(c.merged + "00")
			if c.asksSide {
				good = side
			}
			got := r.search(good, "main")
			if got.Outcome != c.outcome || len(got.Commits) != 1 || got.Commits[0].Subject != c.want || got.Merge != c.merge {
				t.Errorf("%+v", got)
			}
			if c.asksSide != (got.Asked != nil) || c.asksSide && (got.Asked.Hash != side || got.Good.Subject != "costs 1") {
				t.Errorf("GOOD is %+v, asked for %+v", got.Good, got.Asked)
			}
			if !slices.ContainsFunc(got.Tried, func(f bisection.Tried) bool { return f.Subject == c.tried }) && c.tried != "" {
				t.Errorf("not tried: %s", c.tried)
			}
		})
	}
}

// Where the search begins with another commit than GOOD, an error of that one says why.
func TestGoodOfTheSideCannotBeMeasured(t *testing.T) {
	r, _ := newRepo(t), useFake(t)
	base := r.commits("broken")
	r.git("checkout", "-q", "-b", "side")
	side := r.commits("1")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	r.commits("1.3")
	want := "GOOD (" + base[:7] + ", with which the search begins, because " + side[:7] + " is no first parent of BAD) cannot be measured: "
	if _, err := Run(t.Context(), r.params(side, "main")); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// An interrupted search goes on with the rounds that it has, and leaves no checkout.
func TestInterruptedSearchGoesOn(t *testing.T) {
	r, f := newRepo(t), useFake(t)
	good := r.commits("1")
	r.commits("1", "1", "broken", "1")
	culprit := r.commits("1.2")
	r.commits("1.2", "1.2")
	ctx, cancel := context.WithCancel(t.Context())
	f.before = func(call int, _ runner.Params) {
		if call == 20 {
			cancel()
		}
	}
	if _, err := Run(ctx, r.params(good, "main")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	f.before = nil
	kept := 0
	p := r.params(good, "main")
	p.Progress = func(s Step) { kept += s.Kept }
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit {
		t.Fatalf("%+v, %v", got, err)
	}
	if kept == 0 || kept > 19*bisection.BlockRounds || got.Kept != kept {
		t.Errorf("%d rounds are kept, and %d used", kept, got.Kept)
	}
	f.calls = 0
	if got, err := Run(t.Context(), p); err != nil || f.calls != 2*explainTurns || got.Function == nil { // from which the function is found
		t.Errorf("%d runs were measured after a search that ended, want %d: %v", f.calls, 2*explainTurns, err)
	}
	p.Restart, kept = true, 0
	if _, err := Run(t.Context(), p); err != nil || kept > 0 || f.calls < 20 {
		t.Errorf("restarted: %d calls, %d rounds kept, %v", f.calls, kept, err)
	}
}

// A test that fails at GOOD once ends a search, which goes on when it is started again.
func TestFlakyTestAtGood(t *testing.T) {
	r, f := newRepo(t), useFake(t)
	good := r.commits("1")
	r.commits("1.2")
	f.before = func(call int, p runner.Params) {
		if call == 5 { // the first of the third cycle
			r.must(os.WriteFile(filepath.Join(p.Dir, "cost"), []byte("fails"), 0o644))
		}
	}
	if _, err := Run(t.Context(), r.params(good, "main")); err == nil || !strings.Contains(err.Error(), "does not pass: fail\nIt was measured before") {
		t.Error(err)
	}
	if got := r.search(good, "main"); got.Outcome != bisection.Culprit || got.Kept != 4*bisection.BlockRounds {
		t.Errorf("%+v", got)
	}
}

// Rounds of another meter, machine or Go do not join those that are kept.
func TestAnotherMachine(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	r.commits("1", "1.2", "1.2")
	f := useFake(t)
	f.host = record.Host{CPU: "fast", Cores: 2, Go: "go1.26"}
	ctx, cancel := context.WithCancel(t.Context())
	f.before = func(call int, _ runner.Params) {
		if call == 9 {
			cancel()
		}
	}
	if _, err := Run(ctx, r.params(good, "main")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.before = nil
	for want, change := range map[string]func(){
		"began with the meter fake (measured), and now there is other (measured): make the first one work again, or begin anew with --restart": func() { f.meter = "other" },
		"began on another machine (fast, 2 cores) than this (slow, 2 cores): go on there, or begin anew with --restart":                        func() { f.host.CPU = "slow" },
		"began with go1.26, and now there is go1.27: take the first one, or begin anew with --restart":                                         func() { f.host.Go = "go1.27" },
	} {
		was := *f
		change()
		if _, err := Run(t.Context(), r.params(good, "main")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		f.meter, f.host = was.meter, was.host
	}
	t.Setenv("GOGC", "off")
	if got := r.search(good, "main"); got.Kept != 0 {
		t.Errorf("%d rounds with other settings of Go are used", got.Kept)
	}
}

// Two searches for the same do not write the same file: the second is refused, also if it would
// begin anew. Others run beside the first.
func TestTwoSearchesAtOnce(t *testing.T) {
	r, f := newRepo(t), useFake(t)
	good := r.commits("1")
	r.commits("1.2")
	second := r.params(good, "main")
	f.before = func(call int, _ runner.Params) {
		if call != 3 {
			return
		}
		for _, second.Restart = range []bool{false, true} {
			if _, err := Run(t.Context(), second); err == nil || !strings.Contains(err.Error(), "the same search runs already: wait for its answer, or end it") {
				t.Errorf("the second search: %v", err)
			}
		}
		other := second
		other.Component = "T.F"
		if got, err := Run(t.Context(), other); err != nil || got.Outcome != bisection.Culprit {
			t.Errorf("another search: %+v, %v", got, err)
		}
	}
	if got := r.search(good, "main"); got.Outcome != bisection.Culprit {
		t.Errorf("%+v", got)
	}
	if got := r.search(good, "main"); got.Kept != 36 {
		t.Errorf("%d rounds are kept, want 36", got.Kept)
	}
}

// Where no file can be kept the search works without one, and says so.
func TestNothingCanBeKept(t *testing.T) {
	r, _ := newRepo(t), useFake(t)
	good := r.commits("1")
	r.commits("1.2")
	p := r.params(good, "main")
	r.must(os.WriteFile(p.Cache, nil, 0o600))
	var why error
	p.Progress = func(s Step) {
		if s.Unsafe != nil {
			why = s.Unsafe
		}
	}
	if got, err := Run(t.Context(), p); err != nil || got.Outcome != bisection.Culprit || why == nil {
		t.Errorf("%+v, %v, told %v", got, err, why)
	}
}

// Kept rounds that are damaged count as none, and old ones are removed.
func TestKeptFiles(t *testing.T) {
	r, _ := newRepo(t), useFake(t)
	good := r.commits("1")
	r.commits("1.2")
	r.search(good, "main")
	p := r.params(good, "main")
	files, err := os.ReadDir(p.Cache)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	file := filepath.Join(p.Cache, files[0].Name())
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, text := range []string{"", "{", `{"version": "spell-lsp/bisect-rounds/v2", "cycles": [{"commits": ["a"]}]}`, `{"version": "v0"}`} {
		r.must(os.WriteFile(file, []byte(text), 0o600))
		if got := r.search(good, "main"); got.Kept != 0 || got.Outcome != bisection.Culprit {
			t.Errorf("%q: %+v", text, got)
		}
	}
	old := filepath.Join(p.Cache, "old.json")
	r.must(os.WriteFile(old, nil, 0o600))
	r.must(os.Chtimes(old, time.Now().Add(-keepFor-time.Hour), time.Now().Add(-keepFor-time.Hour)))
	if got := r.search(good, "main"); got.Kept == 0 {
		t.Error("the rounds are not used")
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("an old file is left")
	}
}

// What cannot be searched is an error that says what to do; what shows no difference is an answer.
func TestNothingToFind(t *testing.T) {
	r, _ := newRepo(t), useFake(t)
	first := r.commits("1")
	second := r.commits("1")
	dear := r.commits("1.5")
	broken, renamed := r.commits("broken"), r.commits("module=example.com/m/v2")
	r.git("checkout", "-q", "--orphan", "alone")
	alone := r.commits("2")
	r.git("checkout", "-q", "main")
	for _, c := range []struct{ good, bad, want string }{
		{first, first, "are the same commit"},
		{dear, first, "is an ancestor of GOOD"},
		{first, alone, "have no common commit"},
		{"nonsense", first, `GOOD: "nonsense" names no commit`},
		{first, "--all", `BAD: "--all" names no commit`},
		{first, renamed, "the module is example.com/m in one of GOOD and BAD and example.com/m/v2 in the other"},
		{first, broken, "BAD (" + broken[:7] + ") cannot be measured"},
	} {
		if got, err := Run(t.Context(), r.params(c.good, c.bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %+v, %v, want %s", c.good, c.bad, got, err, c.want)
		}
	}
	p := r.params(first, dear)
	p.Measure.Dir = t.TempDir()
	if _, err := Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), "is in no git repository") {
		t.Error(err)
	}
	p = r.params(first, second)
	p.MaxRounds = 24
	if got, err := Run(t.Context(), p); err != nil || got.Outcome != bisection.NoDifference || got.Change.Rounds != p.MaxRounds {
		t.Errorf("%+v, %v", got, err)
	}
	r.git("checkout", "-q", "-b", "cheaper", dear)
	if got := r.search(dear, r.commits("1")); got.Outcome != bisection.BadCheaper {
		t.Errorf("%+v", got)
	}
}

// A shallow clone is searched as far as it goes, and the error says what is missing.
func TestShallowClone(t *testing.T) {
	whole, _ := newRepo(t), useFake(t)
	good := whole.commits("1")
	whole.commits("1", "1", "1.2", "1.2")
	shallow := repo{t, filepath.Join(t.TempDir(), "shallow")}
	whole.git("clone", "-q", "--depth=4", "file://"+whole.dir, shallow.dir)
	if _, err := Run(t.Context(), shallow.params(good, "HEAD")); err == nil || !strings.Contains(err.Error(), "shallow") || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Error(err)
	}
	if got := shallow.search("HEAD~3", "HEAD"); got.Outcome != bisection.Culprit || !got.Shallow || got.Commits[0].Hash != whole.git("rev-parse", "HEAD~1") {
		t.Errorf("%+v", got)
	}
}

// A partial clone lacks objects, which are not fetched.
func TestPartialClone(t *testing.T) {
	whole, _ := newRepo(t), useFake(t)
	good := whole.commits("1")
	whole.commits("1.2")
	whole.git("config", "uploadpack.allowFilter", "true")
	partial := repo{t, filepath.Join(t.TempDir(), "partial")}
	whole.git("clone", "-q", "--filter=blob:none", "file://"+whole.dir, partial.dir)
	_, err := Run(t.Context(), partial.params(good, "HEAD"))
	if err == nil || !strings.Contains(err.Error(), "checking out "+good[:7]) || !strings.Contains(err.Error(), "git fetch --refetch") {
		t.Error(err)
	}
}

// The module may not be there in each commit.
func TestFolderThatCameLater(t *testing.T) {
	r, _ := newRepo(t), useFake(t)
	r.must(os.WriteFile(filepath.Join(r.dir, "README"), nil, 0o644))
	r.git("add", ".")
	r.git("commit", "-q", "-m", "nothing yet")
	good := r.git("rev-parse", "HEAD")
	r.commits("1", "1.2")
	if _, err := Run(t.Context(), r.params(good, "HEAD")); err == nil || !strings.Contains(err.Error(), "it has no folder mod") {
		t.Error(err)
	}
}
