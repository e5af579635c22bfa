package stacks

import (
	"encoding/binary"
	"math"
)

// Types of records (perf_event_open(2)).
const (
	recordLost        = 2
	recordComm        = 3
	recordExit        = 4
	recordThrottle    = 5
	recordFork        = 7
	recordSample      = 9
	recordLostSamples = 13
)

const (
	headerBytes  = 8
	modeMask     = 7       // of the header's misc: in what mode the processor was
	kernelMode   = 1       // PERF_RECORD_MISC_KERNEL
	execMisc     = 1 << 13 // PERF_RECORD_MISC_COMM_EXEC
	contextMost  = 4095    // callchain entries from -4095 on are marks (PERF_CONTEXT_MAX)
	sampledBytes = 16      // of the stack, from the stack pointer on (sample_stack_user)
)

// A header begins each record (struct perf_event_header).
type header struct {
	kind uint32
	misc uint16
	size int // of the record, with the header
}

func headerOf(record []byte) header {
	return header{binary.NativeEndian.Uint32(record), binary.NativeEndian.Uint16(record[4:]), int(binary.NativeEndian.Uint16(record[6:]))}
}

// A taken sample is a record of the kernel, before it is known of which process it is.
type taken struct {
	pid, tid, cpu int
	time          int64
	count         uint64 // CPU time of the thread since its event was opened, ns
	kernel        bool
	stack         []uint64
	ret           []uint64
}

// fields reads a record field by field. What is behind its end is 0, and short is set.
type fields struct {
	data  []byte
	short bool
}

func (f *fields) word() uint64 {
	if len(f.data) < 8 {
		f.data, f.short = nil, true
		return 0
	}
	w := binary.NativeEndian.Uint64(f.data)
	f.data = f.data[8:]
	return w
}

// pair is two numbers of 32 bits.
func (f *fields) pair() (a, b int) {
	if len(f.data) < 8 {
		f.data, f.short = nil, true
		return 0, 0
	}
	a, b = int(int32(binary.NativeEndian.Uint32(f.data))), int(int32(binary.NativeEndian.Uint32(f.data[4:])))
	f.data = f.data[8:]
	return a, b
}

// parseSample reads the content of a sample, whose fields are those of sampleType. link says
// that the link register is one of them.
func parseSample(h header, content []byte, link bool) (taken, bool) {
	f := fields{data: content}
	t := taken{kernel: h.misc&modeMask == kernelMode}
	t.pid, t.tid = f.pair()
	t.time = int64(f.word())
	t.cpu, _ = f.pair()
	t.count = f.word()
	n := f.word()
	if n > uint64(len(f.data)/8) {
		return t, false
	}
	t.stack = make([]uint64, 0, n)
	for range n {
		if pc := f.word(); pc <= math.MaxUint64-contextMost {
			t.stack = append(t.stack, pc)
		}
	}
	const noRegisters = 0
	if link && f.word() != noRegisters { // the ABI stands before them
		t.ret = append(t.ret, f.word())
	}
	size := f.word()
	if size == 0 || size > uint64(len(f.data)) {
		return t, !f.short && size == 0
	}
	words := fields{data: f.data[:size]}
	f.data = f.data[size:]
	if valid := f.word(); valid < words.length() {
		words.data = words.data[:valid/8*8]
	}
	for len(words.data) > 0 && len(t.ret) < 2 {
		t.ret = append(t.ret, words.word())
	}
	if len(t.ret) < 2 {
		t.ret = nil
	}
	return t, !f.short
}

func (f *fields) length() uint64 { return uint64(len(f.data)) }

// A task is a thread that a record is about.
type task struct{ pid, tid int }

// parseTask reads the content of a record of a thread that starts or ends, and which
// process started it.
func parseTask(content []byte) (t task, parent int, ok bool) {
	f := fields{data: content}
	t.pid, parent = f.pair()
	t.tid, _ = f.pair()
	return t, parent, !f.short
}

// parseComm reads the content of a record of a process that executes another program.
func parseComm(content []byte) (t task, ok bool) {
	f := fields{data: content}
	t.pid, t.tid = f.pair()
	return t, !f.short
}

// parseLost reads how many records were lost: an ID stands before the number in records
// of type recordLost.
func parseLost(h header, content []byte) uint64 {
	f := fields{data: content}
	if h.kind == recordLost {
		f.word()
	}
	return f.word()
}
