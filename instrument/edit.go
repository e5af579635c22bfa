package instrument

import (
	"bytes"
	"slices"
)

// A text is a source file with insertions that are applied all at once: each
// is given by its offset in the original. Nothing is taken away and no newline
// is added, so that every line keeps its number and its layout.
type text struct {
	src     []byte
	inserts []insert
}

type insert struct {
	offset int
	what   string
}

func (t *text) insert(offset int, what string) {
	t.inserts = append(t.inserts, insert{offset, what})
}

// bytes returns the edited text. Insertions at one place stand in the order in
// which they were made.
func (t *text) bytes() []byte {
	slices.SortStableFunc(t.inserts, func(a, b insert) int { return a.offset - b.offset })
	var out bytes.Buffer
	from := 0
	for _, in := range t.inserts {
		out.Write(t.src[from:in.offset])
		out.WriteString(in.what)
		from = in.offset
	}
	out.Write(t.src[from:])
	return out.Bytes()
}
