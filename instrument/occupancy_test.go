package instrument

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"spell-lsp/instrument/probe"
)

// readings is a file in which the readings of a meter are counted, one each
// millisecond, until the test ends.
func readings(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "readings"))
	if err != nil {
		t.Fatal(err)
	}
	count := func(n uint64) {
		page := make([]byte, os.Getpagesize())
		binary.NativeEndian.PutUint64(page, n)
		if _, err := f.WriteAt(page, 0); err != nil {
			t.Error(err)
		}
	}
	count(1)
	quit, done := make(chan struct{}), sync.WaitGroup{}
	done.Go(func() {
		for n := uint64(2); ; n++ {
			select {
			case <-quit:
				return
			case <-time.After(time.Millisecond):
				count(n)
			}
		}
	})
	t.Cleanup(func() {
		close(quit)
		done.Wait()
		f.Close()
	})
	return f
}

// What ran in the ticks of the meter is what was counted in all, for each
// component, whether it is read while the program runs or after.
func TestTicksHoldWhatRan(t *testing.T) {
	b := prepare(t, Params{Dir: unpack(t, "testdata/time.txtar")})
	names, err := probe.NewNames(probe.Index{})
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	file, err := probe.Create(probe.Setup{Components: len(b.Components), Names: names, Ticks: readings(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ran, ticks := make(map[int]float64), make(map[uint32]bool)
	take := func(o probe.Occupied) {
		ran[int(o.Row)] += o.RanNS
		ticks[o.Tick] = true
		if o.OnCPU != 0 {
			t.Errorf("%+v: the CPU was not asked for", o)
		}
		if o.EndNS != 0 && (o.EndNS < o.StartNS || o.RanNS > float64(o.EndNS-o.StartNS)+1000) {
			t.Errorf("%+v ran for longer than it lasted", o)
		}
	}
	early := 0
	quit, done := make(chan struct{}), sync.WaitGroup{}
	done.Go(func() {
		for {
			select {
			case <-quit:
				return
			case <-time.After(10 * time.Millisecond):
				file.Occupancy(false, take)
				early = len(ticks)
			}
		}
	})
	b.execute(t, b.probed, b.Tests[0], nil, file)
	close(quit)
	done.Wait()
	if lost := file.Occupancy(true, take); lost != 0 {
		t.Fatalf("%d records were lost", lost)
	}
	log, err := file.Read()
	if err != nil {
		t.Fatal(err)
	}
	counted := make(map[int]float64)
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			counted[row] += float64(c.SelfNS)
		}
	}
	const some = 1e6 // ns: what is worth a comparison
	for row, ns := range counted {
		if row > 0 && row <= len(b.Components) && ns > some && !near(uint64(ran[row]), ns) {
			t.Errorf("%s ran for %.3f ms in all, for %.3f ms in the ticks", b.Components[row-1].ID, ns/1e6, ran[row]/1e6)
		}
	}
	if early == 0 || len(ticks) < early {
		t.Errorf("%d ticks were seen while the program ran, %d in all", early, len(ticks))
	}
}
