package record

import (
	"slices"

	"spell-lsp/spell"
)

// A Cell is the JSON form of a cell of the matrix; T and C are indices into
// Tests and Components.
type Cell struct {
	T       int     `json:"t"`
	C       int     `json:"c"`
	N       float64 `json:"n"`
	TimeMS  float64 `json:"time_ms"`
	EnergyJ Energy  `json:"energy_j"`
	// Cumulative values count what the callees used as well, recursion once. No
	// energy means that both are not known.
	CumTimeMS  float64 `json:"cum_time_ms,omitempty"`
	CumEnergyJ Energy  `json:"cum_energy_j,omitempty"`
}

// A Matrix holds the cells of a run, at most one for each test and component. There may be
// millions: a cell takes 24 bytes, and 8 more for each value beside it.
type Matrix struct {
	Domains []spell.Domain // D of them: those of the meter but for Run.TestOnly
	Cells   []spell.Cell
	EnergyJ []float64 // self energy, in joules; that of Cells[i] is EnergyJ[i*D : (i+1)*D]
	// Cumulative values, recursion counted once; nil if they are not known.
	CumTimeMS  []float64 // milliseconds, of each cell
	CumEnergyJ []float64 // joules, like EnergyJ
}

// MatrixOf makes a matrix of cells. Energy of other domains is left out, and
// cumulative values, unless all cells have them.
func MatrixOf(domains []spell.Domain, cells ...Cell) Matrix {
	m := Matrix{Domains: domains, Cells: make([]spell.Cell, 0, len(cells)), EnergyJ: make([]float64, 0, len(cells)*len(domains))}
	if m.cumulative(cells) {
		m.CumTimeMS, m.CumEnergyJ = make([]float64, 0, len(cells)), make([]float64, 0, len(cells)*len(domains))
	}
	for i := range cells {
		m.Add(cells[i])
	}
	return m
}

// cumulative tells whether all cells have cumulative values. JSON omits a cumulative time of
// 0, so without domains one cell with such a time speaks for all, unless one of them is
// less than the self time.
func (m *Matrix) cumulative(cells []Cell) bool {
	if len(m.Domains) > 0 {
		return len(cells) > 0 && !slices.ContainsFunc(cells, func(c Cell) bool { return c.CumEnergyJ == nil })
	}
	return slices.ContainsFunc(cells, func(c Cell) bool { return c.CumTimeMS > 0 }) &&
		!slices.ContainsFunc(cells, func(c Cell) bool { return LessThanSelf(c.CumTimeMS, c.TimeMS) })
}

// LessThanSelf tells whether a cumulative value is less than the self value, by more than
// rounding.
func LessThanSelf(cumulative, self float64) bool { return cumulative < self*(1-1e-9) }

// Add appends a cell, with its cumulative values if the matrix has them.
func (m *Matrix) Add(c Cell) {
	m.Cells = append(m.Cells, spell.Cell{Test: int32(c.T), Component: int32(c.C), N: c.N, TimeMS: c.TimeMS})
	for _, d := range m.Domains {
		m.EnergyJ = append(m.EnergyJ, c.EnergyJ[d])
	}
	if m.CumTimeMS == nil {
		return
	}
	m.CumTimeMS = append(m.CumTimeMS, c.CumTimeMS)
	for _, d := range m.Domains {
		m.CumEnergyJ = append(m.CumEnergyJ, c.CumEnergyJ[d])
	}
}

// Cell is the JSON form of cell i.
func (m *Matrix) Cell(i int) Cell {
	c := m.Cells[i]
	cell := Cell{T: int(c.Test), C: int(c.Component), N: c.N, TimeMS: c.TimeMS, EnergyJ: m.Energy(i)}
	if m.CumTimeMS != nil {
		cell.CumTimeMS, cell.CumEnergyJ = m.CumTimeMS[i], m.energy(m.CumEnergyJ, i)
	}
	return cell
}

// Energy is the self energy of cell i.
func (m *Matrix) Energy(i int) Energy { return m.energy(m.EnergyJ, i) }

func (m *Matrix) energy(of []float64, i int) Energy {
	return EnergyOf(m.Domains, of[i*len(m.Domains):])
}

// TotalJ is the self energy of cell i, the sum over all domains, in joules.
func (m *Matrix) TotalJ(i int) float64 { return m.totalJ(m.EnergyJ, i) }

// CumTotalJ is TotalJ with callees. The matrix must have cumulative values.
func (m *Matrix) CumTotalJ(i int) float64 { return m.totalJ(m.CumEnergyJ, i) }

func (m *Matrix) totalJ(of []float64, i int) float64 {
	var sum float64
	for _, joules := range of[i*len(m.Domains) : (i+1)*len(m.Domains)] {
		sum += joules
	}
	return sum
}
