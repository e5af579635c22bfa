package render_test

import (
	"testing"

	"spell-lsp/lsp/render"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
)

// of is a quantity that fell by a share, with a verdict.
func of(less float64, v comparison.Verdict) comparison.Quantity {
	return comparison.Quantity{Amount: comparison.Amount{Base: 1, Head: 1 - less}, Verdict: v}
}

// varying is a total without a significant change, which may have changed by 30 %.
func varying(less float64) comparison.Quantity {
	q := of(less, comparison.Unchanged)
	q.ChangeCI = &[2]float64{-.3, .3}
	return q
}

// ran is a run in which the tests "t0", "t1" and so on ran the function "f" and ended so.
func ran(outcomes ...record.Outcome) *record.Run {
	r := &record.Run{Components: []record.Component{{ID: "f"}}, Matrix: record.MatrixOf(nil)}
	for i, o := range outcomes {
		if o != "" {
			r.Tests = append(r.Tests, record.Test{Name: "t" + string(rune('0'+i)), Outcome: o})
			r.Matrix.Add(record.Cell{T: len(r.Tests) - 1, N: 1})
		}
	}
	return r
}

// Why: a verdict is what a person acts on. It must not call better what only moved, nor hide a test
// that does not pass, was skipped or did not run.
func TestJudge(t *testing.T) {
	const better, worse, same, open = comparison.Better, comparison.Worse, comparison.Unchanged, comparison.Undecided
	passed := ran(record.Pass, record.Pass)
	for name, c := range map[string]struct {
		own, total    comparison.Quantity
		before, after *record.Run
		time          bool
		other         string // the function of the comparison, "" for f
		better        bool
		want          string
	}{
		"both": {own: of(.62, better), total: of(.4, better), better: true, want: "62 % less energy in F, significant; 40 % less energy in all that its tests run, significant; tests pass"},
		"only the total, as a callee has the rest": {own: of(0, same), total: of(.4, better), better: true, want: "no significant change in F; 40 % less energy in all that its tests run, significant; tests pass"},
		"only its own, little of the total":        {own: of(.62, better), total: of(.01, same), better: true, want: "62 % less energy in F, significant; no significant change in all that its tests run; tests pass"},
		"it moved to a callee":                     {own: of(.62, better), total: of(-.01, same), want: "62 % less energy in F, significant; no significant change in all that its tests run; tests pass"},
		"in a total that varies too much":          {own: of(.1, better), total: varying(-.02), better: true, want: "10 % less energy in F, significant; no significant change in all that its tests run; tests pass"},
		"dearer in all":                            {own: of(.62, better), total: of(-.3, worse), want: "62 % less energy in F, significant; 30 % more energy in all that its tests run, significant; tests pass"},
		"nothing":                                  {own: of(0, same), total: of(0, same), want: "no significant change in F; no significant change in all that its tests run; tests pass"},
		"not decided":                              {own: of(.5, open), total: of(.5, open), want: "50 % less energy in F, not decided; 50 % less energy in all that its tests run, not decided; tests pass"},
		"in one run only":                          {own: of(.5, better), total: of(.5, better), other: "g", better: true, want: "F is in only one of the runs; 50 % less energy in all that its tests run, significant; tests pass"},
		"no energy is known":                       {own: of(.5, better), total: of(.5, better), time: true, better: true, want: "50 % less running time in F, significant; 50 % less running time in all that its tests run, significant; tests pass"},
		"a test fails":                             {own: of(.5, better), total: of(.5, better), after: ran(record.Pass, record.Fail), want: "50 % less energy in F, significant; 50 % less energy in all that its tests run, significant; no longer passing: t1 (fail)"},
		"a test is skipped":                        {own: of(.5, better), total: of(.5, better), after: ran(record.Skip, record.Pass), want: "50 % less energy in F, significant; 50 % less energy in all that its tests run, significant; no longer passing: t0 (skip)"},
		"a test is gone":                           {own: of(.5, better), total: of(.5, better), after: ran("", record.Pass), want: "50 % less energy in F, significant; 50 % less energy in all that its tests run, significant; no longer passing: t0 (did not run)"},
		"a test was skipped and fails":             {own: of(.5, better), total: of(.5, better), before: ran(record.Skip), after: ran(record.Fail), want: "50 % less energy in F, significant; 50 % less energy in all that its tests run, significant; no longer passing: t0 (fail)"},
		"a test fails as before":                   {own: of(.5, better), total: of(.5, better), before: ran(record.Fail, record.Pass), after: ran(record.Fail, record.Pass), better: true, want: "50 % less energy in F, significant; 50 % less energy in all that its tests run, significant; 1 test failed as before, all others pass"},
	} {
		compared := &comparison.Comparison{Components: []comparison.Component{{ID: "f"}}}
		if !c.time {
			compared.Domains, compared.ComponentDomains = []spell.Domain{spell.CPU}, []spell.Domain{spell.CPU}
		}
		if c.other != "" {
			compared.Components[0].ID = c.other
		}
		for _, change := range []struct {
			into *comparison.Change
			q    comparison.Quantity
		}{{&compared.Total.Change, c.total}, {&compared.Components[0].Change, c.own}} {
			change.into.EnergyJ, change.into.TimeMS = change.q, change.q
		}
		before, after := passed, passed
		if c.before != nil {
			before = c.before
		}
		if c.after != nil {
			after = c.after
		}
		if got := render.Judge(compared, "f", "F", before, after); got.Text != c.want || got.Better != c.better {
			t.Errorf("%s: %v, %q, want %v, %q", name, got.Better, got.Text, c.better, c.want)
		}
	}
}
