package toolkit

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"spell-lsp/spell"
)

// ReadMatrix reads a matrix in the toolkit's format; it is valid. Domains are in the order of
// their first use in the file. A byte order mark and CRLF are accepted. name is the name of
// the file in errors.
//
// Blocks of lines are parsed in parallel; only a few blocks are in memory at a time.
func ReadMatrix(r io.Reader, name string) (*spell.Matrix, error) {
	return readMatrix(r, name, blockSize)
}

func readMatrix(r io.Reader, name string, size int) (*spell.Matrix, error) {
	known := sizeOf(r)
	if known > 0 && known < int64(size) {
		size = int(known) + 1 // so that the first read meets the end
	}
	in := blocks{input: input{r: r}, size: size, line: 1}
	rows := store{size: known, most: spell.MaxCells}
	readBlocks(&in, &rows)
	if rows.fault != nil {
		return nil, errorAt(name, rows.at, *rows.fault)
	}
	if err := in.failed(name); err != nil {
		return nil, err
	}
	if rows.rows == 0 {
		return nil, errorAt(name, position{1, 1}, fault{"the file is empty", "write a line such as [ [ cpu = 37, n = 1, t = 75 ] _ ] for each test"})
	}
	return rows.matrix(), nil
}

// A block is some lines and their rows. Blocks are reused.
type block struct {
	chunk
	number int // in the file, from 0
	text   []byte
	line   int // number of the first line
}

// readBlocks reads all blocks up to the first with a fault.
func readBlocks(in *blocks, rows *store) {
	readers := runtime.GOMAXPROCS(0)
	jobs, free := make(chan *block), make(chan *block, readers+2)
	for range cap(free) {
		free <- new(block)
	}
	var stop atomic.Bool
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			for b := range jobs {
				b.read(b.text, b.line)
				if !rows.put(b, free) {
					stop.Store(true)
				}
			}
		})
	}
	for number := 0; !stop.Load() && in.err == nil; number++ {
		b := <-free
		b.number = number
		b.text, b.line = in.next(b.text)
		jobs <- b
	}
	close(jobs)
	group.Wait()
}
