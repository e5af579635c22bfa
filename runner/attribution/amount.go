package attribution

import (
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
)

// A Share is what one component used in one test.
type Share struct {
	N                     float64 // calls
	SelfNS, CumNS, WallNS float64 // CPU time without and with callees, and time from entry to exit
	ProbesNS              float64 // time of its probes, taken out of the others
	// FramesNS is what probes added to its code while it was hot, taken out likewise.
	FramesNS          float64
	Joules, CumJoules []float64 // by domain
	// Allocation is what it allocated, and Caused what the garbage collector used for that,
	// which is in none of the others. Caused.Joules is nil where nothing was.
	Allocation
	Caused Amount
	Moved  record.Bytes
}

func bytesOf(m probe.Moved) record.Bytes {
	return record.Bytes{ReadBytes: float64(m.Read), WrittenBytes: float64(m.Written), ReceivedBytes: float64(m.Received), SentBytes: float64(m.Sent)}
}

// An Amount is energy of a test that belongs to no component: CPU time, if it is a part of
// that, and joules by domain.
type Amount struct {
	NS     float64
	Joules []float64
}

// Plus adds q. The result shares memory with p, or with q if p is empty.
func (p Amount) Plus(q Amount) Amount {
	if p.Joules == nil {
		return q
	}
	for d := range q.Joules {
		p.Joules[d] += q.Joules[d]
	}
	p.NS += q.NS
	return p
}

// Divided divides p in place and returns it.
func (p Amount) Divided(by float64) Amount {
	for d := range p.Joules {
		p.Joules[d] /= by
	}
	p.NS /= by
	return p
}

// Divided divides s in place and returns it.
func (s Share) Divided(by float64) Share {
	s.N, s.SelfNS, s.CumNS, s.WallNS = s.N/by, s.SelfNS/by, s.CumNS/by, s.WallNS/by
	s.ProbesNS, s.FramesNS = s.ProbesNS/by, s.FramesNS/by
	b := &s.Moved
	b.ReadBytes, b.WrittenBytes, b.ReceivedBytes, b.SentBytes = b.ReadBytes/by, b.WrittenBytes/by, b.ReceivedBytes/by, b.SentBytes/by
	for d := range s.Joules {
		s.Joules[d] /= by
		s.CumJoules[d] /= by
	}
	s.Allocation, s.Caused = s.Allocation.Divided(by), s.Caused.Divided(by)
	return s
}

// Plus adds t. The result shares memory with s, or with t if s is empty.
func (s Share) Plus(t Share) Share {
	if s.Joules == nil {
		return t
	}
	for d := range t.Joules {
		s.Joules[d] += t.Joules[d]
		s.CumJoules[d] += t.CumJoules[d]
	}
	s.N, s.SelfNS, s.CumNS, s.WallNS = s.N+t.N, s.SelfNS+t.SelfNS, s.CumNS+t.CumNS, s.WallNS+t.WallNS
	s.ProbesNS, s.FramesNS = s.ProbesNS+t.ProbesNS, s.FramesNS+t.FramesNS
	s.Moved.Add(t.Moved)
	s.Allocation, s.Caused = s.Allocation.Plus(t.Allocation), s.Caused.Plus(t.Caused)
	return s
}

// A ProbeCost is what probes take, as measured when the program starts, in ns.
type ProbeCost struct {
	InnerNS, OuterNS float64 // a timed call: within the function's time, and within its caller's
	FrameNS          float64 // a call of a hot function: within its own code, as samples see it
	ChangeNS         float64 // a change from one block to another
}

// remove takes the probes' time out of what they measured. Cumulative time keeps the probes
// of indirect callees, which nothing tells apart from it.
func (p ProbeCost) remove(c probe.Count) Share {
	s := Share{Moved: bytesOf(c.Moved), N: float64(c.N), SelfNS: float64(c.SelfNS), CumNS: float64(c.CumNS), WallNS: float64(c.WallNS)}
	s.ProbesNS = min(s.SelfNS, float64(c.Timed+c.Literals)*p.InnerNS+float64(c.Calls)*p.OuterNS+float64(c.Switches)*p.ChangeNS/2)
	s.SelfNS -= s.ProbesNS
	s.CumNS = max(s.SelfNS, s.CumNS-s.ProbesNS)
	s.WallNS = max(s.CumNS, s.WallNS-s.ProbesNS)
	return s
}

// probeError is the relative error of a probe's cost. A component whose self time is below
// that part of the time of its probes is below resolution.
const probeError = 0.1

// Resolved says whether the self time can be told from the error of the probes' time.
func (s Share) Resolved() bool { return s.SelfNS >= probeError*(s.ProbesNS+s.FramesNS) }
