package jsonmatrix

import "encoding/binary"

// places remembers where the items of a list begin, for errors that only show
// at the end, in about three bytes an item.
type places struct {
	steps []byte // for each item, the lines since the item before, then its column, or the bytes since if it is on the same line
	last  position
}

func (p *places) add(at position) {
	p.steps = binary.AppendUvarint(p.steps, uint64(at.line-p.last.line))
	column := at.column
	if at.line == p.last.line {
		column -= p.last.column
	}
	p.steps = binary.AppendUvarint(p.steps, uint64(column))
	p.last = at
}

// at returns the place of item i, which must have been added.
func (p *places) at(i int) position {
	var at position
	for steps := p.steps; i >= 0; i-- {
		lines, n := binary.Uvarint(steps)
		column, k := binary.Uvarint(steps[n:])
		if lines > 0 {
			at.column = 0
		}
		at = position{at.line + int(lines), at.column + int(column)}
		steps = steps[n+k:]
	}
	return at
}
