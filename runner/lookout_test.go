package runner

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spell-lsp/spell/note"
	"spell-lsp/spell/wording"
)

// Both of two measurements must know that their figures are off: the one that began first
// looks again and again, and so sees one that comes and goes while a long test runs.
func TestLookoutSeesWhatComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var present atomic.Pointer[[]int]
		present.Store(&[]int{})
		l := newLookout(func() []int { return *present.Load() })
		defer l.end()
		if _, is := l.soFar(); is {
			t.Error("another measurement is seen where none is")
		}
		present.Store(&[]int{4711})
		time.Sleep(lookEvery + 1)
		synctest.Wait()
		present.Store(&[]int{})
		time.Sleep(10 * lookEvery)
		got, is := l.found()
		if want := "another measurement ran on this machine at the same time (process 4711): "; !is || wording.Text(got)[:len(want)] != want {
			t.Errorf("%q, %v, want %s", wording.Text(got), is, want)
		}
	})
}

// Many measurements, as on a machine of a CI system, are one note of one line, each once.
func TestLookoutSeesMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := make([]int, 100)
		for i := range list {
			list[i] = 1 + i
		}
		l := newLookout(func() []int { return list })
		defer l.end()
		got, _ := l.found() // looks again
		named, _ := got.Args["processes"].([]string)
		if want := []string{"1", "2", "3"}; !slices.Equal(named[:3], want) || len(named) > 20 || !strings.HasSuffix(named[len(named)-1], " more") {
			t.Errorf("processes %q, want the first few of 1 to 100, each once", named)
		}
	})
}

// The user is told at once, and only once, and the run has the note.
func TestOtherMeasurementIsNoted(t *testing.T) {
	dir := module(t, map[string]string{
		"a.go":      "package a\n\nfunc F() {}\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(*testing.T) { F() }\n",
	})
	isOther := func(n note.Note) bool { return n.Code == note.OtherMeasurementCode }
	for _, others := range [][]int{{4711}, nil} {
		var told []note.Note
		measuring := false
		run, err := Measure(t.Context(), Params{
			Dir: dir, Meter: "none", Rounds: 3, Warmup: 1, Others: func() []int { return others },
			Progress: func(Step) { measuring = true },
			Noticed: func(n note.Note) {
				if told = append(told, n); measuring {
					t.Error("it is told only after the work has begun")
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		noted := slices.DeleteFunc(slices.Clone(run.Notes), func(n note.Note) bool { return !isOther(n) })
		if len(told) != len(others) || len(noted) != len(others) || !slices.ContainsFunc(told, isOther) && others != nil {
			t.Errorf("with others %v: told %v, noted %v", others, told, noted)
		}
	}
}
