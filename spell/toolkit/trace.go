package toolkit

import (
	"io"

	"spell-lsp/spell"
)

// A Trace has the sums over the calls of a trace.
type Trace struct {
	// Matrix has a test for each part between semicolons, and a component for
	// each name and module. Its values are self values, without callees. Domains
	// stand in the order in which the file first has them, components in that of
	// their first calls.
	Matrix *spell.Matrix
	// CumTimeMS and CumEnergyJ are cumulative: callees included, and recursion
	// counted once, unless TraceOptions.EachCall. They are in milliseconds for each of Matrix.Cells, and in
	// joules in the places of Matrix.Energy.
	CumTimeMS, CumEnergyJ []float64
}

// TraceOptions say what cumulative values are.
type TraceOptions struct {
	// EachCall adds up, as the original tool does, end minus begin of every
	// call: recursion counts each time.
	EachCall bool
}

// ReadTrace reads a trace; its matrix is valid. A byte order mark and CRLF are
// accepted. name is that of the file, for errors.
//
// Calls nest: an exit is that of the innermost open call, and at the end of a
// test none is open. All readings of a test have the same keys. Within a call
// energy never goes down, as it does where a counter wraps; between a test's
// outermost calls, where nothing is charged to anyone, it may begin anew. The
// clock may be set, but no call may end before it begins, or take less time than
// the calls inside it.
//
// A component is a name and the module m. It is called by its name, and by
// both, m.name, where several modules have the name. A name has no blanks, no
// brackets and none of , = ; and is taken as [WriteTrace] escapes it. A comment
// with which a test begins is its name, if no other test has it; the others are
// t and their number.
//
// Memory does not grow with the number of calls, but with the open ones and
// the cells of the matrix.
func ReadTrace(r io.Reader, name string, o TraceOptions) (*Trace, error) {
	return readTrace(r, name, o, traceBuffer)
}

func readTrace(r io.Reader, name string, o TraceOptions, buffer int) (*Trace, error) {
	in := eventReader{scanner: scanner{input: input{r: r}, buffer: buffer, cursor: cursor{line: 1}}, file: name}
	in.skipMark()
	c := calls{TraceOptions: o, file: name}
	for {
		e, err := in.next()
		if err != nil {
			return nil, err
		}
		switch e.sort {
		case entry:
			err = c.enter(e)
		case exit:
			err = c.leave(e)
		case endOfTest:
			err = c.endTest(e)
		case endOfFile:
			return c.finish(e)
		}
		if err != nil {
			return nil, err
		}
	}
}
