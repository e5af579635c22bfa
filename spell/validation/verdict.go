package validation

import (
	"fmt"
	"math"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// Compare fills in a result, whose machine and meter are known, from the measurements.
func (r *Result) Compare(m Measurements, bars Bars) error {
	r.Schema = Schema
	r.Others = math.Max(OthersOf(m.Start), OthersOf(m.End))
	for _, run := range []*record.Run{m.Start, m.End} {
		if v, why, err := Unfit(run, bars); v != "" || err != nil {
			r.Refuse(v, why)
			return err
		}
	}
	if err := r.alone(m); err != nil {
		return err
	}
	r.Sources = m.Sources
	var err error
	r.Mixed, err = r.phase(m, m.Mixed, MixedTest, false, func(w *Workload, d *Difference) { w.Mixed = d })
	if err == nil && len(m.Concurrent) > 0 {
		r.Concurrent, err = r.phase(m, m.Concurrent, ConcurrentTest, true, func(w *Workload, d *Difference) { w.Concurrent = d })
	}
	if err != nil {
		return err
	}
	for _, judge := range []func(Bars) (Verdict, string){r.steadiness, r.additivity, r.agreement, r.evenness, r.errors, r.certainty} {
		if r.Verdict, r.Why = judge(bars); r.Verdict != "" {
			return nil
		}
	}
	r.Verdict, r.Why = Validated, fmt.Sprintf("Attribution agrees with the counter: mixed workloads have a median error of %s, the worst %s.", percent(r.Mixed.MedianError), percent(r.Mixed.WorstError))
	return nil
}

// Refuse ends a validation without figures.
func (r *Result) Refuse(v Verdict, why string) {
	r.Schema, r.Verdict, r.Why = Schema, v, why
	r.Workloads, r.Mixed, r.Concurrent, r.Sources, r.IdleW = nil, nil, nil, nil, 0
}

// Unfit says why a record of workloads alone gives no references; "" if it does.
func Unfit(r *record.Run, bars Bars) (Verdict, string, error) {
	if why := busy(r, bars); why != "" {
		return Busy, why, nil
	}
	waiting, err := counterWatts(r, AloneTest(Waiting))
	if err != nil {
		return "", "", err
	}
	seen, idle := 0, meanOf(waiting).Value
	for _, w := range Workloads {
		watts, err := counterWatts(r, AloneTest(w.Name))
		if err != nil {
			return "", "", err
		}
		for i := range watts {
			watts[i] -= waiting[min(i, len(waiting)-1)]
		}
		// A gain that is large, but not certain, is no sign of a blind counter: later verdicts judge its interval.
		if more := meanOf(watts); more.Value > more.Half && more.Value > 0.01*idle || more.Value > 0.1*idle {
			seen++
		}
	}
	if 2*seen < len(Workloads)-1 {
		return Blind, "The counter advances, but not with the load: while a processor was busy it gained no more than while the machine waited. It may be the counter of another machine, or a constant.", nil
	}
	return "", "", nil
}

// busy says why the machine was too busy while workloads ran alone; "" if it was not. Bars without a limit
// for other processes have none for the host of a virtual machine either.
func busy(r *record.Run, bars Bars) string {
	limit := bars.OthersLimit(r.Host.Cores)
	if others := OthersOf(r); others > limit {
		return fmt.Sprintf("Other processes used %s of the processors' time while workloads ran alone, more than %s: the counter has their energy too, so no figure is given. End them, or try again at another time.", percent(others), percent(limit))
	}
	stolen := slices.ContainsFunc(r.AllNotes(), func(n note.Note) bool {
		cause, _ := n.Args["cause"].(note.Note)
		return n.Code == note.CountsAlthoughCode && cause.Code == note.StolenCode
	})
	if stolen && bars.Others < 1 {
		return "The host of this virtual machine took processors away while workloads ran alone (steal time), again and again: no figure is given. Try again at another time, or on a machine of its own."
	}
	return ""
}

// steadiness asks whether the references held from start to end.
func (r *Result) steadiness(bars Bars) (Verdict, string) {
	for _, w := range r.Workloads {
		change := relative(w.EndW.Value, w.StartW.Value)
		if math.Abs(change) > bars.Additivity && math.Abs(w.EndW.Value-w.StartW.Value) > w.StartW.Half+w.EndW.Half {
			seen := fmt.Sprintf("Alone, %s drew %s at the start and %s at the end (%s)", w.Name, units.Quantity(w.StartW.Value, "W"), units.Quantity(w.EndW.Value, "W"), units.Change(change))
			return blame(seen, w.Slower, bars)
		}
	}
	return "", ""
}

// evenness asks whether the rounds of the references agree. Few rounds that differ may do so by chance: they
// have no intervals of their own.
func (r *Result) evenness(bars Bars) (Verdict, string) {
	for _, w := range r.Workloads {
		if w.Range > bars.Unsteady {
			return Undecided, fmt.Sprintf("Alone, the rounds of %s differ by %s of their mean (bar %s): its power is not known well enough to compare anything with it. A longer validation or a quieter machine may tell.", w.Name, percent(w.Range), percent(bars.Unsteady))
		}
	}
	return "", ""
}

func percent(share float64) string { return units.Percent(share) + " %" }

// blame says whether the machine changed or the counter contradicts itself.
func blame(seen string, slower float64, bars Bars) (Verdict, string) {
	if math.Abs(slower) > bars.Slower {
		return Changed, fmt.Sprintf("%s, and the CPU time of the same work changed by %s: the machine itself changed, as by its frequency, heat or other load. Hold the frequency (spell-lsp doctor --fix) and try again.", seen, units.Change(slower))
	}
	return Contradictory, seen + ", while the same work took the same CPU time: the counter contradicts itself."
}

// additivity asks whether the counter agrees with the sum of the references over whole rounds. Attributed
// energies add up to the counter, so no error of attribution can make it disagree.
func (r *Result) additivity(bars Bars) (Verdict, string) {
	a := r.Mixed.Additivity
	if math.Abs(a.Value) <= bars.Additivity || math.Abs(a.Value) <= a.Half {
		return "", ""
	}
	v, why := blame(fmt.Sprintf("In total, the counter gained %s for the mixed workloads, compared with the same workloads alone", units.Change(a.Value)), r.Mixed.Slower, bars)
	if v == Contradictory {
		why += " Or this machine draws another power where work and waits follow each other within milliseconds, as some sleep states do: what attribution says of such programs is then not proved either."
	}
	return v, why
}

// agreement asks the second sources.
func (r *Result) agreement(bars Bars) (Verdict, string) {
	for _, s := range r.Sources {
		apart := relative(s.SourceJ, s.CounterJ)
		switch {
		case s.Failed != "":
			continue
		case s.Whole && apart < -bars.Additivity:
			return Contradictory, fmt.Sprintf("%s, which covers the whole machine, gained %s less than the counter of a part of it: one of them is wrong.", s.Name, percent(-apart))
		case !s.Whole && math.Abs(apart) > bars.Twin:
			return Contradictory, fmt.Sprintf("%s reads the same energy and gained %s than the counter: one of them is wrong.", s.Name, units.Change(apart))
		}
	}
	return "", ""
}

// errors asks whether the errors are within the bars.
func (r *Result) errors(bars Bars) (Verdict, string) {
	for i, p := range []*Phase{r.Mixed, r.Concurrent} {
		if p != nil && (p.MedianError > bars.Median || p.WorstError > bars.Worst || p.WaitingPart > bars.Waiting) {
			return Beyond, fmt.Sprintf("Attribution differs from the counter by more than the bars: the %s workloads have a median error of %s (bar %s), the worst %s (bar %s), and waiting got %s of the energy (bar %s).", []string{"mixed", "concurrent"}[i],
				percent(p.MedianError), percent(bars.Median), percent(p.WorstError), percent(bars.Worst), percent(p.WaitingPart), percent(bars.Waiting))
		}
	}
	return "", ""
}

// certainty asks whether the intervals are known, and narrow enough to say that all is well. The sum of what
// ran at once is in no error.
func (r *Result) certainty(bars Bars) (Verdict, string) {
	const may = " A longer validation or a quieter machine may tell."
	for i, p := range []*Phase{r.Mixed, r.Concurrent} {
		kind := []string{"mixed", "concurrent"}[i]
		switch {
		case p == nil:
		case p.Unknown > 0:
			return Undecided, fmt.Sprintf("No error is beyond the bars, but the errors of %s have no interval among the %s ones.", units.Plural(p.Unknown, "workload"), kind) + may
		case p.WorstHalf > bars.Worst:
			return Undecided, fmt.Sprintf("No error is beyond the bars, but the intervals are too wide to say that all is well: up to ± %s for a workload of the %s ones, where %s is needed.", percent(p.WorstHalf), kind, percent(bars.Worst)) + may
		case p.MedianHalf > bars.Interval:
			return Undecided, fmt.Sprintf("No error is beyond the bars, but the intervals are too wide to say that all is well: ± %s for a workload of the %s ones, where %s is needed.", percent(p.MedianHalf), kind, percent(bars.Interval)) + may
		}
	}
	if half := r.Mixed.Additivity.Half; half > bars.Interval {
		return Undecided, fmt.Sprintf("No error is beyond the bars, but the interval is too wide to say that all is well: ± %s for the sum of the mixed workloads, where %s is needed.", percent(half), percent(bars.Interval)) + may
	}
	return "", ""
}
