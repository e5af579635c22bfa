package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The mapped file begins with a page of 64-bit words in the machine's byte
// order, its header; then follow, each from the start of a page:
//
//   - the log;
//   - a byte for each row: its mode, a Hot;
//   - 64 bytes for each row: what the samples say of it, in ns: CPU time in its
//     own code and in that of others while it was on top, in its own code while
//     another was on top, anywhere below it; the number of samples; where
//     a block begins and ends, lines; and the number of a function that notes sizes;
//   - what samples saw on stacks, see calls.go;
//   - go statements of goroutines that outlived their tests, see strays.go;
//   - 128 bytes for each row: the bytes that it moved, see moved.go;
//   - 16 bytes for each row: the bytes and objects that it allocated, by samples;
//   - what samples saw of goroutines and their labels, see groups.go;
//   - a ring of samples with the callers of components, see callers.go;
//   - calls of some functions by their sizes, see sizes.go;
//   - two shards for code that has no processor, and two for each processor of the
//     Go scheduler, the second of each for such goroutines: 8 bytes for each row, its calls; then 128 bytes for each row:
//     running time, self and cumulative, and time from entry to exit, in ticks;
//     calls of timed functions and literals; timed entries of the function and
//     of its literals; how often a block came on top in its place, or it in that
//     of another; and words of the program's own; then a ring, see occupancy.go.
//
// Row 0 is what ran outside of all components, row i+1 component i; six more
// follow, for the garbage collector and other goroutines of the runtime, for
// what the samples saw of the probes, for goroutines that outlived their tests, and
// three for calibration, the last of them hot.
const (
	pageSize  = 4096
	wordSize  = 8
	rowSize   = 128
	sampleRow = 64
	allocRow  = allocated * wordSize

	rowWords    = rowSize / wordSize
	sampleWords = sampleRow / wordSize
	specials    = 7
	calibration = 3 // of them, for calibration
	maxShards   = 2 * (1<<10 + 1)
	logSize     = 1 << 28
)

// The words of the header.
const (
	headRows = iota
	headShards
	headTicks
	headNS
	headScale
	headUncounted
	headOwner
	headBlock
	headLastBlock
	headNames
	headUsed
	headLogged
	headToken
	headFull
	headLost
	headInner   // what a timed probe adds to its function a call, ticks
	headOuter   // and to the caller
	headChange  // what a change of blocks takes, ticks
	headFrame   // what the probe of a hot function adds to its code a call, ns, a float64
	headSampled // samples that have been booked; for the program itself
	headCPUs    // 1 if it is to be written down on which CPU what ran
	headWords
)

// MaxComponents is how many components one program may have.
const MaxComponents = 1<<20 - specials

// A Hot says of a component which of its entries are so frequent that they are
// counted only: the time that they take comes from samples.
type Hot uint8

// What may be hot.
const (
	HotCalls    Hot = 1 << iota // of the function
	HotLiterals                 // of its literals
	HotBlocks                   // of its blocks
)

// probeDefers, in the byte of a row's mode, says that the runtime runs deferred calls of its code
// only because of the probe.
const probeDefers = byte(HotBlocks) << 1

// notesSizes, there, says that it was chosen to note the sizes of its calls.
const notesSizes = probeDefers << 1

// RuntimeRow is the row of the garbage collector and of other goroutines of the
// runtime, in the counts of a program of that many components; behind it stands
// that of what samples saw of the probes.
func RuntimeRow(components int) int { return components + 1 }

// StraysRow is the row of goroutines that go on when the test that started them is
// over, whatever they run: all of their time, with the probes in it.
func StraysRow(components int) int { return RuntimeRow(components) + 2 }

// A layout tells where the parts of a file are.
type layout struct{ rows int }

func pages(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }

func (l layout) modes() int { return pageSize + logSize }

func (l layout) samples() int { return l.modes() + pages(l.rows) }

func (l layout) stacks() int { return l.samples() + pages(l.rows*sampleRow) }

func (l layout) origins() int { return l.stacks() + callsSize }

func (l layout) moved() int { return l.origins() + originsSize }

func (l layout) allocations() int { return l.moved() + pages(l.rows*movedRow) }

func (l layout) groups() int { return l.allocations() + pages(l.rows*allocRow) }

func (l layout) labels() int { return l.groups() + groupsSize }

func (l layout) callers() int { return l.labels() + labelsSize }

func (l layout) sizes() int { return l.callers() + callersSize }

func (l layout) shard(i int) int {
	return l.sizes() + sizesSize + i*(l.inShard()+ringSize)
}

// ofStrays says whether a shard is for goroutines that outlived their tests.
func ofStrays(shard int) bool { return shard%2 == 1 }

// inShard is where in a shard its ring is.
func (l layout) inShard() int { return pages(l.rows*wordSize) + pages(l.rows*rowSize) }

// A table is the file, read.
type table struct {
	layout
	file io.ReaderAt
	head [headWords]uint64
}

// table reads the header. The program may have written anything there: what it
// says is checked here, what the other parts hold where they are read.
func (f *File) table() (*table, error) {
	t := &table{layout: layout{f.setup.Components + specials}, file: f.file}
	words, err := t.words(0, headWords)
	if err != nil {
		return nil, err
	}
	copy(t.head[:], words)
	switch {
	case t.head[headToken] != f.token, t.head[headRows] != uint64(t.rows), t.head[headNames] != uint64(f.setup.Names.slots):
		return nil, errors.New("its header is not the one that it was given")
	case t.head[headUsed] > maxShards:
		return nil, fmt.Errorf("%d shards have been used, there are %d", t.head[headUsed], maxShards)
	case t.head[headLogged] > logSize:
		return nil, fmt.Errorf("its log has %d bytes, there is room for %d", t.head[headLogged], logSize)
	case t.scale() != 0 && !(t.scale() >= leastScale && t.scale() <= mostScale):
		return nil, fmt.Errorf("its clock has %g ns a tick", t.scale())
	}
	return t, nil
}

// The clock of the counters has between a thousandth of a ns and a microsecond a
// tick: the slowest is that of arm64, with 1 MHz.
const leastScale, mostScale = 1e-3, 2e3

// log is what the program said was whole.
func (t *table) log() io.Reader {
	return io.NewSectionReader(t.file, pageSize, int64(t.head[headLogged]))
}

func (t *table) words(at, n int) ([]uint64, error) {
	data := make([]byte, n*wordSize)
	if _, err := t.file.ReadAt(data, int64(at)); err != nil {
		return nil, err
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.NativeEndian.Uint64(data[i*wordSize:])
	}
	return words, nil
}

// hot returns the modes of the components.
func (t *table) hot() ([]Hot, error) {
	data := make([]byte, t.rows)
	if _, err := t.file.ReadAt(data, int64(t.modes())); err != nil {
		return nil, err
	}
	hot := make([]Hot, t.rows-specials)
	for i := range hot {
		mode := data[i+1]
		if hot[i] = Hot(mode &^ (probeDefers | notesSizes)); hot[i]&^(HotCalls|HotLiterals|HotBlocks) != 0 {
			return nil, fmt.Errorf("row %d has mode %d", i+1, mode)
		}
	}
	return hot, nil
}

// scale is how many ns a tick of the counters' clock has.
func (t *table) scale() float64 {
	return math.Float64frombits(t.head[headScale])
}

func (l layout) straysRow() int { return StraysRow(l.rows - specials) }

// totals adds up the shards: the counters of every row but those for
// calibration, in the order of a line of the log.
func (t *table) totals() ([]counters, error) {
	sums := make([]counters, t.rows-calibration)
	for shard := range int(t.head[headUsed]) {
		calls, err := t.words(t.shard(shard), t.rows)
		if err != nil {
			return nil, err
		}
		times, err := t.words(t.shard(shard)+pages(t.rows*wordSize), t.rows*rowWords)
		if err != nil {
			return nil, err
		}
		if ofStrays(shard) {
			for row := range t.rows {
				sums[t.straysRow()][1] += times[row*rowWords]
			}
			continue
		}
		for row := range sums {
			sums[row][0] += calls[row]
			for v := range counted {
				sums[row][1+v] += times[row*rowWords+v]
			}
		}
	}
	samples, err := t.words(t.samples(), t.rows*sampleWords)
	if err != nil {
		return nil, err
	}
	allocations, err := t.words(t.allocations(), t.rows*allocated)
	if err != nil {
		return nil, err
	}
	for row := range sums {
		copy(sums[row][1+counted:], samples[row*sampleWords:][:sampled])
		copy(sums[row][1+counted+sampled:], allocations[row*allocated:][:allocated])
	}
	return sums, nil
}

// counters are the numbers of a line of the log: n; self, cum, wall, calls,
// timed, literals, switches; kept, lost, gained, cum, samples; bytes and objects.
type counters [1 + counted + sampled + allocated]uint64

const (
	counted   = 7
	sampled   = 5
	allocated = 2
)

func (c *counters) count(scale float64) (Count, error) {
	ns := func(i int) uint64 {
		return uint64(math.Round(min(math.MaxInt64, max(0, float64(int64(c[i]))*scale))))
	}
	counted := Count{
		N: c[0], SelfNS: ns(1), CumNS: ns(2), WallNS: ns(3), Calls: c[4], Timed: c[5], Literals: c[6], Switches: c[7],
		KeptNS: c[8], LostNS: c[9], GainedNS: c[10], BelowNS: c[11], Samples: c[12],
		AllocBytes: c[13], AllocObjects: c[14],
	}
	if counted.largest() > mostCounted {
		return Count{}, fmt.Errorf("a row counted %d", counted.largest())
	}
	return counted, nil
}

// mostCounted is more than any program counts, in ns 26 days, and so little that
// sums of it do not overflow: 2^51.
const mostCounted = 1 << 51
