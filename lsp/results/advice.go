package results

import (
	"spell-lsp/spell/advice"
	"spell-lsp/spell/record"
)

// Advice is what to change in the functions of a result, by their IDs, with prices.
type Advice map[string][]Advised

// An Advised is an advice whose place follows its function.
type Advised struct {
	advice.Advice
	Offset int // of its first line from that of its function
}

// WithAdvice returns the result with what analysers found in the source as it is now, where lineOf
// says on which line a function begins, as in [advice.PriceNow].
func (r *Result) WithAdvice(findings []advice.Finding, lineOf func(*record.Component) (line int, ok bool)) *Result {
	changed := *r
	changed.Advice = Advice{}
	run := r.Counted()
	list, _ := advice.PriceNow(run, findings, lineOf)
	for _, a := range list {
		c := &run.Components[a.Component]
		if line, ok := lineOf(c); ok {
			changed.Advice[c.ID] = append(changed.Advice[c.ID], Advised{a, a.Line - line})
		}
	}
	return &changed
}

// KnowsLines reports whether the run says in which lines its functions spend their time: without
// that, nothing has a price.
func (r *Result) KnowsLines() bool {
	for i := range r.Run.Components {
		if len(r.Run.Components[i].Lines) > 0 {
			return true
		}
	}
	return false
}
