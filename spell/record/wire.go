package record

import (
	"errors"
	"fmt"
	"slices"

	"spell-lsp/spell"
)

// A wire is a run with its cells as JSON has them.
type wire struct {
	*Run
	Cells []Cell `json:"matrix"`
}

// matrix puts the cells into the run, which is valid without them.
func (w *wire) matrix() error {
	for i := range w.Cells {
		c, at := &w.Cells[i], place{"matrix", i}
		err := firstError(
			inList(at, "t", c.T, len(w.Tests), "tests"),
			inList(at, "c", c.C, len(w.Components), "components"),
			checkEnergy(at, "energy_j", c.EnergyJ, w.Meter.Domains),
			checkEnergy(at, "cum_energy_j", c.CumEnergyJ, w.Meter.Domains),
		)
		if err != nil {
			return err
		}
	}
	if err := w.cumulativeOfAll(); err != nil {
		return err
	}
	w.Matrix = MatrixOf(w.domains(), w.Cells...)
	w.Cells = nil
	return checkMatrix(w.Run)
}

// domains are those of the matrix.
func (w *wire) domains() []spell.Domain {
	return componentDomains(w.Meter.Domains, w.Components, w.Cells)
}

// cumulativeOfAll checks that all cells have cumulative values or none: those of a
// part would be dropped. A time is left out where it is 0.
func (w *wire) cumulativeOfAll() error {
	energy := len(w.domains()) > 0
	known := slices.ContainsFunc(w.Cells, func(c Cell) bool {
		return c.CumEnergyJ != nil || c.CumTimeMS > 0 && !energy
	})
	for i := range w.Cells {
		c, at := &w.Cells[i], place{"matrix", i}
		switch {
		case known && energy && c.CumEnergyJ == nil:
			return &fault{at.path("cum_energy_j"), "is missing, which other cells have"}
		case (known || c.CumTimeMS > 0) && below(c.CumTimeMS, c.TimeMS):
			return lessThanSelf(at, "cum_time_ms", c.CumTimeMS, c.TimeMS)
		}
	}
	return nil
}

func lessThanSelf(at place, field string, cumulative, self float64) error {
	return &fault{at.path(field), fmt.Sprintf("is %v, must be at least the %v without callees", cumulative, self)}
}

// checkMatrix checks the cells of r.
func checkMatrix(r *Run) error {
	m, n := &r.Matrix, len(r.Matrix.Cells)
	for _, d := range m.Domains {
		if !slices.Contains(r.Meter.Domains, d) {
			return &fault{"matrix", fmt.Sprintf("has energy of %q, which is not one of the domains that meter.domains lists", d)}
		}
	}
	if len(m.EnergyJ) != n*len(m.Domains) || m.CumTimeMS != nil && (len(m.CumTimeMS) != n || len(m.CumEnergyJ) != len(m.EnergyJ)) {
		return &fault{"matrix", fmt.Sprintf("has %d cells, %d and %d cumulative energies and %d cumulative times of %d domains: they do not fit", n, len(m.EnergyJ), len(m.CumEnergyJ), len(m.CumTimeMS), len(m.Domains))}
	}
	for i, c := range m.Cells {
		at := place{"matrix", i}
		if c.Test < 0 || int(c.Test) >= len(r.Tests) || c.Component < 0 || int(c.Component) >= len(r.Components) {
			return firstError(inList(at, "t", int(c.Test), len(r.Tests), "tests"), inList(at, "c", int(c.Component), len(r.Components), "components"))
		}
		if err := m.checkCell(i); err != nil {
			return err
		}
	}
	var twice *spell.DuplicateError
	all, _ := r.spellMatrix(true)
	all.Tests, all.Cells, all.Energy = testNames(r.Tests), m.Cells, m.EnergyJ
	if errors.As(all.Validate(), &twice) {
		return &fault{fmt.Sprintf("matrix[%d]", twice.Second), fmt.Sprintf("is for the test and component of matrix[%d], must be one cell", twice.First)}
	}
	return nil
}

func testNames(tests []Test) []string {
	names := make([]string, len(tests))
	for i := range tests {
		names[i] = tests[i].Name
	}
	return names
}

// checkCell keeps cells within what the analysis can multiply and add, and sees to
// it that no part is more than the whole.
func (m *Matrix) checkCell(i int) error {
	c, at := m.Cells[i], place{"matrix", i}
	err := firstError(checkValue(at, "n", c.N), checkValue(at, "time_ms", c.TimeMS))
	for d, domain := range m.Domains {
		k := i*len(m.Domains) + d
		err = firstError(err, checkValue(at, "energy_j."+string(domain), m.EnergyJ[k]))
		if m.CumTimeMS != nil {
			err = firstError(err, checkCumulative(at, "cum_energy_j."+string(domain), m.CumEnergyJ[k], m.EnergyJ[k]))
		}
	}
	if m.CumTimeMS != nil {
		err = firstError(err, checkCumulative(at, "cum_time_ms", m.CumTimeMS[i], c.TimeMS))
	}
	return err
}

func checkValue(at place, field string, v float64) error {
	switch {
	case !amount(v):
		return notAmount(at.path(field), v)
	case v > spell.MaxValue:
		return &fault{at.path(field), fmt.Sprintf("is %v, must be at most %v", v, float64(spell.MaxValue))}
	}
	return nil
}

func checkCumulative(at place, field string, v, self float64) error {
	if err := checkValue(at, field, v); err != nil || !below(v, self) {
		return err
	}
	return lessThanSelf(at, field, v, self)
}
