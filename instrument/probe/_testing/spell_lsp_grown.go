// Which rows may have grown since they were logged. There are hundreds of rows in each of several shards,
// and a test of some microseconds runs a few of them: to add up all would take longer than the test.

//go:build linux && (amd64 || arm64)

package testing

// A spellGrown is what was seen of all rows the last time.
type spellGrown struct {
	rows      []bool
	calls     []uint64 // by row
	before    []uint64 // the same, the time before
	allocated [][spellAllocated]uint64
	sampled   uint64
}

func spellNewGrown(rows int) spellGrown {
	return spellGrown{
		rows: make([]bool, rows), calls: make([]uint64, rows), before: make([]uint64, rows),
		allocated: make([][spellAllocated]uint64, rows),
	}
}

// look says which rows may have grown since the last time: those with more calls or
// allocations, and those that time was charged to. After a sample any row may.
func (g *spellGrown) look(shards []spellShard, allocated [][spellAllocated]uint64) []bool {
	clear(g.rows)
	sampled := spellSampledSoFar()
	known := sampled == g.sampled
	g.sampled = sampled
	g.calls, g.before = g.before, g.calls
	clear(g.calls)
	for i := 0; i < len(shards); i += 2 {
		to, ok := spellTouched(i, shards[i].noted, g.rows)
		shards[i].noted, known = to, known && ok
		for row := range g.calls {
			g.calls[row] += shards[i].n[row]
		}
	}
	for row := range g.rows {
		if !known || g.calls[row] != g.before[row] || allocated[row] != g.allocated[row] {
			g.rows[row] = true
		}
		g.allocated[row] = allocated[row]
	}
	return g.rows
}
