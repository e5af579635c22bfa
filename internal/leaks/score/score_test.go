package score

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/leaks/contest"
)

func place(rank float64, green bool) contest.Place {
	return contest.Place{Rank: rank, Functions: 20, Green: green}
}

// sample is four leaks of two modules. The contestant late did not take part in the last.
func sample() []Trial {
	return []Trial{
		{"one", "a", "sort", false, 1, 0.1, 1, map[string]contest.Place{"psi": place(1, false), "late": place(10, true)}},
		{"two", "a", "sort", false, 2, 0.1, 3, map[string]contest.Place{"psi": place(4, false), "late": place(20, true)}},
		{"three", "a", "copy", false, 3, 0.1, 4, map[string]contest.Place{"psi": place(5.5, true), "late": place(2, false)}},
		{"four", "b", "copy", false, 4, 0.15, 0, map[string]contest.Place{"psi": place(3, false)}},
	}
}

// The measures of four leaks, counted by hand.
func TestMeasures(t *testing.T) {
	want := map[string][]float64{ // Top-1, 3, 5, EXAM, MRR, saved by 1, 3, 5, green
		"psi":  {1. / 4, 2. / 4, 3. / 4, 13.5 / 20 / 4, (1 + 1./4 + 2./11 + 1./3) / 4, 1. / 10, 5. / 10, 7. / 10, 1. / 4},
		"late": {0, 1. / 3, 1. / 3, 32. / 20 / 3, (1./10 + 1./20 + 1./2) / 3, 0, 3. / 6, 3. / 6, 2. / 3},
		"none": make([]float64, 9),
	}
	for contestant, values := range want {
		if len(values) != len(measures) {
			t.Fatalf("there are %d measures", len(measures))
		}
		for i, m := range measures {
			if got := m.of(sample(), contestant); math.Abs(got-values[i]) > 1e-12 {
				t.Errorf("%s: %s is %v, want %v", contestant, m.name, got, values[i])
			}
		}
	}
	if measures[examAt].name != "EXAM" || measures[mrr].name != "MRR" {
		t.Error("the tables sort by another measure than they say")
	}
}

// Differences of EXAM are 9/20, 16/20 and -3.5/20: ranks 2, 3 and 1, so that of the 8 ways
// to give them signs 4 have a sum as far from 3 as 5 is, or further (0, 1, 5 and 6).
func TestPairings(t *testing.T) {
	got := pairings(sample(), []string{"psi", "late"}, "psi")
	if len(got) != 1 {
		t.Fatalf("got %+v", got)
	}
	p := got[0]
	if p.better != 1 || p.equal != 0 || p.worse != 2 || math.Abs(p.exam-21.5/60) > 1e-12 || math.Abs(p.p-0.5) > 1e-12 {
		t.Errorf("got %+v, want 1 better, 2 worse, EXAM +%v, p 0.5", p, 21.5/60)
	}
	if want := (5 - 3) / math.Sqrt(14./4) / math.Sqrt(3); math.Abs(p.effect-want) > 1e-12 {
		t.Errorf("effect %v, want %v", p.effect, want)
	}
}

// Why: leaks of one module share its tests. Ten that are found and ten that are not, of two
// modules, tell as little as two: the interval must reach from 0 to 1. In one module
// they stand for themselves.
func TestIntervalKnowsModules(t *testing.T) {
	var two, one []Trial
	for i := range 20 {
		trial := Trial{Module: string(rune('a' + i/10)), Places: map[string]contest.Place{"psi": place(float64(1+i/10*9), false)}}
		two = append(two, trial)
		trial.Module = "a"
		one = append(one, trial)
	}
	if low, high := interval(resamples(two, 1), "psi", measures[0]); low != 0 || high != 1 {
		t.Errorf("of two modules: %v to %v, want 0 to 1", low, high)
	}
	// 20 draws with probability 1/2: 95 % of them have 6 to 14 successes.
	if low, high := interval(resamples(one, 1), "psi", measures[0]); math.Abs(low-0.3) > 0.051 || math.Abs(high-0.7) > 0.051 {
		t.Errorf("of one module: %v to %v, want about 0.3 to 0.7", low, high)
	}
	if diff := cmp.Diff(resamples(one, 7)[5], resamples(one, 7)[5]); diff != "" {
		t.Errorf("the same seed gives other samples:\n%s", diff)
	}
}

// The split must not move: orders were chosen with the modules that are not held out.
func TestHeldOut(t *testing.T) {
	heldOut := map[string]bool{
		"github.com/google/btree": true, "github.com/tidwall/gjson": true, "github.com/BurntSushi/toml": false,
		"github.com/gorilla/mux": false, "github.com/hashicorp/golang-lru/v2": false, "github.com/pelletier/go-toml/v2": true,
		"go.etcd.io/raft/v3": true, "github.com/alecthomas/chroma/v2": false, "github.com/gin-gonic/gin": false,
	}
	for module, want := range heldOut {
		if HeldOut(module) != want {
			t.Errorf("%s: held out %t, want %t", module, !want, want)
		}
	}
	n := 0
	for i := range 10_000 {
		n += int(oneIf(HeldOut("example.com/" + strings.Repeat("x", i%97) + string(rune('a'+i/97%26)))))
	}
	if n < 3500 || n > 4500 {
		t.Errorf("%d of 10000 modules are held out, want about 40 %%", n)
	}
}

// Losses come first: what beats the reference stands above it, the kind in which it is
// furthest behind above the others, and the leak that it ranks last above all.
func TestTablesShowLossesFirst(t *testing.T) {
	o := Options{Contestants: []string{"psi", "late", "chance"}, Reference: "psi", Seed: 1, Leaks: true}
	trials := sample()
	for i := range trials {
		trials[i].Places["chance"] = place(1.5, true)
	}
	trials = append(trials, Trial{"five", "b", "found", true, 5, 0.9, 0, map[string]contest.Place{"psi": place(5, false)}})
	text := Tables(trials, o)
	if _, heavy, _ := strings.Cut(text, "## Seeded leaks that cost 15.0 % of the energy or more"); !strings.Contains(heavy, "\n1 leak in 1 module; all leaks together cost 4.00 J") {
		t.Errorf("there is no table of the one seeded leak of 15 %%:\n%s", text)
	}
	if want := "Of 4 seeded leaks, the line is the costliest of its function in 25 %, and among the first three in 50 %."; !strings.Contains(text, want) {
		t.Errorf("the lines are missing: %s", want)
	}
	for _, wanted := range [][]string{
		{"| chance ", "| **psi** ", "| late "},
		{"| copy ", "| sort "},
		{"| three ", "| two ", "| four ", "| one "},
	} {
		at := 0
		for _, row := range wanted {
			i := strings.Index(text[at:], row)
			if i < 0 {
				t.Errorf("%q does not follow in this order: %q", row, wanted)
				break
			}
			at += i
		}
	}
	if strings.Contains(Tables(trials, Options{Contestants: o.Contestants, Reference: "psi"}), "## Leaks") {
		t.Error("single leaks are listed although they were not asked for")
	}
	if got := Tables(nil, o); got != "No leak was measured.\n" {
		t.Errorf("of nothing: %q", got)
	}
	if t.Failed() {
		t.Log(text)
	}
}
