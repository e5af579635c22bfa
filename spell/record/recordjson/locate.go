package recordjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// values visits the values of a JSON text in the order of their first bytes, and yields the
// containers of each, the outermost first, and the offset of its first byte. The slice is
// overwritten by the next value.
func values(data []byte) iter.Seq2[[]container, int] {
	return func(yield func([]container, int) bool) {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber() // a number out of range must not end the walk
		var open []container
		for {
			start := valueStart(data, int(d.InputOffset()))
			token, err := d.Token()
			if err != nil {
				return
			}
			delim, _ := token.(json.Delim)
			if delim == ']' || delim == '}' {
				open = open[:len(open)-1]
				continue
			}
			if n := len(open); n > 0 && open[n-1].takesKey() {
				open[n-1].key, _ = token.(string)
				continue
			}
			if !yield(open, start) {
				return
			}
			if delim != 0 {
				open = append(open, container{object: delim == '{'})
			}
		}
	}
}

// A container is an object or array that the walk is in.
type container struct {
	object  bool
	started int // tokens seen: keys and values of an object, values of an array
	key     string
}

// takesKey counts one token in c and tells whether it is a key.
func (c *container) takesKey() bool {
	c.started++
	return c.object && c.started%2 == 1
}

// step is what the path of the current value adds to the path of c, which has that length.
func (c *container) step(length int) string {
	switch {
	case !c.object:
		return "[" + strconv.Itoa(c.started-1) + "]"
	case length > 0:
		return "." + c.key
	}
	return c.key
}

// path is the path of the current value: tests[0].energy_j.cpu. That of the outermost value
// is "".
func path(open []container) string {
	var b strings.Builder
	for i := range open {
		b.WriteString(open[i].step(b.Len()))
	}
	return b.String()
}

// valueStart skips the bytes that may stand between two tokens.
func valueStart(data []byte, offset int) int {
	for offset < len(data) && strings.IndexByte(" \t\r\n,:", data[offset]) >= 0 {
		offset++
	}
	return offset
}

// elsewhere is the length of a path that leads to another value.
const elsewhere = -1

// offsetOf finds the first byte of the value at a path or, if it is absent, of the innermost
// container that should have it. Time is linear in the length of the text, however deep the
// nesting.
func offsetOf(data []byte, path string) int {
	found, longest := 0, elsewhere
	var lengths []int // of the paths of the containers, by depth
	for open, start := range values(data) {
		length := 0
		if n := len(open); n > 0 {
			length = follow(path, lengths[n-1], &open[n-1])
		}
		lengths = append(lengths[:len(open)], length)
		if length > longest {
			found, longest = start, length
		}
	}
	return found
}

// follow extends the first length bytes of a path, which lead to container c, to the current
// value of c. It returns the length of the path to that value, or elsewhere.
func follow(path string, length int, c *container) int {
	if length == elsewhere {
		return elsewhere
	}
	rest, ok := strings.CutPrefix(path[length:], c.step(length))
	if end := len(path) - len(rest); ok && (end == 0 || rest == "" || rest[0] == '.' || rest[0] == '[') {
		return end
	}
	return elsewhere
}

// pathBefore gives the path of the last value that starts before an offset.
func pathBefore(data []byte, offset int) string {
	last := 0
	for _, start := range values(data) {
		if start >= offset {
			break
		}
		last = start
	}
	for open, start := range values(data) {
		if start == last {
			return path(open)
		}
	}
	return ""
}

// lineColumn counts lines and characters from 1.
func lineColumn(data []byte, offset int) (line, column int) {
	before := data[:max(0, min(offset, len(data)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
