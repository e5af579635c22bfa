package validation

import (
	"fmt"
	"math"
	"slices"

	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

// mixture is one measurement of several workloads in one test, per round.
type mixture struct {
	counterJ, idleJ, restJ, referencesJ, scale float64
	slower                                     float64
	of                                         map[string]Difference
}

// above is the counter's gain that the workloads should explain.
func (x *mixture) above() float64 { return x.counterJ - x.idleJ - x.restJ }

// mixtureOf compares one measurement with the references. With scaled, only the division among the
// workloads is compared: together they get what the counter says. What runs at once shares parts of the
// processor, so that the powers alone need not add up on any machine.
func (r *Result) mixtureOf(run *record.Run, test string, callMS map[string]float64, scaled bool) (*mixture, error) {
	t := testNamed(run, test)
	if t == nil {
		return nil, fmt.Errorf("%s: %w", test, errIncomplete)
	}
	x := &mixture{counterJ: joules(t.EnergyJ), idleJ: r.IdleW * t.TimeMS / 1e3, restJ: rest(t), of: make(map[string]Difference)}
	var alone, now, attributed float64 // CPU time of the calls as alone and as it was
	for _, w := range r.Workloads {
		c := componentNamed(run, w.Name)
		if c == nil {
			return nil, fmt.Errorf("%s: %s: %w", test, w.Name, errIncomplete)
		}
		d := Difference{Calls: c.N, ReferenceJ: w.AloneW.Value * c.TimeMS / 1e3, AttributedJ: joules(c.EnergyJ)}
		low, high, ok := c.EnergyInterval()
		if d.Unknown = !ok || d.AttributedJ <= 0; !d.Unknown {
			d.Error.Half = (high - low) / 2 / d.AttributedJ
		}
		x.of[w.Name] = d
		x.referencesJ += d.ReferenceJ
		attributed += d.AttributedJ
		if w.Name != Waiting {
			alone, now = alone+callMS[w.Name]*c.N, now+c.TimeMS
		}
	}
	x.slower, x.scale = relative(now, alone), 1
	if scaled {
		x.scale = x.above() / x.referencesJ
	}
	for _, w := range r.Workloads {
		d := x.of[w.Name]
		if w.Name == Waiting {
			d.Error = Figure{Value: d.AttributedJ / math.Max(attributed, 1e-9)}
		} else {
			d.Error.Value = relative(d.AttributedJ, d.ReferenceJ*x.scale)
			d.Error.Half = math.Hypot(d.Error.Half, w.AloneW.Half/math.Abs(w.AloneW.Value)) * math.Abs(1+d.Error.Value)
		}
		x.of[w.Name] = d
	}
	return x, nil
}

// phase compares all measurements of one kind, and fills in the differences of the workloads by set.
func (r *Result) phase(m Measurements, runs []*record.Run, test string, scaled bool, set func(*Workload, *Difference)) (*Phase, error) {
	callMS := make(map[string]float64)
	for _, w := range r.Workloads {
		if a, b := componentNamed(m.Start, w.Name), componentNamed(m.End, w.Name); a != nil && b != nil && a.N > 0 && b.N > 0 {
			callMS[w.Name] = (a.TimeMS/a.N + b.TimeMS/b.N) / 2
		}
	}
	var list []*mixture
	p := &Phase{Measurements: len(runs)}
	n := float64(len(runs))
	var apart []float64
	for _, run := range runs {
		x, err := r.mixtureOf(run, test, callMS, scaled)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
		p.CounterJ, p.IdleJ, p.RestJ = p.CounterJ+x.counterJ/n, p.IdleJ+x.idleJ/n, p.RestJ+x.restJ/n
		p.ReferencesJ, p.Slower = p.ReferencesJ+x.referencesJ/n, p.Slower+x.slower/n
		apart = append(apart, relative(x.above(), x.referencesJ))
	}
	p.Additivity = meanOf(apart)
	var variance float64 // of the sum of the references
	var errs, halves []float64
	for i := range r.Workloads {
		w := &r.Workloads[i]
		d := together(w.Name, list)
		set(w, d)
		if w.Name == Waiting {
			p.WaitingPart = d.Error.Value
			continue
		}
		if d.Unknown {
			p.Unknown++
		}
		errs, halves = append(errs, math.Abs(d.Error.Value)), append(halves, d.Error.Half)
		p.WorstError = max(p.WorstError, math.Abs(d.Error.Value))
		half := d.ReferenceJ * w.AloneW.Half / math.Abs(w.AloneW.Value)
		variance += half * half
	}
	p.MedianError, p.MedianHalf, p.WorstHalf = significance.Median(errs), significance.Median(halves), slices.Max(halves)
	p.Additivity.Half = math.Hypot(p.Additivity.Half, math.Sqrt(variance)/math.Abs(p.ReferencesJ))
	return p, nil
}

// together is the mean of the differences of a workload, with the spread of its error.
func together(workload string, list []*mixture) *Difference {
	all, n := Difference{}, float64(len(list))
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range list {
		d := x.of[workload]
		all.Calls += d.Calls / n
		all.ReferenceJ, all.AttributedJ = all.ReferenceJ+d.ReferenceJ/n, all.AttributedJ+d.AttributedJ/n
		all.Error.Value, all.Error.Half = all.Error.Value+d.Error.Value/n, all.Error.Half+d.Error.Half/n
		all.Unknown = all.Unknown || d.Unknown
		low, high = min(low, d.Error.Value), max(high, d.Error.Value)
	}
	all.Spread = high - low
	return &all
}
