package report

import (
	"math"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/record"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/scaling/rendering"
)

// A growth is how the cost of a benchmark or component grows with a size: points, and the formula as a curve with
// its 95 % interval.
type growth struct {
	Subject   string  `json:"subject"`
	Component int     `json:"component"` // -1: a benchmark
	Series    string  `json:"series,omitempty"`
	Sentence  string  `json:"sentence"`
	Size      string  `json:"size"` // its name
	Unit      string  `json:"unit"` // J or ms
	Sizes     numbers `json:"sizes"`
	Costs     numbers `json:"costs"`
	Low       numbers `json:"low"`
	High      numbers `json:"high"`
	Curve     curve   `json:"curve"`
}

// A curve has a point at each size; those from Extrapolated on are beyond what was seen.
type curve struct {
	Sizes        numbers `json:"sizes"`
	Costs        numbers `json:"costs"`
	Low          numbers `json:"low"`
	High         numbers `json:"high"`
	Extrapolated int     `json:"extrapolated"`
}

const (
	maxGrowths = 100
	curveSteps = 24 // within the sizes that were seen
	curveMore  = 8  // beyond them, up to ten times the largest
)

// newGrowths are those with a formula of one size; a plot of two would need a third axis.
func newGrowths(r *record.Run) []growth {
	all, err := scaling.Of(r, scaling.Options{})
	if err != nil {
		return nil // it has no sizes
	}
	index := make(map[string]int, len(r.Components))
	for i := range r.Components {
		index[r.Components[i].ID] = i
	}
	var list []growth
	for i := range all.Growths {
		if g := &all.Growths[i]; g.Reason == "" && len(g.Sizes) == 1 && len(list) < maxGrowths {
			list = append(list, newGrowth(g, index))
		}
	}
	return list
}

func newGrowth(of *scaling.Growth, index map[string]int) growth {
	g := growth{Subject: of.Subject, Component: -1, Series: of.Series, Sentence: rendering.Sentence(of), Size: of.Sizes[0], Unit: "ms"}
	if i, ok := index[of.Subject]; ok && of.Component {
		g.Component = i
	}
	if of.Quantity == alternatives.Energy {
		g.Unit = "J"
	}
	for _, p := range of.Points {
		half := record.Normal95 * p.Error
		g.Sizes, g.Costs = append(g.Sizes, p.Sizes[0]), append(g.Costs, p.Cost)
		g.Low, g.High = append(g.Low, max(0, p.Cost-half)), append(g.High, p.Cost+half)
	}
	g.Curve = newCurve(of)
	return g
}

// newCurve has sizes in equal steps of their logarithm.
func newCurve(of *scaling.Growth) curve {
	c := curve{Extrapolated: curveSteps + 1}
	from, to := of.Ranges[0].Min, of.Ranges[0].Max
	step := math.Log(to/from) / curveSteps
	for i := range curveSteps + curveMore + 1 {
		size := from * math.Exp(step*float64(i))
		if i >= curveSteps {
			size = to * math.Pow(10, float64(i-curveSteps)/curveMore)
		}
		p, _ := of.Formula.Predict(size)
		c.Sizes, c.Costs = append(c.Sizes, size), append(c.Costs, p.Cost)
		c.Low, c.High = append(c.Low, p.Low), append(c.High, p.High)
	}
	return c
}
