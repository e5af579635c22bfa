package comparison_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/comparison"
)

// A component that was renamed or moved is still the same if its body tells so.
func TestMatching(t *testing.T) {
	at := func(id, hash, file string) recordtest.Part {
		return recordtest.Part{ID: id, Hash: hash, File: file, Joules: []float64{1}}
	}
	for _, tt := range []struct {
		why            string
		base, head     []recordtest.Part
		want           []string // HEAD <- BASE how body
		added, removed []string
	}{
		{"the same", []recordtest.Part{at("m.F", "1", "a.go")}, []recordtest.Part{at("m.F", "1", "a.go")}, []string{"m.F <-  id same"}, nil, nil},
		{"another body", []recordtest.Part{at("m.F", "1", "a.go")}, []recordtest.Part{at("m.F", "2", "a.go")}, []string{"m.F <-  id changed"}, nil, nil},
		{"no hashes", []recordtest.Part{at("m.F", "", "a.go")}, []recordtest.Part{at("m.F", "2", "a.go")}, []string{"m.F <-  id unknown"}, nil, nil},
		{"renamed", []recordtest.Part{at("m.F", "1", "a.go")}, []recordtest.Part{at("m.G", "1", "a.go")}, []string{"m.G <- m.F renamed same"}, nil, nil},
		{"moved", []recordtest.Part{at("m/a.(*T).F", "1", "a/a.go")}, []recordtest.Part{at("m/b.F", "1", "b/b.go")}, []string{"m/b.F <- m/a.(*T).F moved same"}, nil, nil},
		{"without a hash nothing is the same", []recordtest.Part{at("m.F", "", "a.go")}, []recordtest.Part{at("m.G", "", "a.go")}, nil, []string{"m.G"}, []string{"m.F"}},
		{"an ID goes before a body", []recordtest.Part{at("m.F", "1", "a.go"), at("m.G", "2", "a.go")}, []recordtest.Part{at("m.F", "2", "a.go"), at("m.H", "1", "a.go")}, []string{"m.F <-  id changed"}, []string{"m.H"}, []string{"m.G"}},
		{"of equal bodies the name tells", []recordtest.Part{at("m/a.F", "1", "a.go"), at("m/a.G", "1", "a.go")}, []recordtest.Part{at("m/b.G", "1", "b.go"), at("m/b.F", "1", "b.go")}, []string{"m/b.F <- m/a.F moved same", "m/b.G <- m/a.G moved same"}, nil, nil},
		{"then the file", []recordtest.Part{at("m.F", "1", "a.go"), at("m.G", "1", "b.go")}, []recordtest.Part{at("m.H", "1", "b.go"), at("m.I", "1", "a.go")}, []string{"m.H <- m.G renamed same", "m.I <- m.F renamed same"}, nil, nil},
		{"or nothing", []recordtest.Part{at("m.F", "1", "a.go"), at("m.G", "1", "a.go")}, []recordtest.Part{at("m.H", "1", "a.go"), at("m.I", "1", "a.go")}, nil, []string{"m.H", "m.I"}, []string{"m.F", "m.G"}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			c := compared(t, recordtest.Program(tt.base...), recordtest.Program(tt.head...), comparison.Options{})
			var got, added, removed []string
			for _, k := range c.Components {
				got = append(got, strings.Join([]string{k.ID, "<-", k.BaseID, k.Match, k.Body}, " "))
			}
			for _, o := range c.Added {
				added = append(added, o.ID)
			}
			for _, o := range c.Removed {
				removed = append(removed, o.ID)
			}
			if diff := cmp.Diff([][]string{tt.want, tt.added, tt.removed}, [][]string{got, added, removed}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What the code says about a change is told with it.
func TestNotes(t *testing.T) {
	run := func(hash string, joules float64) recordtest.Part {
		return recordtest.Part{ID: "m.F", Hash: hash, Joules: recordtest.Around(uint64(joules), 10, joules, 0.001)}
	}
	for _, tt := range []struct {
		why        string
		base, head recordtest.Part
		want       string
	}{
		{"cheaper by another body", run("1", 10), run("2", 5), "body changed"},
		{"another body that costs the same", run("1", 10), run("2", 10), "body changed"},
		{"dearer by the same body", run("1", 5), run("1", 10), "same body: its cost changed although its code did not (callees are not included; inputs or callers changed)"},
		{"nothing changed", run("1", 10), run("1", 10), ""},
		{"nothing is known", run("", 5), run("1", 10), ""},
	} {
		if got := compared(t, recordtest.Program(tt.base), recordtest.Program(tt.head), comparison.Options{}).Components[0].Note; got != tt.want {
			t.Errorf("%s: note %q, want %q", tt.why, got, tt.want)
		}
	}
}
