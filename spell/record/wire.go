package record

import (
	"errors"
	"fmt"

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
	w.Matrix = MatrixOf(w.Meter.Domains, w.Cells...)
	w.Cells = nil
	return checkMatrix(w.Run)
}

// checkMatrix checks the cells of r.
func checkMatrix(r *Run) error {
	m, n := &r.Matrix, len(r.Matrix.Cells)
	if len(m.EnergyJ) != n*len(r.Meter.Domains) || m.CumTimeMS != nil && (len(m.CumTimeMS) != n || len(m.CumEnergyJ) != len(m.EnergyJ)) {
		return &fault{"matrix", fmt.Sprintf("has %d cells, %d and %d cumulative energies and %d cumulative times of %d domains: they do not fit", n, len(m.EnergyJ), len(m.CumEnergyJ), len(m.CumTimeMS), len(r.Meter.Domains))}
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

// checkCell keeps cells within what the analysis can multiply and add.
func (m *Matrix) checkCell(i int) error {
	c := m.Cells[i]
	check := func(field string, v float64) error {
		at := place{"matrix", i}
		switch {
		case !amount(v):
			return notAmount(at.path(field), v)
		case v > spell.MaxValue:
			return &fault{at.path(field), fmt.Sprintf("is %v, must be at most %v", v, float64(spell.MaxValue))}
		}
		return nil
	}
	err := firstError(check("n", c.N), check("time_ms", c.TimeMS))
	for d, domain := range m.Domains {
		err = firstError(err, check("energy_j."+string(domain), m.EnergyJ[i*len(m.Domains)+d]))
		if m.CumTimeMS != nil {
			err = firstError(err, check("cum_energy_j."+string(domain), m.CumEnergyJ[i*len(m.Domains)+d]))
		}
	}
	if m.CumTimeMS != nil {
		err = firstError(err, check("cum_time_ms", m.CumTimeMS[i]))
	}
	return err
}
