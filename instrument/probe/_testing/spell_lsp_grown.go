// Which rows may have grown since they were logged. There are hundreds of rows in each of several shards,
// and a test of some microseconds runs a few of them: to add up all would take longer than the test.

//go:build linux && (amd64 || arm64)

package testing

import "unsafe"

// A spellGrown is what was seen of all rows the last time.
type spellGrown struct {
	rows      []bool
	calls     [][]uint64 // by shard and row; nil for those of strays
	allocated []uint64   // words of rows
	samples   []uint64   // the same
	noted     []uint64   // by shard, see spellTouched
	sampled   uint64
}

func spellNothingGrown(rows int) spellGrown {
	return spellGrown{
		rows:      spellSlice[bool](rows),
		allocated: spellSlice[uint64](rows * spellAllocated),
		samples:   spellSlice[uint64](rows * spellSampleWords),
	}
}

// look says which rows may have grown since the last time: those with more calls, allocations or
// samples, and those that time was charged to.
func (g *spellGrown) look(shards []spellShard, allocated [][spellAllocated]uint64) []bool {
	clear(g.rows)
	if sampled := spellSampledSoFar(); sampled != g.sampled {
		g.sampled = sampled
		spellCompare(spellWords(shards[0].samples[:len(g.rows)]), g.samples, spellSampleWords, g.rows)
	}
	known := true
	for i := len(g.calls); i < len(shards); i++ {
		var calls []uint64
		if i%2 == 0 {
			calls = spellSlice[uint64](len(g.rows))
		}
		g.calls, g.noted = append(g.calls, calls), append(g.noted, 0)
	}
	for i := 0; i < len(shards); i += 2 {
		to, ok := spellTouched(i, g.noted[i], g.rows)
		g.noted[i], known = to, known && ok
		spellCompare(shards[i].n, g.calls[i], 1, g.rows)
	}
	spellCompare(spellWords(allocated[:len(g.rows)]), g.allocated, spellAllocated, g.rows)
	if !known {
		for row := range g.rows {
			g.rows[row] = true
		}
	}
	return g.rows
}

// spellCompare marks the rows whose words are not those of the last time, and takes over the words. Most
// are unchanged, so they are compared in blocks.
func spellCompare(now, last []uint64, ofRow int, rows []bool) {
	const most = 32
	for at := 0; at < len(last); at += most {
		end := min(at+most, len(last))
		a, b := now[at:end], last[at:end]
		if spellBytes(a) == spellBytes(b) {
			continue
		}
		for i, n := range a {
			if n != b[i] {
				rows[(at+i)/ofRow], b[i] = true, n
			}
		}
	}
}

// spellWords is the words of rows.
func spellWords[R [spellAllocated]uint64 | [spellSampleWords]uint64](rows []R) []uint64 {
	var row R
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(rows))), len(row)*len(rows))
}

// spellBytes is what words have in memory.
func spellBytes(words []uint64) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}
