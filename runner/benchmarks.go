package runner

import (
	"fmt"
	"slices"
)

// benchTime is the flag by which a benchmark runs for as long as the meter needs, and not for
// the second that is package testing's default.
var benchTime = fmt.Sprintf("-test.benchtime=%dms", resolvedMS)

// divide makes the values of a benchmark, which is called with as many operations as it has time
// for, those of one. Of an operation that stops the timer very often only a part was logged. A benchmark that ended
// before its first run was over did none that is known: 0.
func (o *observation) divide(operations float64) {
	o.operation, o.executions = true, operations
	if operations == 0 {
		o.executions = 1
	}
	o.timeMS /= o.executions
	for d := range o.joules {
		o.joules[d] /= o.executions
	}
	for s := range o.separate {
		o.separate[s] /= o.executions
	}
}

// foldBenchmarks makes one row of each benchmark and its subbenchmarks. As in package testing
// ((*B).add), one operation of the whole is one of each subbenchmark: how many each had time for
// differs.
func (r *round) foldBenchmarks() {
	whole := make(map[string]*observation)
	r.tests = slices.DeleteFunc(r.tests, func(o *observation) bool {
		if !o.operation {
			return false
		}
		of := whole[o.name]
		if top := topLevel(o.name); top != o.name {
			of = whole[top]
		}
		if of == nil {
			whole[o.name] = o
			return false
		}
		of.fold(o)
		return true
	})
}

// fold adds a subbenchmark.
func (o *observation) fold(sub *observation) {
	o.subs = append(o.subs, sub)
	o.timeMS += sub.timeMS
	for d := range o.joules {
		o.joules[d] += sub.joules[d]
	}
	for s := range o.separate {
		o.separate[s] += sub.separate[s]
	}
	o.running = o.running || sub.running
	if sub.outcome.Severity() > o.outcome.Severity() {
		o.outcome, o.output = sub.outcome, sub.output
	}
}

// repeats is how often the test was executed, or how many operations a benchmark did. Where
// subbenchmarks did different numbers, it is their mean, weighted by the time of an operation.
func (o *observation) repeats() float64 {
	if len(o.subs) == 0 {
		return o.executions
	}
	var whole float64
	o.each(func(part *observation) { whole += part.ownMS() * part.executions })
	return max(1, whole/max(o.timeMS, 1e-9))
}

// edges is how many windows of time there were: of a benchmark one for each run, as what one that stops its timer in between adds at
// the end of a window, it takes from the next.
func (o *observation) edges() float64 {
	if o.operation && o.ends > 0 {
		return min(o.windows, float64(o.ends))
	}
	if o.operation {
		return o.windows
	}
	return o.executions
}

// ownMS is the time of one execution without that of subbenchmarks.
func (o *observation) ownMS() float64 {
	own := o.timeMS
	for _, sub := range o.subs {
		own -= sub.timeMS
	}
	return max(0, own)
}

// each visits the observation and those of its subbenchmarks that have no rows of their own.
func (o *observation) each(visit func(*observation)) {
	visit(o)
	for _, sub := range o.subs {
		visit(sub)
	}
}
