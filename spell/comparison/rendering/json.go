package rendering

import (
	"io"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/jsonform"
)

// JSON writes c as indented JSON that ends in a newline: the same bytes for the
// same comparison, without infinite numbers.
func JSON(w io.Writer, c *comparison.Comparison) error {
	return jsonform.Write(w, "the comparison", c)
}
