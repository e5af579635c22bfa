package binmatrix

import (
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// ReadPortable and WritePortable are Read and Write as on a machine whose
// memory is not laid out as the file.
func ReadPortable(r io.Reader, name string) (*spell.Matrix, record.Source, error) {
	return readAs([2]form{&portable{}, &portable{}}, r, name)
}

func WritePortable(w io.Writer, m *spell.Matrix, origin record.Source) error {
	return writeAs(&portable{}, w, m, origin)
}
