package bisection

// A Growth is how much the cost of a function grew from one commit to another.
type Growth struct {
	Base, Head float64     // means
	Change     *float64    // relative; nil if Base is 0
	CI         *[2]float64 // its 95 % interval
}

// growthLevel is the chance of a function of which it is said that it grew, although none did.
const growthLevel = 0.05

// Grown compares values of a function that were taken in turns, two of each turn, by Student's
// t-test of their differences. tested is how many functions are compared. sure says that it grew
// beyond chance, and by at least MinChange.
func Grown(base, head []float64, tested int) (g Growth, sure bool) {
	t := test{}
	for i := range base {
		g.Base += base[i] / float64(len(base))
		g.Head += head[i] / float64(len(head))
		t.values = append(t.values, head[i]-base[i])
	}
	if len(t.values) < 2 {
		return g, false
	}
	by, se, freedom := t.mean()
	if g.Base > 0 {
		half := t.halfWidth() / g.Base
		change := g.Head/g.Base - 1
		middle := by / g.Base
		g.Change, g.CI = &change, &[2]float64{min(middle-half, change), max(middle+half, change)}
	}
	return g, by > 0 && by >= MinChange*g.Base && twoSided(by, se, freedom) <= growthLevel/float64(max(1, tested))
}
