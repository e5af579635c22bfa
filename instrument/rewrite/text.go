package rewrite

import (
	"bytes"
	"slices"
)

// A Text is a source file with insertions that are applied all at once: each
// is given by its offset in the original. Nothing is taken away and no newline
// is added, so that every line keeps its number and its layout.
type Text struct {
	src     []byte
	inserts []insert
}

type insert struct {
	offset int
	what   string
}

// NewText is src without insertions yet.
func NewText(src []byte) *Text { return &Text{src: src} }

// Insert adds text at an offset of the original.
func (t *Text) Insert(offset int, what string) {
	t.inserts = append(t.inserts, insert{offset, what})
}

// Bytes returns the edited text. Insertions at one place stand in the order in
// which they were made.
func (t *Text) Bytes() []byte {
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
