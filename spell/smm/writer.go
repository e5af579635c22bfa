package smm

import (
	"encoding/xml"
	"io"

	"spell-lsp/spell/page"
)

// A writer writes XML elements. It keeps its first error, after which it writes nothing.
type writer struct {
	e          *xml.Encoder
	names      []string // names of the open elements
	attributes []xml.Attr
	err        error
}

func newWriter(w io.Writer) *writer {
	_, err := io.WriteString(w, xml.Header)
	x := &writer{e: xml.NewEncoder(w), err: err}
	x.e.Indent("", " ")
	return x
}

// open begins an element; attributes alternate between names and values.
func (x *writer) open(name string, attributes ...string) {
	x.attributes = x.attributes[:0]
	for i := 0; i < len(attributes); i += 2 {
		x.attributes = append(x.attributes, xml.Attr{Name: xml.Name{Local: attributes[i]}, Value: page.Clean(attributes[i+1])})
	}
	x.token(xml.StartElement{Name: xml.Name{Local: name}, Attr: x.attributes})
	x.names = append(x.names, name)
}

// close ends the innermost open element.
func (x *writer) close() {
	last := len(x.names) - 1
	x.token(xml.EndElement{Name: xml.Name{Local: x.names[last]}})
	x.names = x.names[:last]
}

// leaf writes an element without content.
func (x *writer) leaf(name string, attributes ...string) {
	x.open(name, attributes...)
	x.close()
}

func (x *writer) token(t xml.Token) {
	if x.err == nil {
		x.err = x.e.EncodeToken(t)
	}
}

// flush writes the rest of the buffer.
func (x *writer) flush() error {
	if x.err == nil {
		x.err = x.e.Flush()
	}
	return x.err
}
