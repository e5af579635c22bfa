package report

import (
	"cmp"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
)

// tests are the rows of the matrix, in columns.
type tests struct {
	Name          []string         `json:"name"` // short
	Outcome       []record.Outcome `json:"outcome"`
	ExitCode      []int            `json:"exit_code,omitempty"` // of programs
	Counts        []bool           `json:"counts"`              // in the analysis
	Below         []bool           `json:"below"`               // resolution
	TimeMS        numbers          `json:"time_ms"`
	EnergyJ       numbers          `json:"energy_j"` // of all domains
	UnattributedJ numbers          `json:"unattributed_j"`
}

func newTests(r *record.Run) tests {
	t := tests{Outcome: []record.Outcome{}, Counts: []bool{}, Below: []bool{}}
	var names []string
	for i := range r.Tests {
		of := &r.Tests[i]
		names = append(names, of.Name)
		t.Outcome = append(t.Outcome, of.Outcome)
		if of.ExitCode != nil && r.RowWord() != record.TestRow {
			t.ExitCode = append(t.ExitCode, *of.ExitCode)
		}
		t.Counts = append(t.Counts, of.InAnalysis(r.Analysis != nil && r.Analysis.IncludeFailed))
		t.Below = append(t.Below, of.BelowResolution)
		t.TimeMS = append(t.TimeMS, of.TimeMS)
		t.EnergyJ = append(t.EnergyJ, of.EnergyJ.Total())
		t.UnattributedJ = append(t.UnattributedJ, of.UnattributedJ.Total())
	}
	t.Name = append([]string{}, page.Shorten(names, r.Workspace.Module)...)
	return t
}

// A timeline has the values of single tests in single rounds, by test, then by round.
type timeline struct {
	Test    []int     `json:"test"` // -1 = all others together
	TimeMS  []numbers `json:"time_ms"`
	EnergyJ []numbers `json:"energy_j"` // of all domains
}

// maxTimelineTests limits the tests that the timeline shows one by one.
const maxTimelineTests = 100

// newTimeline takes the tests that used most energy. If the rounds of a test are unknown,
// its mean stands for each of them.
func newTimeline(r *record.Run) timeline {
	order := make([]int, len(r.Tests))
	for i := range order {
		order[i] = i
	}
	if len(order) > maxTimelineTests {
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := &r.Tests[i], &r.Tests[j]
			return cmp.Or(cmp.Compare(b.EnergyJ.Total(), a.EnergyJ.Total()), cmp.Compare(b.TimeMS, a.TimeMS))
		})
		slices.Sort(order[:maxTimelineTests])
	}
	t := timeline{Test: []int{}, TimeMS: []numbers{}, EnergyJ: []numbers{}}
	for k, i := range order {
		ms, joules := roundsOf(&r.Tests[i], max(1, r.Rounds))
		if k <= maxTimelineTests {
			t.Test, t.TimeMS, t.EnergyJ = append(t.Test, i), append(t.TimeMS, ms), append(t.EnergyJ, joules)
			continue
		}
		t.Test[maxTimelineTests] = -1
		for round := range ms {
			t.TimeMS[maxTimelineTests][round] += ms[round]
			t.EnergyJ[maxTimelineTests][round] += joules[round]
		}
	}
	return t
}

func roundsOf(t *record.Test, rounds int) (ms, joules numbers) {
	ms, joules = make(numbers, rounds), make(numbers, rounds)
	for k := range rounds {
		ms[k], joules[k] = t.TimeMS, t.EnergyJ.Total()
		if len(t.RoundTimeMS) == rounds {
			ms[k] = t.RoundTimeMS[k]
		}
		sum, known := 0.0, false
		for _, d := range spell.Domains() { // in a fixed order: floating-point sums depend on it
			if of := t.RoundEnergyJ[d]; len(of) == rounds {
				sum, known = sum+of[k], true
			}
		}
		if known {
			joules[k] = sum
		}
	}
	return ms, joules
}

// cells are the cells of the first components of the matrix, in columns.
type cells struct {
	Components int     `json:"components"` // the number of components, from the top of the ranking
	Test       []int   `json:"test"`
	Component  []int   `json:"component"`
	N          numbers `json:"n"`
	TimeMS     numbers `json:"time_ms"`
	EnergyJ    numbers `json:"energy_j"` // of all domains
}

// maxCells limits the cells of a page; a matrix may have 50 million.
const maxCells = 100_000

// newCells takes as many of the top components as fit. Values are those that were ranked:
// cumulative ones if the analysis is inclusive.
func newCells(r *record.Run, top int) cells {
	count := make([]int, top)
	for _, c := range r.Matrix.Cells {
		if int(c.Component) < top {
			count[c.Component]++
		}
	}
	c := cells{Test: []int{}, Component: []int{}}
	for sum := 0; c.Components < top; c.Components++ {
		if sum += count[c.Components]; sum > maxCells {
			break
		}
	}
	timeMS, energyJ := func(i int) float64 { return r.Matrix.Cells[i].TimeMS }, r.Matrix.TotalJ
	if r.Analysis != nil && r.Analysis.Inclusive {
		timeMS, energyJ = func(i int) float64 { return r.Matrix.CumTimeMS[i] }, r.Matrix.CumTotalJ
	}
	for i, cell := range r.Matrix.Cells {
		if int(cell.Component) < c.Components {
			c.Test, c.Component = append(c.Test, int(cell.Test)), append(c.Component, int(cell.Component))
			c.N, c.TimeMS, c.EnergyJ = append(c.N, cell.N), append(c.TimeMS, timeMS(i)), append(c.EnergyJ, energyJ(i))
		}
	}
	return c
}
