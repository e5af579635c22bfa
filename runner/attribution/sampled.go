package attribution

import "spell-lsp/instrument/probe"

// A Sample says which row a thread ran at an instant, without probes.
type Sample struct {
	Thread uint64
	Row    int // -1 for none
	AtNS   int64
	RanNS  int64 // CPU time of the thread since its sample before
}

// AddSample takes a sample in, in the order of time on each thread. What ran between two samples of a
// thread is the earlier one's row for half of the CPU time, and then the later one's. With all of it
// in the later one's row, rows would seem to run half a period before they did, and their powers would
// seem more alike than they are. Where the thread waited in between, nothing tells which part ran before
// that, and all of it is the later one's.
func (o *Occupancy) AddSample(s Sample) {
	before, known := o.samples[s.Thread]
	if len(o.samples) > mostLatest {
		clear(o.samples) // most threads have ended
	}
	if o.samples == nil {
		o.samples = make(map[uint64]Sample)
	}
	o.samples[s.Thread] = s
	half := s.RanNS
	if waited := s.AtNS - before.AtNS - s.RanNS; known && waited < s.RanNS {
		half /= 2
		if before.Row >= 0 {
			o.Add(probe.Occupied{Row: uint32(before.Row), StartNS: before.AtNS, EndNS: before.AtNS + s.RanNS - half, RanNS: float64(s.RanNS - half)})
		}
	}
	if s.Row >= 0 {
		o.Add(probe.Occupied{Row: uint32(s.Row), StartNS: s.AtNS - half, EndNS: s.AtNS, RanNS: float64(half)})
	}
}
