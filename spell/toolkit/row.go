package toolkit

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"spell-lsp/spell"
)

// A chunk has the rows of one block of text. Tests are numbered from 0 within the chunk, and
// the domains are those in the block.
type chunk struct {
	rows   int
	width  int // cells of a row, including empty ones
	first  position
	keys   []key
	cells  []spell.Cell
	energy []float64 // len(keys) for each cell
	fault  *fault
	odd    int      // width of the first row that differs from the block's first; reading stops there; 0 = none
	at     position // of the fault or the odd row
}

// A rowReader reads the rows of one block.
type rowReader struct {
	*chunk
	text   []byte
	at     int
	values [numbers]float64
	given  keySet // of the current cell
	known  keySet // the set of keys
	stride int    // energies of a cell so far
}

// read reads the rows of a block, up to the first fault. line is the number of its first
// line.
func (c *chunk) read(text []byte, line int) {
	*c = chunk{keys: c.keys[:0], cells: c.cells[:0], energy: c.energy[:0]}
	if line == 1 {
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	}
	in := rowReader{chunk: c, text: text}
	most := bytes.Count(text, []byte{'['}) // a cell has one, except the framework's 1
	c.cells = slices.Grow(c.cells, most)
	for in.skipLines(); in.at < len(text) && c.fault == nil && c.odd == 0; in.skipLines() {
		if c.rows == 0 {
			c.first = in.position(line)
		}
		if c.fault = in.row(); c.fault != nil || c.odd > 0 {
			c.at = in.position(line)
		}
	}
}

// position returns the place of the reader in a block that begins at that line.
func (in *rowReader) position(line int) position {
	before := in.text[:in.at]
	return position{line + bytes.Count(before, []byte{'\n'}), in.at - bytes.LastIndexByte(before, '\n')}
}

func (in *rowReader) skipLines() {
	for in.at < len(in.text) && (isBlank(in.text[in.at]) || isLineEnd(in.text[in.at])) {
		in.at++
	}
}

func isBlank(c byte) bool   { return c == ' ' || c == '\t' }
func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// peek returns the next byte after blanks, '\n' at the end of the line.
func (in *rowReader) peek() byte {
	text, at := in.text, in.at
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	in.at = at
	if at == len(text) || text[at] == '\r' {
		return '\n'
	}
	return text[at]
}

const groupForm = "write a group such as [ cpu = 37, n = 1, t = 75 ], or _ for an empty cell"

// row reads one row, from its first byte to behind its last.
func (in *rowReader) row() *fault {
	begin := in.at
	end := byte('\n') // rows of the SPELL framework have no brackets
	if in.text[in.at] == '[' && !in.groupAhead() {
		in.at++
		end = ']'
	}
	width := 0
	for sign := in.peek(); sign != end; sign = in.peek() {
		if width == math.MaxInt32 {
			return &fault{"the row has too many cells", "give it one cell for each component"}
		}
		if f := in.cell(sign, int32(width)); f != nil {
			return f
		}
		width++
	}
	if f := in.endRow(end, width); f != nil {
		return f
	}
	if in.rows++; in.rows == 1 {
		in.width = width
	}
	if width != in.width {
		in.at, in.odd = begin, width
	}
	return nil
}

func (in *rowReader) endRow(end byte, width int) *fault {
	if width == 0 {
		return &fault{"the row has no cell", groupForm}
	}
	if end == '\n' {
		return nil
	}
	in.at++
	if in.peek() != '\n' {
		return &fault{excerpt(in.text[in.at:]) + " stands behind the end of the row", "write each test on a line of its own"}
	}
	return nil
}

// groupAhead reports whether the bracket here opens a group rather than a row.
func (in *rowReader) groupAhead() bool {
	here := in.at
	in.at++
	next := in.peek() | 0x20
	in.at = here
	return next >= 'a' && next <= 'z'
}

// cell reads one cell, empty or not, which begins with sign.
func (in *rowReader) cell(sign byte, component int32) *fault {
	switch sign {
	case '[':
		in.at++
		if f := in.group(); f != nil {
			return f
		}
		if !in.given.has(keyN) {
			in.values[keyN] = 1
		}
		in.add(component)
		return nil
	case '_', '0', '1':
		return in.short(sign, component)
	case '\n':
		return &fault{"the row ends without its ]", "write each test on one line, between [ and ]"}
	case '>', '|':
		return &fault{"a total of the row", "leave out what stands behind the components: totals are made from these"}
	}
	return &fault{excerpt(in.text[in.at:]) + " is no cell", groupForm}
}

// short reads a cell that consists of one character.
func (in *rowReader) short(sign byte, component int32) *fault {
	if next := in.at + 1; sign != '_' && next < len(in.text) && (isWord(in.text[next]) || in.text[next] == '.') {
		return &fault{excerpt(in.text[in.at:]) + " is no cell", groupForm}
	}
	in.at++
	if sign == '1' {
		in.given, in.values[keyN] = 1<<keyN, 1
		in.add(component)
	}
	return nil
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// group reads key = number, ... ] into values.
func (in *rowReader) group() *fault {
	in.given = 0
	for {
		if f := in.pair(); f != nil {
			return f
		}
		switch in.peek() {
		case ',':
			in.at++
		case ']':
			in.at++
			return nil
		case '\n':
			return &fault{"the group ends without its ]", "write each test on one line, between [ and ]"}
		default:
			return &fault{excerpt(in.text[in.at:]) + " where a comma or ] was expected", groupForm}
		}
	}
}

func (in *rowReader) pair() *fault {
	if in.peek() == '\n' {
		return &fault{"the group ends without its ]", "write each test on one line, between [ and ]"}
	}
	begin := in.at
	for in.at < len(in.text) && isWord(in.text[in.at]) {
		in.at++
	}
	k := keyOf(in.text[begin:in.at])
	if k >= keyModule || in.given.has(k) {
		at := in.at
		in.at = begin
		return keyFault(in.text[begin:], string(in.text[begin:at]), k)
	}
	in.given |= 1 << k
	if int(k) < domains && !in.known.has(k) {
		in.known |= 1 << k
		in.keys = append(in.keys, k)
	}
	if in.peek() != '=' {
		return &fault{excerpt(in.text[in.at:]) + " where = was expected", groupForm}
	}
	in.at++
	in.peek()
	v, end := number(in.text, in.at)
	if end == in.at || !(v <= spell.MaxValue) || end < len(in.text) && (isWord(in.text[end]) || in.text[end] == '.') {
		f := numberFault(in.text[in.at:])
		return &f
	}
	in.values[k], in.at = v, end
	return nil
}

func keyFault(text []byte, word string, k key) *fault {
	if word == "" {
		return &fault{excerpt(text) + " where a key was expected", groupForm}
	}
	if k < keyModule {
		return &fault{fmt.Sprintf("a second value for %s", k), "keep one"}
	}
	f := unknownKey(word, []string{"cpu", "ram", "dram", "disk", "fans", "gpu", "net", "n", "t", "time"})
	return &f
}

// add appends a cell with the values that are given.
func (in *rowReader) add(component int32) {
	if in.stride < len(in.keys) {
		in.widen()
	}
	c := spell.Cell{Test: int32(in.rows), Component: component, N: in.values[keyN]}
	if in.given.has(keyTime) {
		c.TimeMS = in.values[keyTime]
	}
	in.cells = append(in.cells, c)
	for _, k := range in.keys {
		var joules float64
		if in.given.has(k) {
			joules = in.values[k]
		}
		in.energy = append(in.energy, joules)
	}
}

// widen makes room for new domains; earlier cells have 0 there.
func (in *rowReader) widen() {
	most := cap(in.cells) * len(in.keys)
	if len(in.cells) > 0 {
		in.energy = widen(in.energy, len(in.cells), in.stride, len(in.keys), most)
	} else {
		in.energy = slices.Grow(in.energy, most)
	}
	in.stride = len(in.keys)
}
