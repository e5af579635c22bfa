package probe

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A shard ends in a ring in which a processor writes down what ran in each tick
// of the meter: a page with the words below, then records of 32 bytes: row and
// tick, 32 bits each, the row with 1 + the CPU in its upper bits; two instants, or 0; and how long it ran, all in the ticks of
// the counters' clock.
const (
	ringWritten = 0 // records since the start
	ringLost    = 1 // for which there was no room
	ringTick    = 2 // that is under way
	ringTouched = 3 // 1 + the row that ran last in it
	ringStops   = 4 // how often a goroutine stopped running on the processor
	ringCPU     = 5 // 1 + the CPU on which it runs in the tick, 0 if that is not known
	ringRead    = 8 // records that the reader has taken

	ringRecords = 1 << 15
	recordSize  = 32
	ringSize    = pageSize + ringRecords*recordSize

	// Words of a row: what it was charged until the tick before, and 1 + the row
	// that was touched before it.
	rowBase = 11
	rowNext = 12
)

// An Occupied says how long a row ran in a tick, on one processor.
type Occupied struct {
	Row, Tick uint32
	RanNS     float64
	// If EndNS is not 0, the row ran between two instants of CLOCK_MONOTONIC, the
	// second in the tick. They may be several ticks apart, and RanNS is less than their
	// difference if the thread was preempted.
	StartNS, EndNS int64
	OfChild        bool // in a child process
	// OnCPU is 1 + the number of the CPU on which it ran; 0 where that is not known or was not asked for.
	OnCPU uint32
}

const (
	rowBits = 20
	mostCPU = 1<<(32-rowBits) - 1
)

// Occupancy hands over what was written down since the last call, in no order. It
// may be called while the program runs; after its end, ended is set and hands over
// all that is left. It returns how many records were lost since the program began.
// What is no record of a probe ends it for good: then the file is [File.Damaged], and Read says
// so.
func (f *File) Occupancy(ended bool, take func(Occupied)) (lost uint64) {
	if f.damage != nil {
		return 0
	}
	lost, err := f.occupancy(ended, take)
	if err != nil {
		f.damage = fmt.Errorf("reading the probe's file: %w", err)
	}
	return lost
}

// Damaged says that Occupancy found what is no record of a probe: nothing more is handed over.
func (f *File) Damaged() bool { return f.damage != nil }

// occupancy returns, with an error, the losses up to the fault.
func (f *File) occupancy(ended bool, take func(Occupied)) (lost uint64, err error) {
	t, err := f.table()
	if err != nil || t.scale() == 0 { // 0: the program has not come to its tests yet
		return 0, err
	}
	owners, err := t.owners()
	if err != nil {
		return 0, err
	}
	for shard := range int(t.head[headUsed]) {
		more, err := f.ring(t, shard, ended, func(o Occupied) {
			o.OfChild = owners[shard/2] != 0
			take(o)
		})
		lost += more
		if err != nil {
			return lost, fmt.Errorf("what processor %d did: %w", shard, err)
		}
	}
	return lost, nil
}

// ring takes what is in the ring of a shard.
func (f *File) ring(t *table, shard int, ended bool, take func(Occupied)) (lost uint64, err error) {
	at := t.shard(shard) + t.inShard()
	head, err := t.words(at, ringRead+1)
	if err != nil {
		return 0, err
	}
	for shard >= len(f.taken) {
		f.taken = append(f.taken, 0)
	}
	written, read := head[ringWritten], f.taken[shard]
	if head[ringRead] != read || written-read > ringRecords || head[ringLost] > mostCounted {
		return 0, fmt.Errorf("%d records were written, %d taken and %d lost, but %d were taken", written, head[ringRead], head[ringLost], read)
	}
	lost = head[ringLost]
	for read < written {
		first := read % ringRecords
		n := min(written-read, ringRecords-first)
		data := make([]byte, n*recordSize)
		if _, err := f.file.ReadAt(data, int64(at+pageSize+int(first)*recordSize)); err != nil {
			return lost, err
		}
		for i := range int(n) {
			o, err := t.occupied(data[i*recordSize:])
			if err != nil {
				return lost, err
			}
			if ofStrays(shard) {
				o.Row = uint32(t.straysRow())
			}
			take(o)
		}
		read += n
	}
	if read != head[ringRead] {
		f.taken[shard] = read
		if _, err := f.file.WriteAt(binary.NativeEndian.AppendUint64(nil, read), int64(at+ringRead*wordSize)); err != nil {
			return lost, err
		}
	}
	if ended {
		err = t.touched(shard, head, take)
	}
	return lost, err
}

func (t *table) occupied(record []byte) (Occupied, error) {
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(record[i*wordSize:]) }
	row := binary.NativeEndian.Uint32(record)
	o := Occupied{
		Row: row & (1<<rowBits - 1), OnCPU: row >> rowBits, Tick: binary.NativeEndian.Uint32(record[4:]),
		RanNS: float64(word(3)) * t.scale(),
	}
	if word(2) != 0 {
		o.StartNS, o.EndNS = t.instant(word(1)), t.instant(word(2))
	}
	if int64(o.Row) >= int64(t.rows) || o.RanNS > mostCounted {
		return Occupied{}, fmt.Errorf("row %d of %d ran for %g ns", o.Row, t.rows, o.RanNS)
	}
	return o, nil
}

// instant is a time of the counters' clock as one of CLOCK_MONOTONIC.
func (t *table) instant(ticks uint64) int64 {
	since := float64(int64(ticks-t.head[headTicks])) * t.scale()
	return int64(t.head[headNS]) + int64(math.Round(max(-mostCounted, min(mostCounted, since))))
}

// touched takes what a processor had not written down yet.
func (t *table) touched(shard int, head []uint64, take func(Occupied)) error {
	next := head[ringTouched]
	for range t.rows { // a list that was torn may go round
		if next == 0 || next > uint64(t.rows) {
			break
		}
		row, err := t.words(t.shard(shard)+pages(t.rows*wordSize)+int(next-1)*rowSize, rowWords)
		if err != nil {
			return err
		}
		if ran := float64(int64(row[0]-row[rowBase])) * t.scale(); ran > mostCounted {
			return fmt.Errorf("row %d ran for %g ns", next-1, ran)
		} else if ran > 0 {
			o := Occupied{Row: uint32(next - 1), Tick: uint32(head[ringTick]), RanNS: ran}
			if head[ringCPU] <= mostCPU {
				o.OnCPU = uint32(head[ringCPU])
			}
			if ofStrays(shard) {
				o.Row = uint32(t.straysRow())
			}
			take(o)
		}
		next = row[rowNext]
	}
	return nil
}

// stops adds up how often goroutines stopped running on all processors.
func (t *table) stops() (sum uint64, err error) {
	for shard := range int(t.head[headUsed]) {
		word, err := t.words(t.shard(shard)+t.inShard()+ringStops*wordSize, 1)
		if err != nil {
			return 0, err
		}
		if word[0] > mostCounted {
			return 0, fmt.Errorf("goroutines stopped %d times", word[0])
		}
		sum += word[0]
	}
	return sum, nil
}
