package record

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// values walks the values of a JSON text in the order in which they start, and
// gives the path (tests[0].energy_j.cpu) and the first byte of each. The path
// of the outermost value is "".
func values(data []byte) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber() // a number out of range shall not end the walk
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
			if !yield(path(open), start) {
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
	started int // keys and values of an object, values of an array, that were seen
	key     string
}

// takesKey counts one token in c and tells whether it is a key.
func (c *container) takesKey() bool {
	c.started++
	return c.object && c.started%2 == 1
}

func path(open []container) string {
	var b strings.Builder
	for _, c := range open {
		if !c.object {
			b.WriteString("[" + strconv.Itoa(c.started-1) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(c.key)
	}
	return b.String()
}

// valueStart skips what may stand between two tokens.
func valueStart(data []byte, offset int) int {
	for offset < len(data) && strings.IndexByte(" \t\r\n,:", data[offset]) >= 0 {
		offset++
	}
	return offset
}

// offsetOf finds the first byte of the value at a path, or where it is absent,
// of what it should be in.
func offsetOf(data []byte, path string) int {
	found, length := 0, -1
	for p, start := range values(data) {
		if len(p) > length && within(path, p) {
			found, length = start, len(p)
		}
	}
	return found
}

// within tells whether a path is the outer one or leads on from there.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (outer == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// pathBefore gives the path of the last value that starts before an offset.
func pathBefore(data []byte, offset int) string {
	last := ""
	for p, start := range values(data) {
		if start >= offset {
			break
		}
		last = p
	}
	return last
}

// lineColumn counts lines and characters from 1.
func lineColumn(data []byte, offset int) (line, column int) {
	before := data[:max(0, min(offset, len(data)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
