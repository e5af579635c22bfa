package rendering

import (
	"encoding/json"
	"fmt"
	"io"

	"spell-lsp/spell/comparison"
)

// JSON writes c as indented JSON that ends in a newline: the same bytes for the
// same comparison, without infinite numbers.
func JSON(w io.Writer, c *comparison.Comparison) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(c); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}
