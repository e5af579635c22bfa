package runfile

import (
	"fmt"
	"runtime"
	"sync"

	"spell-lsp/spell/sectionfile"
)

// A column is one field of the rows of a table.
type column[T any] struct {
	name string // of its section
	put  func(rows []T) []byte
	get  func(in *input, rows []T) // rows are there
}

// columnOf makes the column of the field that at finds in a row.
func columnOf[T, V any](name string, at func(row *T) *V, c codec[V]) column[T] {
	return column[T]{
		name: name,
		put: func(rows []T) []byte {
			values := make([]V, len(rows))
			for i := range rows {
				values[i] = *at(&rows[i])
			}
			return c.put(nil, values)
		},
		get: func(in *input, rows []T) {
			values := c.get(in, len(rows))
			if in.err != nil {
				return
			}
			for i := range rows {
				*at(&rows[i]) = values[i]
			}
		},
	}
}

// putTable makes the sections of a table; none of one without rows.
func putTable[T any](columns []column[T], rows []T) []func() (sectionfile.Section, error) {
	if len(rows) == 0 {
		return nil
	}
	work := make([]func() (sectionfile.Section, error), len(columns))
	for i, c := range columns {
		work[i] = func() (sectionfile.Section, error) { return sectionfile.Pack(c.name, len(rows), c.put(rows)) }
	}
	return work
}

// rowsOf is the number of rows of a table whose first column has at least a byte
// for each row, so that no file can ask for more rows than it has bytes.
func rowsOf(f *sectionfile.File, first string) (int, error) {
	s := f.Section(first)
	if s == nil {
		return 0, nil
	}
	if s.Rows > s.MaxRows() {
		return 0, fmt.Errorf("section %q claims %d values, its %d bytes cannot hold them", first, s.Rows, len(s.Stored))
	}
	return int(s.Rows), nil
}

// getTable lists what fills the rows: each may run beside the others.
func getTable[T any](f *sectionfile.File, columns []column[T], rows []T) []func() error {
	var work []func() error
	for _, c := range columns {
		if s := f.Section(c.name); s != nil {
			work = append(work, func() error {
				return read(s, len(rows), func(in *input) { c.get(in, rows) })
			})
		}
	}
	return work
}

// read gives the contents of a section to get, which must use all of them.
func read(s *sectionfile.Section, rows int, get func(in *input)) error {
	if s.Rows != uint64(rows) {
		return fmt.Errorf("section %q has %d values, its table %d", s.Name, s.Rows, rows)
	}
	contents, err := s.Contents()
	if err != nil {
		return err
	}
	in := &input{data: contents}
	get(in)
	if in.err == nil && len(in.data) > 0 {
		in.fail()
	}
	if in.err != nil {
		return fmt.Errorf("section %q %w", s.Name, in.err)
	}
	return nil
}

// parallel does all work on all processors, and returns the first error by the
// order of the work.
func parallel(work []func() error) error {
	errs := make([]error, len(work))
	var all sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(work)) {
		all.Go(func() {
			for i := range next {
				errs[i] = work[i]()
			}
		})
	}
	for i := range work {
		next <- i
	}
	close(next)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
