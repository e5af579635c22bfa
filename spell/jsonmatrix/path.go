package jsonmatrix

import (
	"fmt"
	"strings"
)

// A path names a value of the file: cells[3].energy_j.cpu.
type path struct {
	list   string
	index  int // negative for the list as a whole, or for a member that is no list
	field  string
	domain string
}

func (p path) String() string {
	text := p.list
	if p.index >= 0 {
		text += fmt.Sprintf("[%d]", p.index)
	}
	for _, field := range []string{p.field, p.domain} {
		if field != "" {
			text += "." + field
		}
	}
	return text
}

// alternatives lists words as errors do: "a", "b" or "c".
func alternatives(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", w)
	}
	return b.String()
}
