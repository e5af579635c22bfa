package rapl

import "time"

// mirrorSlack bounds the difference between two zones that show the same counter and
// are read one after the other: the energy of one update interval.
const mirrorSlack = 50 * Millijoule

// mirrorOf returns the counter among dies that c is a mirror of, or nil. AMD's drivers
// register every die of a package with the same counter, Intel's with counters of
// their own. Their readings distinguish the two: separate counters have run since the
// machine started, and are hundreds of joules apart.
func mirrorOf(c *counter, dies []*counter, now func() time.Time) *counter {
	for _, other := range dies {
		if c.zone.wrap == other.zone.wrap && mirrored(c, other, now) {
			return other
		}
	}
	return nil
}

// mirrored reads a, b and a again: if both show the same counter, b lies between the
// two readings of a. Counters that cannot both be read are not the same.
func mirrored(a, b *counter, now func() time.Time) bool {
	var readings [3]Energy
	for i, c := range []*counter{a, b, a} {
		if err := c.start(now()); err != nil {
			return false
		}
		readings[i] = c.last
	}
	return between(readings[0], readings[1], readings[2], a.zone.wrap)
}

// between reports whether v lies in the span from lo to hi, widened by the
// slack at both ends, on a counter that wraps at wrap (0: nowhere).
func between(lo, v, hi, wrap Energy) bool {
	if wrap == 0 {
		return v+mirrorSlack >= lo && v <= hi+mirrorSlack
	}
	slack := min(mirrorSlack, wrap/1000)
	from := (lo%wrap + wrap - slack) % wrap
	distance := func(to Energy) Energy { return (to%wrap + wrap - from) % wrap }
	return distance(v) <= distance(hi)+slack
}
