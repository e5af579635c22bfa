package pooling

import (
	"math"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// A call is a component under one caller, both as indices into the pooled run.
type call struct{ caller, callee int }

// A callerPower adds up what parts say of the power of a component under a caller. Powers and halves of
// intervals are relative, multiplied by milliseconds.
type callerPower struct {
	timeMS, fittedMS, knownMS float64 // of all parts, of those with a power, of those with an interval
	power, squares            float64
	byTime                    record.ByTime
}

// addCalls adds the call trees. The power of a component under a caller is the mean of the parts' by time,
// where most of the time has one.
func (s *sum) addCalls() {
	var all calltree.Forest
	powers := make(map[call]*callerPower)
	for i := range s.parts {
		r, share := s.parts[i].Run, s.share(&s.parts[i])
		of := func(component int) int { return s.components[r.Components[component].ID] }
		all.Add(r.CallTree, share, of)
		eachCall(r.CallTree, of, func(n *record.CallNode, c call) {
			p := powers[c]
			if p == nil {
				p = &callerPower{byTime: n.ByTime}
				powers[c] = p
			}
			p.add(n, share*n.TimeMS)
		})
	}
	calltree.Set(s.Run, all.Nodes())
	eachCall(s.CallTree, func(component int) int { return component }, func(n *record.CallNode, c call) { powers[c].fill(n) })
}

// eachCall visits the nodes whose caller is known.
func eachCall(nodes []record.CallNode, of func(component int) int, visit func(*record.CallNode, call)) {
	for i := range nodes {
		n, caller := &nodes[i], calltree.NoComponent
		if n.Parent >= 0 {
			caller = of(nodes[n.Parent].Component)
		}
		if !n.Cut {
			visit(n, call{caller, of(n.Component)})
		}
	}
}

func (p *callerPower) add(n *record.CallNode, ms float64) {
	p.timeMS += ms
	if n.Power > 0 {
		p.fittedMS, p.power = p.fittedMS+ms, p.power+ms*n.Power
	}
	if n.PowerCI != [2]float64{} {
		half := ms * (n.PowerCI[1] - n.PowerCI[0]) / 2
		p.knownMS, p.squares = p.knownMS+ms, p.squares+half*half
	}
	if n.ByTime == "" || p.byTime == "" {
		p.byTime = ""
	}
}

func (p *callerPower) fill(n *record.CallNode) {
	if p.fittedMS <= p.timeMS/2 {
		if n.ByTime = p.byTime; p.fittedMS > 0 {
			n.ByTime = record.Few
		}
		return
	}
	n.Power = p.power / p.fittedMS
	if p.knownMS >= p.fittedMS {
		half := math.Sqrt(p.squares) / p.knownMS
		n.PowerCI = [2]float64{max(0, n.Power-half), n.Power + half}
	}
}
