package probe

import (
	"encoding/binary"
	"fmt"
)

// A part of the file is a ring into which each sample of a component writes who called it: a page
// that begins with how many records there were, a page that begins with how many the reader has
// taken, then records of four words: 1 + the number of the record, written last; row and caller,
// 32 bits each; the thread; and the instant, in ticks of the counters' clock. All threads share
// it, so a record may be whole before the one in front of it.
const (
	callerRecords = 1 << 13
	callerSize    = 4 * wordSize
	callersSize   = 2*pageSize + callerRecords*callerSize
)

// A CallerSeen is a sample of a component: who had called it on this thread.
type CallerSeen struct {
	Row, Caller uint32 // the caller is 0 if it is no component
	Thread      uint64
	AtNS        int64 // CLOCK_MONOTONIC
}

// Callers hands over the samples since the last call, in the order in which they were taken from
// each thread. It may be called while the program runs. A record that is not whole by the second
// time is left out: its process was killed. What is no record of a probe ends it, as it ends
// Occupancy.
func (f *File) Callers(take func(CallerSeen)) {
	if f.damage != nil {
		return
	}
	if err := f.callers(take); err != nil {
		f.damage = fmt.Errorf("reading the callers in the probe's file: %w", err)
	}
}

func (f *File) callers(take func(CallerSeen)) error {
	t, err := f.table()
	if err != nil || t.scale() == 0 {
		return err
	}
	written, err := t.words(t.callers(), 1)
	if err != nil {
		return err
	}
	read := f.callersTaken
	if written[0]-read > callerRecords {
		return fmt.Errorf("%d samples were written, but only %d taken", written[0], read)
	}
	for ; read < written[0]; read++ {
		words, err := t.words(t.callers()+2*pageSize+int(read%callerRecords)*callerSize, callerSize/wordSize)
		if err != nil {
			return err
		}
		if words[0] != read+1 {
			if f.callerAwaited != read+1 {
				f.callerAwaited = read + 1
				break
			}
			continue
		}
		s := CallerSeen{Row: uint32(words[1]), Caller: uint32(words[1] >> 32), Thread: words[2], AtNS: t.instant(words[3])}
		if least, most := uint32(1), uint32(t.rows-specials); s.Row < least || s.Row > most || s.Caller > most {
			return fmt.Errorf("row %d of %d was called by row %d", s.Row, most, s.Caller)
		}
		take(s)
	}
	if read == f.callersTaken {
		return nil
	}
	f.callersTaken = read
	_, err = f.file.WriteAt(binary.NativeEndian.AppendUint64(nil, read), int64(t.callers()+pageSize))
	return err
}
