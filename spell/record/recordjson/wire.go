package recordjson

import (
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
)

// A wire is a run with its cells as JSON has them.
type wire struct {
	*record.Run
	Cells []record.Cell `json:"matrix"`
}

// matrix puts the cells into the run, which is valid without them.
func (w *wire) matrix() error {
	if err := validity.Cells(w.Run, w.Cells); err != nil {
		return err
	}
	w.Matrix = record.MatrixOf(w.CellDomains(w.Cells), w.Cells...)
	w.Cells = nil
	return validity.Matrix(w.Run)
}
