package recordjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/validity"
)

// Write writes r as indented JSON that ends in a newline: the same bytes for
// the same run. It refuses what Read would refuse.
func Write(w io.Writer, r *record.Run) error {
	if err := validity.Run(r); err != nil {
		return fmt.Errorf("writing run %s: %w", r.ID, err)
	}
	complete := r.Complete()
	complete.Schema, complete.CallTree = record.Schema, nil
	say(complete)
	if r.Analysis != nil {
		complete.Localization, complete.StructureAndEnergy = ranking.Localize(r), ranking.StructureAndEnergy(r)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(complete); err != nil {
		return fmt.Errorf("writing run %s: %w", r.ID, err)
	}
	b.Truncate(b.Len() - len("\n}\n")) // the lists go before the brace
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(b.Bytes()) // Flush returns the first error
	err := writeLists(out, r)
	_, _ = out.WriteString("\n}\n")
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("writing run %s: %w", r.ID, err)
	}
	return nil
}

// writeLists writes the call tree, if there is one, and the matrix.
func writeLists(out *bufio.Writer, r *record.Run) error {
	var err error
	if n := len(r.CallTree); n > 0 {
		err = writeList(out, "call_tree", n, func(i int) any { return r.CallTree[i] })
	}
	return errors.Join(err, writeList(out, "matrix", len(r.Matrix.Cells), func(i int) any { return r.Matrix.Cell(i) }))
}

// writeList writes a member of the record that is a list of n items, an item a line.
func writeList(out *bufio.Writer, name string, n int, item func(int) any) error {
	end := ",\n \"" + name + "\": ["
	for i := range n {
		text, err := json.Marshal(item(i))
		if err != nil {
			return err
		}
		_, _ = out.WriteString(end + "\n  ")
		_, _ = out.Write(text)
		end = ","
	}
	if n > 0 {
		end = "\n "
	}
	_, err := out.WriteString(end + "]")
	return err
}
