package stacks

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A ring is the buffer that the kernel shares with us for one event: a page of its own
// description, and a power of two of pages with records.
type ring struct {
	memory []byte
	page   *unix.PerfEventMmapPage
	data   []byte
	joined []byte // a record that the end of the buffer cuts in two
}

// mapRing maps the buffer of an event, with so many bytes of records.
func mapRing(descriptor, size int) (*ring, error) {
	page := unix.Getpagesize()
	memory, err := unix.Mmap(descriptor, 0, page+size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &ring{memory: memory, page: (*unix.PerfEventMmapPage)(unsafe.Pointer(&memory[0])), data: memory[page:]}, nil
}

func (r *ring) close() error {
	if r.memory == nil {
		return nil
	}
	return unix.Munmap(r.memory)
}

// read calls each for all records, whose content is valid during the call, and frees their
// room. ok is false if what is there is no record, which the kernel rules out.
func (r *ring) read(each func(header, []byte)) (ok bool) {
	if r.memory == nil {
		return true
	}
	head, tail := atomic.LoadUint64(&r.page.Data_head), r.page.Data_tail
	defer func() { atomic.StoreUint64(&r.page.Data_tail, head) }()
	for tail < head {
		start := tail % uint64(len(r.data)) // records are aligned to 8 bytes, so a header is in one piece
		h := headerOf(r.data[start:])
		if h.size < headerBytes || uint64(h.size) > head-tail {
			return false
		}
		each(h, r.piece(start+headerBytes, h.size-headerBytes))
		tail += uint64(h.size)
	}
	return true
}

// piece is what stands from a place on, also across the end of the buffer.
func (r *ring) piece(from uint64, size int) []byte {
	from %= uint64(len(r.data))
	if from+uint64(size) <= uint64(len(r.data)) {
		return r.data[from:][:size]
	}
	r.joined = append(append(r.joined[:0], r.data[from:]...), r.data[:size-(len(r.data)-int(from))]...)
	return r.joined
}

// readCount reads the event itself: the CPU time of its thread, ns.
func readCount(descriptor int) (uint64, bool) {
	var b [8]byte
	n, err := unix.Read(descriptor, b[:])
	return binary.NativeEndian.Uint64(b[:]), err == nil && n == len(b)
}
