package validity

import (
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// maxSizes is how many sizes a call has at most.
const maxSizes = 2

// checkSizedCalls checks the calls of a function by size: buckets that do not overlap, the smallest first.
func checkSizedCalls(at place, c *record.Component, domains []spell.Domain) error {
	const list = "sized_calls"
	if len(c.SizedCalls) > 0 && c.Kind != spell.KindFunction {
		return &Fault{at.path(list), fmt.Sprintf("is of a %s, must be of a function", c.Kind)}
	}
	if n := len(c.SizedCalls); n > maxSizes {
		return &Fault{at.path(list), fmt.Sprintf("has %d items, must have at most %d", n, maxSizes)}
	}
	for i, s := range c.SizedCalls {
		field := fmt.Sprintf("%s[%d].", list, i)
		if s.Size == "" {
			return &Fault{at.path(field + "size"), "is empty, must be a name"}
		}
		if i > 0 && s.Size == c.SizedCalls[0].Size {
			return &Fault{at.path(field + "size"), fmt.Sprintf("is %q a second time, must be unique in its component", s.Size)}
		}
		if len(s.Buckets) == 0 {
			return &Fault{at.path(field + "buckets"), "is empty, must have the calls"}
		}
		for k := range s.Buckets {
			if err := checkBucket(at, fmt.Sprintf("%sbuckets[%d].", field, k), s.Buckets[:k+1], domains); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBucket checks the last of some buckets.
func checkBucket(at place, field string, list []record.SizeBucket, domains []spell.Domain) error {
	b := &list[len(list)-1]
	if len(list) > 1 && b.Low <= list[len(list)-2].High {
		return &Fault{at.path(field + "low"), fmt.Sprintf("is %d, must be more than the high of the one before", b.Low)}
	}
	if b.High < b.Low {
		return &Fault{at.path(field + "high"), fmt.Sprintf("is %d, must be at least low, %d", b.High, b.Low)}
	}
	if !(b.Mean >= float64(b.Low)*(1-roundingError) && b.Mean <= float64(b.High)*(1+roundingError)) {
		return &Fault{at.path(field + "mean"), fmt.Sprintf("is %v, must be from low to high", b.Mean)}
	}
	if b.N == 0 {
		return &Fault{at.path(field + "n"), "is 0, must be the number of calls"}
	}
	if b.CumTimeMS < b.TimeMS {
		return &Fault{at.path(field + "cum_time_ms"), fmt.Sprintf("is %v, must be at least time_ms, %v", b.CumTimeMS, b.TimeMS)}
	}
	return firstError(
		checkNumbers(at, number{field + "n", b.N}, number{field + "time_ms", b.TimeMS}, number{field + "cum_time_ms", b.CumTimeMS}),
		checkEnergy(at, field+"energy_j", b.EnergyJ, domains),
		checkEnergy(at, field+"cum_energy_j", b.CumEnergyJ, domains),
	)
}
