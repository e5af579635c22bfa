// Package jsonform writes results as JSON, all in one form: indented by a blank, with < > and & as they are.
package jsonform

import (
	"encoding/json"
	"fmt"
	"io"
)

// Write writes v, and a newline. what names it in an error: "the result".
func Write(w io.Writer, what string, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}
