package sampler

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"unsafe"

	"spell-lsp/runner/meter"
)

// The sampler's shared memory begins with a page, which programs under test map. Its
// first 64-bit word, in the machine's byte order, is 1 more than the number of readings
// so far, so that 0 is the number of no reading. After the page comes a ring of readings with
// the words below in this order; how long they are, and how many of them there are, depends on
// the meter. A reading is complete when the first word counts it.
const (
	wordPublished = iota // CLOCK_MONOTONIC, ns
	wordUpdated
	wordUncertain
	wordCPU
	wordBusy
	wordOwn
	wordSteal
	wordPID
	wordFlags
	wordWeight
	wordJoules // one word a domain, then one a separate counter, then one a core

	pageSize   = 4096
	maxLength  = 1 << 15           // readings in the ring
	ringWords  = 16 * maxLength    // 4 MiB
	maxWords   = ringWords / 1_000 // of a reading: the ring holds a second
	maxValues  = maxWords - wordJoules
	memorySize = pageSize + ringWords*8
)

// A Reading is the state at one moment. Sums begin with the start of the sampler.
type Reading struct {
	Number uint64 // from 1; the tick that programs record under this number ends with it
	// PublishedNS is when the reading was published: what ran until then belongs to the
	// tick that it ends. UpdatedNS is when the counter got its value; UncertainNS is by
	// how much that may be off, to either side. Both are on CLOCK_MONOTONIC.
	PublishedNS, UpdatedNS, UncertainNS int64
	CPUNS                               int64 // CPU time of the watched program
	BusyNS                              int64 // CPU time of all processes, in steps of 10 ms
	OwnNS                               int64 // CPU time of the sampler
	StealNS                             int64 // steal time: taken from this machine by its host
	PID                                 int   // of the watched program, 0 for none
	// Weight is the dynamic power at the frequency of the processors that were busy in the last 100 ms or so, relative to that at
	// their base frequency (frequency.Weigher); 0 where no frequency can be read.
	Weight float64
	// Faulty means that energy is missing between the previous reading and this one.
	Faulty   bool
	Joules   []float64 // by domain
	CoreJ    []float64 // joules by meter.Info.CoreCPUs; meter.Missing as in Separate
	Separate []float64 // joules by separate counter; meter.Missing where it is not known for the time since the previous reading
}

// memory is the shared file, mapped.
type memory struct {
	words          []uint64 // of the whole file
	readingWords   int
	length         uint64 // readings in the ring
	domains, apart int    // then come the cores
	values         int
}

// create makes the shared file.
func create() (*os.File, error) {
	f, err := anonymousFile("spell-lsp readings")
	if err != nil {
		return nil, fmt.Errorf("creating the sampler's memory: %w", err)
	}
	if err := f.Truncate(memorySize); err != nil {
		return nil, fmt.Errorf("creating the sampler's memory: %w", err)
	}
	first := binary.NativeEndian.AppendUint64(nil, 1)
	if _, err := f.WriteAt(first, 0); err != nil {
		return nil, fmt.Errorf("creating the sampler's memory: %w", err)
	}
	return f, nil
}

func openMemory(f *os.File) (*memory, error) {
	data, err := mapped(f, memorySize)
	if err != nil {
		return nil, fmt.Errorf("mapping the sampler's memory: %w", err)
	}
	return &memory{words: unsafe.Slice((*uint64)(unsafe.Pointer(&data[0])), memorySize/8)}, nil
}

// hold divides the ring into readings of a meter, before the first one is put or got.
func (m *memory) hold(info meter.Info) error {
	m.domains, m.apart, m.values = len(info.Domains), len(info.Separate), info.Values()+len(info.CoreCPUs)
	if m.values > maxValues {
		return fmt.Errorf("the meter has %d values, more than %d", m.values, maxValues)
	}
	m.readingWords = max(16, wordJoules+m.values)
	m.length = uint64(ringWords / m.readingWords)
	return nil
}

func (m *memory) close() error {
	return unmap(unsafe.Slice((*byte)(unsafe.Pointer(&m.words[0])), memorySize))
}

// count is 1 more than the number of readings.
func (m *memory) count() uint64 { return atomic.LoadUint64(&m.words[0]) }

func (m *memory) slot(number uint64) []uint64 {
	at := pageSize/8 + int(number%m.length)*m.readingWords
	return m.words[at : at+m.readingWords]
}

// put publishes the next reading.
func (m *memory) put(r *Reading) {
	number := m.count()
	w := m.slot(number)
	w[wordPublished], w[wordUpdated], w[wordUncertain] = uint64(r.PublishedNS), uint64(r.UpdatedNS), uint64(r.UncertainNS)
	w[wordCPU], w[wordBusy], w[wordOwn], w[wordSteal] = uint64(r.CPUNS), uint64(r.BusyNS), uint64(r.OwnNS), uint64(r.StealNS)
	w[wordPID], w[wordWeight] = uint64(r.PID), math.Float64bits(r.Weight)
	w[wordFlags] = 0
	if r.Faulty {
		w[wordFlags] = 1
	}
	for d, j := range r.Joules {
		w[wordJoules+d] = math.Float64bits(j)
	}
	for i, j := range r.Separate {
		w[wordJoules+m.domains+i] = math.Float64bits(j)
	}
	for i, j := range r.CoreJ {
		w[wordJoules+m.domains+m.apart+i] = math.Float64bits(j)
	}
	atomic.StoreUint64(&m.words[0], number+1)
}

// get copies a reading. It reports false if the ring has overwritten the reading
// meanwhile.
func (m *memory) get(number uint64) (Reading, bool) {
	w := m.slot(number)
	r := Reading{
		Number: number, PublishedNS: int64(w[wordPublished]), UpdatedNS: int64(w[wordUpdated]), UncertainNS: int64(w[wordUncertain]),
		CPUNS: int64(w[wordCPU]), BusyNS: int64(w[wordBusy]), OwnNS: int64(w[wordOwn]), StealNS: int64(w[wordSteal]),
		PID: int(w[wordPID]), Weight: math.Float64frombits(w[wordWeight]), Faulty: w[wordFlags] != 0,
	}
	values := make([]float64, m.values)
	for i := range values {
		values[i] = math.Float64frombits(w[wordJoules+i])
	}
	apart := m.domains + m.apart
	r.Joules, r.Separate, r.CoreJ = values[:m.domains:m.domains], values[m.domains:apart:apart], values[apart:]
	return r, m.count()-number < m.length
}
