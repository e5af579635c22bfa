// Package spell is the SPELL analysis (SPectrum-based Energy Leak Localization,
// Pereira et al., "SPELLing Out Energy Leaks", JSS 2020; Carcao's thesis,
// Minho, 2014): the matrix of tests x components, the similarities, the
// ranking, its zones and its explanation in words.
//
// The package is pure: no files, no logs, no clock. Every function gives the
// same result for the same input.
package spell

import "strings"

// A Domain names what an energy counter covers, in SPELL's words. RAPL's
// package zones are CPU, its dram zones DRAM.
type Domain string

// The domains of the paper's Table 1, and Net.
const (
	CPU  Domain = "cpu"
	DRAM Domain = "dram"
	GPU  Domain = "gpu"
	Disk Domain = "disk"
	Fans Domain = "fans"
	Net  Domain = "net"
)

// Domains lists every known domain in the order in which they are shown.
func Domains() []Domain { return []Domain{CPU, DRAM, GPU, Disk, Fans, Net} }

// OfBytes says that the energy of the domain depends on the bytes that a program moves:
// its CPU time does not tell which function used it.
func (d Domain) OfBytes() bool { return d == Disk || d == Net }

// DomainNames are the names of domains.
func DomainNames(domains []Domain) []string {
	names := make([]string, len(domains))
	for i, d := range domains {
		names[i] = string(d)
	}
	return names
}

// DomainWords names domains in a sentence: "disk and net".
func DomainWords(domains []Domain) string { return strings.Join(DomainNames(domains), " and ") }

// A Kind is the granularity of a component.
type Kind string

// The kinds of component, from coarse to fine. A method is a Function.
const (
	KindPackage  Kind = "package"
	KindFile     Kind = "file"
	KindType     Kind = "type"
	KindFunction Kind = "function"
	KindBlock    Kind = "block"
)

// The kinds that cut across these: what ran in the goroutines that one function started, or under one
// set of labels (runtime/pprof).
const (
	KindGoroutine Kind = "goroutine"
	KindLabel     Kind = "label"
)

// AcrossFunctions tells whether components of the kind are no sums of functions: a function may
// have parts in several of them.
func (k Kind) AcrossFunctions() bool { return k == KindGoroutine || k == KindLabel }

// Kinds lists all kinds of components.
func Kinds() []Kind {
	return []Kind{KindPackage, KindFile, KindType, KindFunction, KindBlock, KindGoroutine, KindLabel}
}

// A Component is a unit that is ranked.
type Component struct {
	ID      string // the Go linker's name (pkg.F, pkg.(*T).M), or what a matrix file calls it; unique in a matrix
	Kind    Kind
	Package string // import path, "" if unknown
	File    string // relative to the workspace root, forward slashes, "" if unknown
	Line    int    // of the name, from 1; 0 if unknown
	Column  int    // of the name, in bytes from 1; 0 if unknown
	EndLine int    // of the body's closing brace; 0 if unknown
	Hash    string // of the normalised body, "" if unknown
	Structure
}

// A Cell says what one test made one component do. Its energy stands in
// Matrix.Energy.
type Cell struct {
	Test      int32   // index into Matrix.Tests
	Component int32   // index into Matrix.Components
	N         float64 // executions, 0 to MaxValue; a mean over rounds may have a fraction
	TimeMS    float64 // milliseconds the component ran, 0 to MaxValue
}

// MaxCells is how many cells of a matrix the formats read. So an input that never ends
// has an error before the memory is full.
const MaxCells = 1 << 26

// A Matrix is SPELL's spectrum (paper, section 3; eq. 1): for each test (row)
// and component (column) the energy by domain, the number of executions and
// the time. It is sparse: a component that a test did not run has no cell.
type Matrix struct {
	Domains    []Domain // the hardware domains, D of them; none if no energy is known
	Tests      []string // unique
	Components []Component
	Cells      []Cell    // any order, at most one for each test and component
	Energy     []float64 // joules, 0 to MaxValue; those of Cells[i] are Energy[i*D : (i+1)*D]
}

// Add appends a cell with its energy in joules, one value a domain.
func (m *Matrix) Add(c Cell, joules ...float64) {
	m.Cells = append(m.Cells, c)
	m.Energy = append(m.Energy, joules...)
}

// Joules returns the energy of cell i by domain, in joules. The result is a
// part of m.
func (m *Matrix) Joules(i int) []float64 {
	d := len(m.Domains)
	return m.Energy[i*d : (i+1)*d : (i+1)*d]
}
