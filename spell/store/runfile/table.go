package runfile

import (
	"fmt"
	"runtime"
	"sync"

	"spell-lsp/spell/sectionfile"
)

// A column reads and writes one field of the rows of a table.
type column[T any] struct {
	name string // of its section
	put  func(rows []T) []byte
	get  func(in *input, rows []T) // rows are there
}

// columnOf returns the column of the field to which at points in a row.
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

// putTable lists functions that make the sections of a table. A table without rows has none.
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

// rowsOf returns the number of rows of a table. Its first column must take at least a byte
// for each row, so that no file can claim more rows than it has bytes.
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

// getTable lists functions that fill the rows, and may run in parallel.
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

// read calls get with the contents of a section, which it must use up.
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

// parallel runs all functions on all processors, and returns the error of the first that
// failed, in the order of work.
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
