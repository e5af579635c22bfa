package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell/significance"
	"spell-lsp/spell/units"
)

// Options say which tables are written.
type Options struct {
	Contestants []string // whose places are scored
	Reference   string   // the contestant that the others are compared with
	Seed        uint64   // of the bootstrap
	Leaks       bool     // list single leaks too: not of modules that are held out
}

// Tables writes all scores as Markdown. Rows where the reference does worst come first.
func Tables(trials []Trial, o Options) string {
	if len(trials) == 0 {
		return "No leak was measured.\n"
	}
	var b strings.Builder
	contestants(&b, "Contestants", trials, o)
	if heavy := slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Real || t.Share < heavyShare }); len(heavy) > 0 {
		contestants(&b, fmt.Sprintf("Seeded leaks that cost %s %% of the energy or more", units.Percent(heavyShare)), heavy, o)
	}
	measuresInWords(&b)
	lines(&b, trials)
	differences(&b, trials, o)
	groups(&b, "Kinds of leak", "kind", trials, o, func(t Trial) string { return t.Kind })
	groups(&b, "Seeded and real leaks", "leaks of", trials, o, func(t Trial) string {
		if t.Real {
			return "the authors"
		}
		return "this benchmark"
	})
	groups(&b, "Modules", "module", trials, o, func(t Trial) string { return t.Module })
	if o.Leaks {
		leaks(&b, trials, o)
	}
	return b.String()
}

// heavyShare is from which share of the energy on a leak has a table beside the one of all.
const heavyShare = 0.15

// contestants has a row for each contestant, the best first, so that those that beat the
// reference stand above it.
func contestants(b *strings.Builder, title string, trials []Trial, o Options) {
	joules := 0.0
	for _, t := range trials {
		joules += t.CostJ
	}
	fmt.Fprintf(b, "## %s\n\n%s in %s; all leaks together cost %s in one execution of the tests. Below each score is its 95 %% interval (bootstrap of modules, and of leaks within them).\n",
		title, units.Plural(len(trials), "leak"), units.Plural(len(byModule(trials)), "module"), units.Quantity(joules, "J"))
	t := table{header: []string{"contestant", "leaks"}}
	for _, m := range measures {
		t.header = append(t.header, m.name)
	}
	order := slices.Clone(o.Contestants)
	slices.SortStableFunc(order, func(x, y string) int {
		return cmp.Compare(measures[mrr].of(trials, y), measures[mrr].of(trials, x))
	})
	samples := resamples(trials, o.Seed)
	for _, contestant := range order {
		row, below := []string{contestant, fmt.Sprint(count(trials, contestant))}, []string{"", ""}
		if contestant == o.Reference {
			row[0] = "**" + contestant + "**"
		}
		for _, m := range measures {
			low, high := interval(samples, contestant, m)
			row = append(row, m.print(m.of(trials, contestant)))
			below = append(below, m.print(low)+" to "+m.print(high))
		}
		t.rows = append(t.rows, row, below)
	}
	t.write(b)
	b.WriteByte('\n')
}

func measuresInWords(b *strings.Builder) {
	for _, m := range measures {
		fmt.Fprintf(b, "- %s: %s.\n", m.name, m.about)
	}
}

// lines says how often the line of a seeded leak is among the first of its function.
func lines(b *strings.Builder, trials []Trial) {
	var seeded, first, three int
	for _, t := range trials {
		if t.Real {
			continue
		}
		seeded++
		if t.LineRank == 1 {
			first++
		}
		if t.LineRank >= 1 && t.LineRank <= 3 {
			three++
		}
	}
	if seeded > 0 {
		fmt.Fprintf(b, "\n## Lines\n\nOf %s, the line is the costliest of its function in %.0f %%, and among the first three in %.0f %%.\n",
			units.Plural(seeded, "seeded leak"), 100*float64(first)/float64(seeded), 100*float64(three)/float64(seeded))
	}
}

// differences has a row for each contestant but the reference, the one that beats it by
// most first.
func differences(b *strings.Builder, trials []Trial, o Options) {
	fmt.Fprintf(b, "\n## Differences from %s\n\nLeaks that the contestant finds earlier (better) or later (worse), and the mean difference of EXAM. p is that of Wilcoxon's signed-rank test over leaks, corrected by Holm's method; leaks of one module are counted as independent, which makes p too small.\n", o.Reference)
	list := pairings(trials, o.Contestants, o.Reference)
	slices.SortStableFunc(list, func(x, y pairing) int { return cmp.Compare(x.exam, y.exam) })
	t := table{header: []string{"contestant", "better", "equal", "worse", "EXAM", "p", "effect"}}
	for _, p := range list {
		t.rows = append(t.rows, []string{p.contestant, fmt.Sprint(p.better), fmt.Sprint(p.equal), fmt.Sprint(p.worse),
			fmt.Sprintf("%+.1f points", 100*p.exam), units.Probability(p.p), significance.EffectLabel(p.effect)})
	}
	t.write(b)
}

// groups has a row for each group of leaks, with the Top-5 of each contestant. The group
// in which the reference is furthest behind comes first.
func groups(b *strings.Builder, title, head string, trials []Trial, o Options, key func(Trial) string) {
	of := make(map[string][]Trial)
	for _, t := range trials {
		of[key(t)] = append(of[key(t)], t)
	}
	type group struct {
		name, best string
		behind     float64
	}
	var list []group
	for name, members := range of {
		by, best := lead(members, o.Contestants, o.Reference, measures[mrr].of)
		list = append(list, group{name, best, by})
	}
	slices.SortFunc(list, func(x, y group) int {
		return cmp.Or(cmp.Compare(y.behind, x.behind), cmp.Compare(x.name, y.name))
	})
	fmt.Fprintf(b, "\n## %s\n\nLeaks among the first 5 of each contestant; first the rows in which another has the greatest lead over %s by mean reciprocal rank.\n", title, o.Reference)
	t := table{header: append([]string{head, "leaks", "greatest lead"}, o.Contestants...)}
	for _, g := range list {
		row := []string{g.name, fmt.Sprint(len(of[g.name])), fmt.Sprintf("%+.2f %s", g.behind, g.best)}
		for _, contestant := range o.Contestants {
			row = append(row, fmt.Sprint(firstFive(of[g.name], contestant)))
		}
		t.rows = append(t.rows, row)
	}
	t.write(b)
}

func firstFive(trials []Trial, contestant string) int {
	n := 0
	for _, t := range trials {
		if p, ok := t.Places[contestant]; ok && p.Rank <= 5 {
			n++
		}
	}
	return n
}

func count(trials []Trial, contestant string) int {
	n := 0
	for _, t := range trials {
		if _, ok := t.Places[contestant]; ok {
			n++
		}
	}
	return n
}

// leaks has a row for each leak, with the rank at each contestant. The leak that the
// reference finds last comes first.
func leaks(b *strings.Builder, trials []Trial, o Options) {
	fmt.Fprintf(b, "\n## Leaks\n\nRanks; (g) is shown as harmless. First those that %s ranks last.\n", o.Reference)
	sorted := slices.Clone(trials)
	slices.SortFunc(sorted, func(x, y Trial) int {
		return cmp.Or(cmp.Compare(y.Places[o.Reference].Rank, x.Places[o.Reference].Rank), cmp.Compare(x.Name, y.Name))
	})
	t := table{header: append([]string{"leak", "kind", "functions", "cost"}, o.Contestants...)}
	for _, trial := range sorted {
		row := []string{trial.Name, trial.Kind, fmt.Sprint(trial.Places[o.Reference].Functions), units.Quantity(trial.CostJ, "J")}
		for _, contestant := range o.Contestants {
			row = append(row, rank(trial, contestant))
		}
		t.rows = append(t.rows, row)
	}
	t.write(b)
}

func rank(t Trial, contestant string) string {
	p, ok := t.Places[contestant]
	switch {
	case !ok:
		return "-"
	case p.Green:
		return units.Count(p.Rank) + " (g)"
	}
	return units.Count(p.Rank)
}

func (m measure) print(v float64) string {
	if m.share {
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return fmt.Sprintf("%.2f", v)
}
