package recording

import (
	"maps"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
)

// A Test is one execution of one test.
type Test struct {
	Name     string
	Interval *attribution.Interval
}

// Replay feeds a recording to a model, batch by batch as it was collected, and returns the model
// and the tests of each execution, in the order in which they began.
func (r *Recording) Replay() (*attribution.Model, [][]Test) {
	model := attribution.NewModel(r.Machine, len(r.Components), true)
	model.SetRest(r.Rest)
	list := make([][]Test, len(r.Executions))
	for i := range r.Executions {
		list[i] = r.replay(&r.Executions[i], model)
	}
	return model, list
}

// Hot lists the components that were hot at the end of the last execution.
func (r *Recording) Hot() []probe.Hot { return r.Executions[len(r.Executions)-1].Hot }

func (r *Recording) replay(e *Execution, model *attribution.Model) []Test {
	line := attribution.NewTimeline(&r.Machine)
	occupancy := attribution.NewOccupancy(line)
	for _, d := range e.Descendants {
		line.AddDescendants(d[0], d[1], d[2])
	}
	readings, records := e.Readings.Unpack(len(r.Machine.Domains)), e.Records.Unpack()
	from := [2]int{}
	for i, to := range e.Takes {
		for _, reading := range readings[from[0]:to[0]] {
			line.Add(reading)
		}
		for _, record := range records[from[1]:to[1]] {
			occupancy.Add(record)
		}
		occupancy.Lost(false)
		model.Add(line, occupancy.Settle(i == len(e.Takes)-1))
		from = to
	}
	line.RefineDescendants(e.Log.Waits)
	return tests(&r.Machine, line, &e.Log)
}

func tests(machine *attribution.Machine, line *attribution.Timeline, log *probe.Log) []Test {
	var list []Test
	at := make(map[string]int)
	cost := attribution.ProbeCost{InnerNS: log.InnerNS, OuterNS: log.OuterNS, FrameNS: log.FrameNS, ChangeNS: log.SwitchNS}
	for _, w := range log.Windows {
		counts := make(map[int]probe.Count, len(w.Counts)) // summed over intervals
		maps.Copy(counts, w.Counts)
		w.Counts, w.StraysNS = counts, maps.Clone(w.StraysNS)
		v := line.Interval(machine, w, cost)
		if i, seen := at[w.Test]; seen {
			list[i].Interval.Add(v)
			continue
		}
		at[w.Test] = len(list)
		list = append(list, Test{w.Test, v})
	}
	return list
}
