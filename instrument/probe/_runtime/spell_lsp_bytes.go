//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	kernel "syscall_package"
	"unsafe"
)

// Bytes that are read, written, received and sent are counted where all of them pass:
// as a system call of package syscall returns. They belong to the innermost function on
// the stack that has a row, as time does. What C and the runtime itself move passes
// elsewhere.

// spellBytes is what one row moved.
type spellBytes struct {
	read, written  uint64 // of files and block devices
	received, sent uint64 // of sockets of the internet, loopback included
	// What of these costs energy. fetched and stored are what the storage layer read
	// and will write, where the program was asked to count it; wire is what was
	// received and sent beyond loopback, with headers. Then the same with callees.
	fetched, stored, wire          uint64
	cumFetched, cumStored, cumWire uint64
	_                              [6]uint64
}

// spellCall is what is known of a system call of a goroutine that is under way.
type spellCall struct {
	datagrams       uint64 // bytes of a call that moves several; of one that only peeks, 0
	fetched, stored uint32 // by the storage layer, in its units
	peer            uint32 // of an unconnected socket: spellAtHome or spellRemote
	asked           bool   // the storage layer was asked before it
}

// spellStorage is what a thread had read and written when it was last asked.
type spellStorage struct {
	fetched, stored, faults, foreign uint64
	fresh                            bool // no other call since
}

var (
	spellMovedBytes  *[spellMax]spellBytes // nil: bytes are not counted
	spellAskStorage  bool
	spellMovedLately uint32 // 1: bytes were counted since package testing asked
)

// spellCallBegins is called between entersyscall and the system call, where the stack
// must not grow and the goroutine has no processor. A descriptor that is closed is
// forgotten before another can have its number.
//
//go:linkname spellCallBegins
//go:nosplit
func spellCallBegins(trap, a1 uintptr) {
	if spellMovedBytes == nil {
		return
	}
	switch trap {
	case spellSysClose:
		spellForgetDescriptor(a1)
	case spellSysSendfile, spellSysSplice, spellSysCopyFileRange:
		a1 = ^uintptr(0) // either may be a file
		fallthrough
	case spellSysRead, spellSysWrite, spellSysPread, spellSysPwrite, spellSysReadv, spellSysWritev, spellSysPreadv, spellSysPwritev,
		spellSysPreadv2, spellSysPwritev2:
		gp := getg()
		if gp.spell.call.asked = spellAskStorage && spellMayBeFile(a1); gp.spell.call.asked {
			if s := &gp.m.spell.storage; !s.fresh || s.foreign != gp.m.ncgocall {
				s.ask(gp.m)
			}
		}
	}
}

// spellCallEnds is called between the system call and exitsyscall. Arguments point to
// where they did as long as the stack has not grown, and can be read if the kernel could.
//
//go:linkname spellCallEnds
//go:nosplit
func spellCallEnds(trap, a2, a3, a4, a5, r1 uintptr) {
	if spellMovedBytes == nil {
		return
	}
	gp := getg()
	call := &gp.spell.call
	storage := &gp.m.spell.storage
	const peek, errors = 0x2, 0x2000 // MSG_PEEK, MSG_ERRQUEUE
	switch trap {
	case spellSysRead, spellSysWrite, spellSysPread, spellSysPwrite, spellSysReadv, spellSysWritev, spellSysPreadv, spellSysPwritev,
		spellSysPreadv2, spellSysPwritev2, spellSysSendfile, spellSysSplice, spellSysCopyFileRange:
		if call.peer, call.fetched, call.stored = spellRemote, 0, 0; call.asked {
			call.fetched, call.stored = storage.ask(gp.m)
			return
		}
	case spellSysSendto, spellSysRecvfrom:
		if call.datagrams = uint64(r1); trap == spellSysRecvfrom && a4&(peek|errors) != 0 {
			call.datagrams = 0
		} else if int(r1) > 0 {
			call.peer = spellPeerAt(a5)
		}
	case spellSysSendmsg, spellSysRecvmsg:
		if call.datagrams = uint64(r1); trap == spellSysRecvmsg && a3&(peek|errors) != 0 {
			call.datagrams = 0
		} else if int(r1) > 0 {
			call.peer = spellPeerOf(a2)
		}
	case spellSysSendmmsg, spellSysRecvmmsg:
		call.datagrams, call.peer = 0, spellRemote
		if int(r1) < 0 || r1 > a3 || trap == spellSysRecvmmsg && a4&(peek|errors) != 0 {
			break
		}
		for i := range r1 { // struct mmsghdr is a struct msghdr, and a length
			message := a2 + i*64
			call.datagrams += uint64(*(*uint32)(unsafe.Pointer(message + 56)))
			call.peer = spellPeerOf(message)
		}
	}
	storage.fresh = false
}

// ask returns what the thread read from storage, and made dirty, since it was last
// asked, in units of 512 bytes, as its part of /proc/PID/io (getrusage(2), RUSAGE_THREAD,
// ru_inblock and ru_oublock). What a page fault read is left out.
//
//go:nosplit
func (s *spellStorage) ask(mp *m) (fetched, stored uint32) {
	const thread, faults, in, out = 1, 9, 11, 12
	var usage [18]uint64 // struct rusage of 64-bit systems
	kernel.Syscall6(spellGetrusage, thread, uintptr(unsafe.Pointer(&usage)), 0, 0, 0, 0)
	if usage[faults] == s.faults {
		fetched = uint32(usage[in] - s.fetched)
	}
	stored = uint32(usage[out] - s.stored)
	s.fetched, s.stored, s.faults, s.foreign, s.fresh = usage[in], usage[out], usage[faults], mp.ncgocall, true
	return fetched, stored
}

const spellMostMoved = 1 << 41 // by one system call: more is an error

// spellCalled is called when a system call has returned.
//
//go:linkname spellCalled
func spellCalled(trap, a1, a2, a3, r1, errno uintptr) {
	if spellMovedBytes == nil || errno != 0 {
		return
	}
	in, out := ^uintptr(0), ^uintptr(0)
	call := &getg().spell.call
	n := uint64(r1)
	switch trap {
	case spellSysRead, spellSysPread, spellSysReadv, spellSysPreadv, spellSysPreadv2:
		in = a1
	case spellSysWrite, spellSysPwrite, spellSysWritev, spellSysPwritev, spellSysPwritev2:
		out = a1
	case spellSysRecvfrom, spellSysRecvmsg, spellSysRecvmmsg:
		in, n = a1, call.datagrams
	case spellSysSendto, spellSysSendmsg, spellSysSendmmsg:
		out, n = a1, call.datagrams
	case spellSysSendfile:
		in, out = a2, a1
	case spellSysSplice, spellSysCopyFileRange:
		in, out = a1, a3
	case spellSysDup2, spellSysDup3:
		spellForgetDescriptor(a2)
		return
	case spellSysConnect:
		spellForgetDescriptor(a1)
		return
	case spellSysOpenat, spellSysSocket, spellSysAccept4: // C may have closed it
		spellForgetDescriptor(r1)
		return
	default:
		return
	}
	if n == 0 || n > spellMostMoved {
		return
	}
	b := spellBytes{}
	b.comeIn(spellKindOf(in), n, call)
	b.goOut(spellKindOf(out), n, call)
	if b != (spellBytes{}) {
		frame, gp := getfp(), getg()
		systemstack(func() { spellBook(frame, gp, &b) })
	}
}

func (b *spellBytes) comeIn(kind uint32, n uint64, call *spellCall) {
	switch kind {
	case spellFile:
		b.read = n
		b.storage(call)
	case spellRemote, spellAtHome, spellDatagram:
		b.received = n
		b.onWire(kind, n, call)
	}
}

func (b *spellBytes) goOut(kind uint32, n uint64, call *spellCall) {
	switch kind {
	case spellFile:
		b.written = n
		b.storage(call)
	case spellRemote, spellAtHome, spellDatagram:
		b.sent = n
		b.onWire(kind, n, call)
	}
}

func (b *spellBytes) storage(call *spellCall) {
	const unit = 512
	b.fetched, b.stored = uint64(call.fetched)*unit, uint64(call.stored)*unit
}

// A packet carries this many bytes, and needs so many for its headers, down to those of
// Ethernet, and for the answer that it has arrived.
const (
	spellPacket  = 1400
	spellHeaders = 132
)

func (b *spellBytes) onWire(kind uint32, n uint64, call *spellCall) {
	if kind == spellRemote || kind == spellDatagram && call.peer != spellAtHome {
		b.wire += n + (n+spellPacket-1)/spellPacket*spellHeaders
	}
}

// spellBook books bytes to the innermost function on the stack that has a row: from frame
// on, which is a frame pointer. Nothing is booked to functions for strays, as with time.
func spellBook(frame uintptr, gp *g, b *spellBytes) {
	spellBookRows(frame, gp, b)
	if atomic.Load(&spellMovedLately) == 0 { // last: whoever asks in between sees what was added, or asks again
		atomic.Store(&spellMovedLately, 1)
	}
}

func spellBookRows(frame uintptr, gp *g, b *spellBytes) {
	if gp.spell.stray != 0 {
		spellMovedBytes[spellStraysRow()].add(b)
		return
	}
	costs := b.fetched|b.stored|b.wire != 0
	found := false
	var seen spellRowSet
	for n := 0; n < spellFrames && frame >= gp.stack.lo && frame+16 <= gp.stack.hi; n++ {
		pc, above := *(*uintptr)(unsafe.Pointer(frame + 8)), *(*uintptr)(unsafe.Pointer(frame))
		rows, list := spellRowsAt(pc, gp.spell.top)
		for _, row := range list[:rows] {
			if !found {
				found = true
				spellMovedBytes[row].add(b)
			}
			if costs && seen.add(row) {
				spellMovedBytes[row].addBelow(b)
			}
		}
		if found && !costs || above <= frame {
			break
		}
		frame = above
	}
	if !found {
		spellMovedBytes[gp.spell.top].add(b)
	}
}

func (to *spellBytes) add(b *spellBytes) {
	spellAdd(&to.read, b.read)
	spellAdd(&to.written, b.written)
	spellAdd(&to.received, b.received)
	spellAdd(&to.sent, b.sent)
	spellAdd(&to.fetched, b.fetched)
	spellAdd(&to.stored, b.stored)
	spellAdd(&to.wire, b.wire)
}

func (to *spellBytes) addBelow(b *spellBytes) {
	spellAdd(&to.cumFetched, b.fetched)
	spellAdd(&to.cumStored, b.stored)
	spellAdd(&to.cumWire, b.wire)
}

func spellAdd(to *uint64, n uint64) {
	if n != 0 {
		atomic.Xadd64(to, int64(n))
	}
}

// spellMoved is for package testing: what was moved, by row, and whether that may have
// grown since it last asked. It is nil where bytes are not counted.
//
//go:linkname spellMoved
func spellMoved() (rows unsafe.Pointer, grown bool) {
	if spellMovedBytes == nil {
		return nil, false
	}
	lately := atomic.Xchg(&spellMovedLately, 0) != 0
	return unsafe.Pointer(spellMovedBytes), lately || spellKin.pids[0] != 0 // there was a child: it has a flag of its own
}
