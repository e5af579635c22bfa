package recording

import (
	"math"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
)

// difference replaces values by their differences, and sum does the reverse. of is how many
// columns are interleaved.
func difference(values []int64, of int) []int64 {
	list := make([]int64, len(values))
	for i, v := range values {
		list[i] = v
		if i >= of {
			list[i] -= values[i-of]
		}
	}
	return list
}

func sum(differences []int64, of int) []int64 {
	list := make([]int64, len(differences))
	for i, d := range differences {
		list[i] = d
		if i >= of {
			list[i] += list[i-of]
		}
	}
	return list
}

// Pack stores readings in columns.
func Pack(readings []attribution.Reading) Readings {
	var c Readings
	var published, updated, cpu, busy, own, joules []int64
	domains := 1
	for i, r := range readings {
		if i == 0 {
			c.Number, domains = r.Number, max(1, len(r.Joules))
		}
		published, updated = append(published, r.PublishedNS), append(updated, r.UpdatedNS)
		cpu, busy, own = append(cpu, r.CPUNS), append(busy, r.BusyNS), append(own, r.OwnNS)
		if r.Faulty {
			c.Faulty = append(c.Faulty, i)
		}
		for _, j := range r.Joules {
			joules = append(joules, int64(math.Round(j*1e6)))
		}
	}
	c.Published, c.Updated = difference(published, 1), difference(updated, 1)
	c.CPU, c.Busy, c.Own = difference(cpu, 1), difference(busy, 1), difference(own, 1)
	c.Microjoules = difference(joules, domains)
	return c
}

// Unpack is the reverse of Pack.
func (c *Readings) Unpack(domains int) []attribution.Reading {
	published, updated := sum(c.Published, 1), sum(c.Updated, 1)
	cpu, busy, own := sum(c.CPU, 1), sum(c.Busy, 1), sum(c.Own, 1)
	joules := sum(c.Microjoules, max(1, domains))
	list := make([]attribution.Reading, len(published))
	for i := range list {
		list[i] = attribution.Reading{
			Number: c.Number + uint64(i), PublishedNS: published[i], UpdatedNS: updated[i],
			CPUNS: cpu[i], BusyNS: busy[i], OwnNS: own[i],
		}
		for d := range domains {
			list[i].Joules = append(list[i].Joules, float64(joules[i*domains+d])/1e6)
		}
	}
	for _, i := range c.Faulty {
		list[i].Faulty = true
	}
	return list
}

// PackRecords stores the probes' records in columns.
func PackRecords(records []probe.Occupied) Records {
	var c Records
	for i, r := range records {
		if r.OfChild {
			c.OfChild = append(c.OfChild, i)
		}
		c.Row, c.Tick, c.RanNS = append(c.Row, r.Row), append(c.Tick, r.Tick), append(c.RanNS, math.Round(r.RanNS))
		length := int64(0)
		if r.EndNS != 0 {
			length = r.EndNS - r.StartNS
		}
		c.Start, c.Length = append(c.Start, r.StartNS), append(c.Length, length)
	}
	c.Start = difference(c.Start, 1)
	return c
}

// Unpack is the reverse of PackRecords.
func (c *Records) Unpack() []probe.Occupied {
	start := sum(c.Start, 1)
	list := make([]probe.Occupied, len(c.Row))
	for i := range list {
		list[i] = probe.Occupied{Row: c.Row[i], Tick: c.Tick[i], RanNS: c.RanNS[i]}
		if c.Length[i] != 0 {
			list[i].StartNS, list[i].EndNS = start[i], start[i]+c.Length[i]
		}
	}
	for _, i := range c.OfChild {
		list[i].OfChild = true
	}
	return list
}
