package spell

// Diagnosability says how well the tests can tell the components apart, from
// which component is active in which test alone: Perez, Abreu and van Deursen,
// "A Test-suite Diagnosability Metric for Spectrum-based Fault Localization
// Approaches", ICSE 2017. A component is active in a test if it has a cell there
// with N or time above 0. All shares are from 0 to 1, the higher the better;
// they are 0 if no test ran anything.
//
// Components and tests count as in GZoltar, the authors' tool: all components, where those
// that no test ran form one group, as they cannot be told apart; and the tests that ran
// something, as its spectra have no others.
type Diagnosability struct {
	Tests      int // that ran some component
	Components int // all of the matrix
	NotRun     int // components that no test ran; in no group below

	Density           float64 // rho: the share of all pairs of test and component in which the component is active
	NormalizedDensity float64 // 1 - |1 - 2 rho|, highest where half of the pairs are
	Diversity         float64 // Gini-Simpson: the probability that two tests differ in what they run; 0 for one test
	Uniqueness        float64 // number of groups of components that the tests cannot tell apart, of any size, per component
	DDU               float64 // NormalizedDensity x Diversity x Uniqueness

	Groups []AmbiguityGroup // of two components and more: most components first, then most tests, then by package and ID of the first member
}

// An AmbiguityGroup has components that were active in exactly the same tests: the cost of one
// may be attributed to another.
type AmbiguityGroup struct {
	Components []int     // indices, ascending
	Tests      int       // number of tests that ran them, at least 1
	Test       int       // index of the test, if it is only one; else -1
	Everywhere bool      // every test that ran something ran them
	Likeness   Likeness  // what else the members have in common
	Example    [2]int    // two members: the first by package and ID, and the first of another package or, without one, the second
	Packages   [2]string // packages of the two
}

// A Likeness says how the components of an ambiguity group are related.
type Likeness string

// The likenesses.
const (
	Unlike     Likeness = "unlike"     // of one or an unknown package, and none of the others
	CalledAs   Likeness = "called-as"  // of one or an unknown package, with the same N in each test, as if one always calls the other
	Neighbours Likeness = "neighbours" // of different packages
)

// Diagnose finds out which components the tests can tell apart. The order of tests, components
// and cells does not matter. It makes one pass over the cells, on all processors, and needs
// about 40 bytes for each test and component.
//
// Sets of tests are compared by 128-bit hashes. Two different sets collide with a probability
// of 2^-128, less than that of a memory error during the comparison; the result would be one
// group that is too large.
func Diagnose(m *Matrix) Diagnosability {
	return m.diagnose(workersFor(len(m.Cells), len(m.Tests)+len(m.Components)))
}

func (m *Matrix) diagnose(workers int) Diagnosability {
	a := m.activity(workers)
	d := Diagnosability{Components: len(m.Components)}
	d.Tests = len(a.tests) - notActive(a.tests)
	d.NotRun = notActive(a.components)
	d.Density = ratioOf(a.active(), d.Tests, d.Components)
	d.NormalizedDensity = min(2*d.Density, 2-2*d.Density)
	d.Diversity = diversity(a.tests, d.Tests)
	groups, all := a.groups()
	if d.Tests > 0 {
		d.Uniqueness = float64(all) / float64(d.Components)
	}
	d.DDU = d.NormalizedDensity * d.Diversity * d.Uniqueness
	d.Groups = m.ambiguityGroups(a, groups, d.Tests)
	return d
}

// ratioOf is part / (a x b); 0 if a or b is 0.
func ratioOf(part, a, b int) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return float64(part) / (float64(a) * float64(b))
}

// diversity is 1 - sum n (n-1) / N (N-1), with n the tests that run the same
// components, and N all of them.
func diversity(tests []pattern, active int) float64 {
	if active < 2 {
		return 0
	}
	var same int64
	for _, like := range alike(tests) {
		n := int64(len(like))
		same += n * (n - 1)
	}
	all := int64(active) * int64(active-1)
	return float64(all-same) / float64(all)
}
