package validation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// joules is the energy of the processor and its memory. Other domains are not attributed by time.
func joules(e record.Energy) float64 { return e[spell.CPU] + e[spell.DRAM] }

// rest is the energy of a test that belongs to parts of the program, and to others, and would not be
// there while the machine waits.
func rest(t *record.Test) (sum float64) {
	for part, u := range t.Unattributed {
		if part != record.Idle && part != record.Sampler {
			sum += joules(u.EnergyJ)
		}
	}
	return sum
}

func testNamed(r *record.Run, name string) *record.Test {
	for i := range r.Tests {
		if t := &r.Tests[i]; strings.HasSuffix(t.Name, "."+name) && t.Outcome == record.Pass {
			return t
		}
	}
	return nil
}

func componentNamed(r *record.Run, name string) *record.Component {
	for i := range r.Components {
		if c := &r.Components[i]; c.ID == Module+"."+name {
			return c
		}
	}
	return nil
}

// roundJoules is the energy of a test by round.
func roundJoules(t *record.Test) []float64 {
	sum := slices.Clone(t.RoundEnergyJ[spell.CPU])
	for i, more := range t.RoundEnergyJ[spell.DRAM] {
		if i < len(sum) {
			sum[i] += more
		}
	}
	return sum
}

// errIncomplete says that a record lacks a test or a function.
var errIncomplete = errors.New("a workload did not run in every round")

// counterWatts is the power during a test by the counter, by round.
func counterWatts(r *record.Run, test string) ([]float64, error) {
	t := testNamed(r, test)
	if t == nil || len(t.RoundTimeMS) == 0 || len(roundJoules(t)) != len(t.RoundTimeMS) {
		return nil, fmt.Errorf("%s: %w", test, errIncomplete)
	}
	watts := roundJoules(t)
	for i := range watts {
		watts[i] /= t.RoundTimeMS[i] / 1e3
	}
	return watts, nil
}

// waitingWatts is the power of the waiting machine, by round, without other processes and the program.
func waitingWatts(r *record.Run) ([]float64, error) {
	watts, err := counterWatts(r, AloneTest(Waiting))
	if err != nil {
		return nil, err
	}
	t := testNamed(r, AloneTest(Waiting))
	for i := range watts {
		watts[i] -= rest(t) / (t.RoundTimeMS[i] / 1e3)
	}
	return watts, nil
}

// aloneWatts is the power of a workload alone, by round, and the CPU time of a call in ms.
func aloneWatts(r *record.Run, workload string, waiting []float64) (watts []float64, callMS float64, err error) {
	t, c := testNamed(r, AloneTest(workload)), componentNamed(r, workload)
	n := len(waiting)
	if t == nil || c == nil || c.N == 0 || len(t.RoundTimeMS) != n || len(roundJoules(t)) != n || len(c.RoundTimeMS) != n {
		return nil, 0, fmt.Errorf("%s: %w", AloneTest(workload), errIncomplete)
	}
	for i, gain := range roundJoules(t) {
		watts = append(watts, (gain-waiting[i]*t.RoundTimeMS[i]/1e3-rest(t))/(c.RoundTimeMS[i]/1e3))
	}
	return watts, c.TimeMS / c.N, nil
}

// meanOf is the mean of values with its 95 % interval by Student's distribution. One value has none.
func meanOf(values []float64) Figure {
	var mean float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	if len(values) < 2 {
		return Figure{Value: mean}
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(len(values) - 1)}.Quantile(0.975)
	return Figure{mean, t * record.MeanError(values, nil)}
}

// rangeOf is between the largest and the smallest value, relative to the mean.
func rangeOf(values []float64) float64 {
	return (slices.Max(values) - slices.Min(values)) / math.Max(math.Abs(meanOf(values).Value), 1e-9)
}

func relative(got, want float64) float64 {
	if want == 0 {
		return 0
	}
	return got/want - 1
}

// OthersOf is the share of the processors' time that other processes used while workloads ran alone.
func OthersOf(r *record.Run) float64 {
	var others, all float64
	for i := range r.Tests {
		t := &r.Tests[i]
		others += t.Unattributed[record.Others].TimeMS
		all += t.TimeMS * float64(r.Host.Cores)
	}
	return others / math.Max(all, 1e-9)
}

// alone fills in the references: start and end, and all rounds together.
func (r *Result) alone(m Measurements) error {
	var each [2]struct {
		watts map[string][]float64
		ms    map[string]float64
	}
	var idle []float64
	for i, run := range []*record.Run{m.Start, m.End} {
		waiting, err := waitingWatts(run)
		if err != nil {
			return err
		}
		idle = append(idle, waiting...)
		each[i].watts, each[i].ms = make(map[string][]float64), make(map[string]float64)
		for _, w := range Workloads[:len(Workloads)-1] {
			if each[i].watts[w.Name], each[i].ms[w.Name], err = aloneWatts(run, w.Name, waiting); err != nil {
				return err
			}
		}
	}
	r.IdleW = meanOf(idle).Value
	for _, w := range Workloads {
		start, end := each[0].watts[w.Name], each[1].watts[w.Name]
		one := Workload{Name: w.Name}
		if w.Name != Waiting {
			one.AloneW, one.StartW, one.EndW = meanOf(slices.Concat(start, end)), meanOf(start), meanOf(end)
			one.Range = max(rangeOf(start), rangeOf(end))
			one.Slower = relative(each[1].ms[w.Name], each[0].ms[w.Name])
		}
		r.Workloads = append(r.Workloads, one)
	}
	return nil
}
