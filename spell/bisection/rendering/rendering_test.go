package rendering

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/bisection"
)

func commit(short, subject string) bisection.Commit {
	return bisection.Commit{Hash: short + strings.Repeat("0", 33), Short: short, Date: "2026-01-02T03:04:05Z", Subject: subject}
}

// result is one in which a commit was found.
func result() *bisection.Result {
	change, parent := 0.33, commit("2222222", "before")
	return &bisection.Result{
		Schema: bisection.Schema, Outcome: bisection.Culprit,
		Good: commit("1111111", "good"), Bad: commit("9999999", "bad"),
		Tests: []string{"example.com/m.v2/parse.TestParse"}, Quantity: bisection.Energy, Meter: "model", Source: "estimated",
		Change:  bisection.Difference{Change: 0.16, CI: [2]float64{0.14, 0.18}, Rounds: 18},
		Commits: []bisection.Commit{commit("3333333", "Parse \x1b[31mtwice")}, Parent: &parent,
		Made: &bisection.Difference{Change: 0.152, CI: [2]float64{0.121, 0.184}, Rounds: 18},
		Function: &bisection.Function{
			ID: "example.com/m.v2/parse.(*P).Next", File: "parse/p.go", Line: 120, Quantity: bisection.Energy, Base: 1.2, Head: 1.6, Change: &change,
			Costly: &bisection.CostlyLine{Line: 123, Text: "for range 2 {", Share: 0.8, Changed: true},
		},
		Tried: []bisection.Tried{
			{Commit: commit("4444444", "like bad"), Side: bisection.LikeBad, Rounds: 12},
			{Commit: commit("2222222", "before"), Side: bisection.LikeGood, Rounds: 15},
			{Commit: commit("5555555", "broken"), Side: bisection.Skipped, Reason: "p.go:1: undefined: x\n... (4 more lines)"},
		},
		History: 64, Rounds: 355, Kept: 54,
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, result(), 0); err != nil {
		t.Fatal(err)
	}
	want := `3333333 made TestParse more expensive: +15 % estimated energy (95 % interval +12 to +18 %).

  3333333  2026-01-02  Parse \x1b[31mtwice

The cost of example.com/m.v2/parse.(*P).Next grew most: 1.60 J instead of 1.20 J a round, +33 %
(parse/p.go:120).
  Line 123 takes 80.0 % of the self time, the line that it changed and that costs most:
    for range 2 {

2 of 64 commits behind GOOD measured besides BAD, 1 skipped; 355 rounds, of which 54 from an earlier
start; meter model (estimated). From GOOD (1111111) to BAD (9999999): +16 % estimated energy (95 %
interval +14 to +18 %).
Skipped 5555555: p.go:1: undefined: x
                 ... (4 more lines)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Each outcome says what it is, and none that is not certain names a commit as the one.
func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(r *bisection.Result)
		want   string
	}{
		{"a component", func(r *bisection.Result) { r.Component = "P.Next" }, "3333333 made P.Next more expensive: +15 % estimated energy"},
		{"several tests, measured time", func(r *bisection.Result) {
			r.Tests, r.Quantity, r.Source = append(r.Tests, "m.TestB"), bisection.Time, "none"
		}, "3333333 made 2 tests more expensive: +15 % time (95 % interval +12 to +18 %)."},
		{"a merge", func(r *bisection.Result) { r.Merge = bisection.MergeItself }, "It is a merge: the commits that it merges are like GOOD, so that the merge itself did."},
		{"a merge with an unknown side", func(r *bisection.Result) {
			r.Merge, r.Outcome = bisection.MergeUnsure, bisection.SeveralLeft
		}, "Not sure: 3333333 made TestParse more expensive (+15 % estimated energy (95 % interval +12 to +18 %)), or a commit that it merges."},
		{"a range", func(r *bisection.Result) {
			r.Outcome, r.Commits = bisection.SeveralLeft, append([]bisection.Commit{commit("2a2a2a2", "")}, r.Commits...)
		}, "Not sure: one of 2 commits made TestParse more expensive, 2a2a2a2 to 3333333."},
		{"unconfirmed", func(r *bisection.Result) {
			r.Outcome, r.Unconfirmed = bisection.SeveralLeft, true
		}, "Not sure: 3333333 is like BAD and the commit before it like GOOD, but no difference between the two was found"},
		{"no difference", func(r *bisection.Result) {
			r.Outcome, r.Change = bisection.NoDifference, bisection.Difference{Change: 0.004, CI: [2]float64{-0.01, 0.02}, Rounds: 90}
		}, "Not sure: no difference of TestParse was found between GOOD (1111111) and BAD (9999999) in 90 rounds of each: +0.40 % estimated energy (95 % interval -1.0 to +2.0 %)."},
		{"cheaper", func(r *bisection.Result) { r.Outcome, r.Change.Change = bisection.BadCheaper, -0.1 }, "BAD (9999999) is cheaper than GOOD (1111111): -10 % estimated energy"},
	} {
		r := result()
		c.change(r)
		if got := Headline(r); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Pages without a function or a commit have no such part, and say where the search began.
func TestTextOfWhatIsNotKnown(t *testing.T) {
	r := result()
	asked := commit("7777777", "asked")
	r.Outcome, r.Asked, r.Function, r.Explanation, r.Kept = bisection.SeveralLeft, &asked, nil, "the runs have other tests", 0
	r.Tried = append(r.Tried, bisection.Tried{Commit: commit("6666666", "x"), Side: bisection.Undecided, Rounds: 90})
	r.Commits = make([]bisection.Commit, 25)
	for i := range r.Commits {
		r.Commits[i] = commit("aaaaaaa", "one of many")
	}
	var b bytes.Buffer
	if err := Text(&b, r, 80); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"GOOD (7777777) is no first parent of BAD: the search began with 1111111,", "  and 5 more commits\n", "Which function: the runs have other tests.\n",
		"Undecided 6666666: too near to the middle of GOOD and BAD for 90 rounds\n", "355 rounds; meter",
	} {
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("it does not say %q:\n%s", want, b.String())
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, result()); err != nil {
		t.Fatal(err)
	}
	var back bisection.Result
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(result(), &back); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestLine(t *testing.T) {
	for want, f := range map[string]bisection.Finding{
		"like GOOD after 9 rounds":            {Side: bisection.LikeGood, Rounds: 9},
		"like BAD after 1 round":              {Side: bisection.LikeBad, Rounds: 1},
		"undecided after 90 rounds":           {Side: bisection.Undecided, Rounds: 90},
		"skipped: it does not compile at all": {Side: bisection.Skipped, Reason: "it does not compile\nat all"},
	} {
		if got := Line(&f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
