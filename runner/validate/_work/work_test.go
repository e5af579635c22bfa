package workloads

import (
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"
)

// calls is the size of all calls: some milliseconds, or several ticks of the counter.
const calls = 3

func TestMain(m *testing.M) {
	if err := Prepare(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// until calls f again and again for so many seconds.
func until(seconds float64, f func()) {
	for start := time.Now(); time.Since(start).Seconds() < seconds; {
		f()
	}
}

func TestAloneInteger(*testing.T) { begin(alone); until(aloneSeconds, func() { Integer(calls) }) }
func TestAloneFloat(*testing.T)   { begin(alone); until(aloneSeconds, func() { Float(calls) }) }
func TestAloneMemory(*testing.T)  { begin(alone); until(aloneSeconds, func() { Memory(calls) }) }
func TestAloneBranch(*testing.T)  { begin(alone); until(aloneSeconds, func() { Branch(calls) }) }
func TestAloneSystem(*testing.T)  { begin(alone); until(aloneSeconds, func() { System(calls) }) }

// Here it wakes up rarely, so that the counter says what the machine draws when nothing runs.
func TestAloneWait(*testing.T) { begin(alone); until(aloneSeconds, func() { Wait(100) }) }

func TestMixed(*testing.T) { begin(mixed); mix(0, mixedSeconds) }

func TestConcurrent(*testing.T) {
	begin(concurrent)
	var both sync.WaitGroup
	for i := range uint64(2) {
		both.Go(func() { mix(1+i, concurrentSeconds) })
	}
	both.Wait()
}

// mix calls all workloads, again and again, each time in another order.
func mix(stream uint64, seconds float64) {
	random := rand.New(rand.NewPCG(seed, stream))
	until(seconds, func() {
		for _, which := range random.Perm(6) {
			switch which {
			case 0:
				Integer(calls)
			case 1:
				Float(calls)
			case 2:
				Memory(calls)
			case 3:
				Branch(calls)
			case 4:
				System(calls)
			case 5:
				Wait(calls)
			}
		}
	})
}
