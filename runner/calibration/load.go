package calibration

import (
	"context"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
)

func newRig(o meter.Options) rig {
	began := time.Now()
	return rig{
		open: func(name string) (meter.Meter, error) {
			m, _, err := meters.Open(name, o)
			return m, err
		},
		date: func() time.Time { return time.Now().UTC().Truncate(time.Second) },
		now:  func() time.Duration { return time.Since(began) },
		wait: wait, load: load, own: ownCPU, root: os.Geteuid() == 0,
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// load keeps processors busy with a mix of integers, floating point and the second cache, as programs do.
func load(processors int) (stop func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(before, processors))
	var done atomic.Bool
	var busy sync.WaitGroup
	for i := range processors {
		busy.Go(func() {
			for seed := uint64(i + 1); !done.Load(); {
				seed = compute(seed)
			}
		})
	}
	return func() {
		done.Store(true)
		busy.Wait()
		runtime.GOMAXPROCS(before)
	}
}

// compute takes some tens of microseconds.
func compute(seed uint64) uint64 {
	var table [1 << 14]float64
	for range 4 * len(table) {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		table[seed%uint64(len(table))] += float64(seed>>40) * 1e-3
	}
	return seed + uint64(table[0])
}
