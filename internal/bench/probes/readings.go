package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// readings advances the number of meter readings each millisecond, as the sampler
// does: it makes the probes record what ran in between.
type readings struct {
	file *os.File
	quit chan struct{}
	done sync.WaitGroup
}

func (b *bench) startReadings() (*readings, error) {
	dir, err := b.folder("readings")
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "count"))
	if err != nil {
		return nil, fmt.Errorf("counting readings: %w", err)
	}
	r := &readings{file: f, quit: make(chan struct{})}
	if err := f.Truncate(int64(os.Getpagesize())); err != nil {
		return nil, fmt.Errorf("counting readings: %w", err)
	}
	r.done.Go(r.count)
	return r, nil
}

func (r *readings) count() {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for n := uint64(1); ; n++ {
		r.file.WriteAt(binary.NativeEndian.AppendUint64(nil, n), 0) //nolint:errcheck // the programs would cost less, which the tables show
		select {
		case <-ticker.C:
		case <-r.quit:
			return
		}
	}
}

func (r *readings) close() error {
	close(r.quit)
	r.done.Wait()
	return r.file.Close()
}
