package validity

import (
	"errors"
	"fmt"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Cells checks cells in their JSON form, which are not yet in the matrix of r: that
// they are of its tests, components and domains. Matrix checks their numbers.
func Cells(r *record.Run, cells []record.Cell) error {
	for i := range cells {
		c, at := &cells[i], place{"matrix", i}
		err := firstError(
			inList(at, "t", c.T, len(r.Tests), "tests"),
			inList(at, "c", c.C, len(r.Components), "components"),
			checkEnergy(at, "energy_j", c.EnergyJ, r.Meter.Domains),
			checkEnergy(at, "cum_energy_j", c.CumEnergyJ, r.Meter.Domains),
		)
		if err != nil {
			return err
		}
	}
	return cumulativeOfAll(cells, len(r.CellDomains(cells)) > 0)
}

// cumulativeOfAll checks that all cells have cumulative values or none: the matrix
// drops those that only some have. JSON leaves a time out where it is 0.
func cumulativeOfAll(cells []record.Cell, energy bool) error {
	known := slices.ContainsFunc(cells, func(c record.Cell) bool {
		return c.CumEnergyJ != nil || c.CumTimeMS > 0 && !energy
	})
	for i := range cells {
		c, at := &cells[i], place{"matrix", i}
		switch {
		case known && energy && c.CumEnergyJ == nil:
			return &Fault{at.path("cum_energy_j"), "is missing, which other cells have"}
		case (known || c.CumTimeMS > 0) && record.LessThanSelf(c.CumTimeMS, c.TimeMS):
			return lessThanSelf(at, "cum_time_ms", c.CumTimeMS, c.TimeMS)
		}
	}
	return nil
}

func lessThanSelf(at place, field string, cumulative, self float64) error {
	return &Fault{at.path(field), fmt.Sprintf("is %v, must be at least the %v without callees", cumulative, self)}
}

// Matrix reports the first fault of the matrix of r, which is valid otherwise.
func Matrix(r *record.Run) error {
	m, n := &r.Matrix, len(r.Matrix.Cells)
	for _, d := range m.Domains {
		if !slices.Contains(r.Meter.Domains, d) {
			return &Fault{"matrix", fmt.Sprintf("has energy of %q, which is not one of the domains that meter.domains lists", d)}
		}
	}
	if len(m.EnergyJ) != n*len(m.Domains) || m.CumTimeMS != nil && (len(m.CumTimeMS) != n || len(m.CumEnergyJ) != len(m.EnergyJ)) {
		return &Fault{"matrix", fmt.Sprintf("has %d cells, %d and %d cumulative energies and %d cumulative times of %d domains: they do not fit", n, len(m.EnergyJ), len(m.CumEnergyJ), len(m.CumTimeMS), len(m.Domains))}
	}
	for i, c := range m.Cells {
		at := place{"matrix", i}
		if c.Test < 0 || int(c.Test) >= len(r.Tests) || c.Component < 0 || int(c.Component) >= len(r.Components) {
			return firstError(inList(at, "t", int(c.Test), len(r.Tests), "tests"), inList(at, "c", int(c.Component), len(r.Components), "components"))
		}
		if err := checkCell(m, i); err != nil {
			return err
		}
	}
	var twice *spell.DuplicateError
	all := &spell.Matrix{Domains: m.Domains, Tests: testNames(r.Tests), Components: r.Sources(), Cells: m.Cells, Energy: m.EnergyJ}
	if errors.As(all.Validate(), &twice) {
		return &Fault{fmt.Sprintf("matrix[%d]", twice.Second), fmt.Sprintf("is for the test and component of matrix[%d], must be one cell", twice.First)}
	}
	return nil
}

func testNames(tests []record.Test) []string {
	names := make([]string, len(tests))
	for i := range tests {
		names[i] = tests[i].Name
	}
	return names
}

// checkCell keeps values within the range that the analysis can multiply and add, and self
// values within cumulative ones.
func checkCell(m *record.Matrix, i int) error {
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
	case !isAmount(v):
		return notAmount(at.path(field), v)
	case v > spell.MaxValue:
		return &Fault{at.path(field), fmt.Sprintf("is %v, must be at most %v", v, float64(spell.MaxValue))}
	}
	return nil
}

func checkCumulative(at place, field string, v, self float64) error {
	if err := checkValue(at, field, v); err != nil || !record.LessThanSelf(v, self) {
		return err
	}
	return lessThanSelf(at, field, v, self)
}
