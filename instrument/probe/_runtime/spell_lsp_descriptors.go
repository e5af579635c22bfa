//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/atomic"
	kernel "syscall_package"
	"unsafe"
)

// The kinds of descriptors.
const (
	spellUnknown  = iota
	spellNoBytes  // a pipe, a terminal, /dev/null, a file of procfs, a socket of another family
	spellFile     // a regular file, or a block device
	spellRemote   // a socket to another machine
	spellAtHome   // one to this machine
	spellDatagram // a socket that is not connected
	spellKindBits = 8
)

var spellDescriptors [1 << 14]uint32 // what is known of them: a kind, and above it how often it was forgotten

// spellForgetDescriptor is for a number that stands for something else from now on.
//
//go:nosplit
func spellForgetDescriptor(fd uintptr) {
	if fd >= uintptr(len(spellDescriptors)) {
		return
	}
	for {
		old := atomic.Load(&spellDescriptors[fd])
		if atomic.Cas(&spellDescriptors[fd], old, (old>>spellKindBits+1)<<spellKindBits) {
			return
		}
	}
}

// spellMayBeFile says that a descriptor is a file, or not known.
//
//go:nosplit
func spellMayBeFile(fd uintptr) bool {
	if fd >= uintptr(len(spellDescriptors)) {
		return true
	}
	kind := atomic.Load(&spellDescriptors[fd]) & (1<<spellKindBits - 1)
	return kind == spellUnknown || kind == spellFile
}

// spellKindOf is the kind of a descriptor. One that changes while it is looked at is not
// remembered.
func spellKindOf(fd uintptr) uint32 {
	const mask = 1<<spellKindBits - 1
	if fd == ^uintptr(0) {
		return spellNoBytes
	}
	if fd >= uintptr(len(spellDescriptors)) {
		return spellAskKind(fd)
	}
	known := atomic.Load(&spellDescriptors[fd])
	if known&mask != spellUnknown {
		return known & mask
	}
	kind := spellAskKind(fd)
	atomic.Cas(&spellDescriptors[fd], known, known|kind)
	return kind
}

// spellMayBlock is a system call that a file system may answer late, or that a goroutine of this
// process answers: others run meanwhile. Arguments may point to the stack, which does not move.
//
//go:nosplit
func spellMayBlock(trap, a1, a2 uintptr) (errno uintptr) {
	entersyscall()
	_, _, errno = kernel.Syscall6(trap, a1, a2, 0, 0, 0, 0)
	exitsyscall()
	return errno
}

func spellAskKind(fd uintptr) uint32 {
	const typeMask, regular, device, socket = 0xf000, 0x8000, 0x6000, 0xc000
	var stat [18]uint64 // struct stat of 64-bit systems: at most 144 bytes
	if spellMayBlock(spellSysFstat, fd, uintptr(unsafe.Pointer(&stat))) != 0 {
		return spellNoBytes
	}
	switch stat[spellModeWord] & typeMask {
	case regular:
		// Files of the kernel are none: procfs, sysfs (statfs(2), f_type).
		const proc, sys = 0x9fa0, 0x62656572
		var fs [15]uint64 // struct statfs of 64-bit systems
		spellMayBlock(spellSysFstatfs, fd, uintptr(unsafe.Pointer(&fs)))
		if fs[0] != proc && fs[0] != sys {
			return spellFile
		}
	case device:
		return spellFile
	case socket:
		return spellAskSocket(fd)
	}
	return spellNoBytes
}

// spellAskSocket tells from the addresses of a socket whether its bytes stay on this machine.
func spellAskSocket(fd uintptr) uint32 {
	var own, peer spellAddress
	size := uint32(unsafe.Sizeof(own))
	_, _, errno := kernel.Syscall6(spellSysGetsockname, fd, uintptr(unsafe.Pointer(&own)), uintptr(unsafe.Pointer(&size)), 0, 0, 0)
	if errno != 0 || own.family != spellInternet && own.family != spellInternet6 {
		return spellNoBytes
	}
	size = uint32(unsafe.Sizeof(peer))
	_, _, errno = kernel.Syscall6(spellSysGetpeername, fd, uintptr(unsafe.Pointer(&peer)), uintptr(unsafe.Pointer(&size)), 0, 0, 0)
	switch {
	case errno != 0 && !spellLoopback(&own):
		return spellDatagram
	case errno != 0, spellLoopback(&peer), peer.family == spellInternet && peer.four == own.four, peer.family == spellInternet6 && peer.six == own.six:
		return spellAtHome
	}
	return spellRemote
}

// spellPeerOf is spellPeerAt for the address in a struct msghdr, which begins with where it
// is, and how long.
//
//go:nosplit
func spellPeerOf(message uintptr) uint32 {
	const shortest = 16 // of a sockaddr_in
	if *(*uint32)(unsafe.Pointer(message + 8)) < shortest {
		return spellRemote
	}
	return spellPeerAt(*(*uintptr)(unsafe.Pointer(message)))
}

// spellPeerAt says whether a struct sockaddr is one of this machine.
//
//go:nosplit
func spellPeerAt(address uintptr) uint32 {
	if address != 0 && spellLoopback((*spellAddress)(unsafe.Pointer(address))) {
		return spellAtHome
	}
	return spellRemote
}

// spellAddress is struct sockaddr_in, or sockaddr_in6.
type spellAddress struct {
	family, _ uint16
	four      [4]byte
	six       [16]byte
	_         [100]byte
}

const (
	spellInternet  = 2  // AF_INET
	spellInternet6 = 10 // AF_INET6
)

//go:nosplit
func spellLoopback(a *spellAddress) bool {
	switch a.family {
	case spellInternet:
		return a.four[0] == 127
	case spellInternet6:
		halves := (*[2]uint64)(unsafe.Pointer(&a.six))
		mapped := a.six[10] == 0xff && a.six[11] == 0xff && a.six[12] == 127
		return halves[0] == 0 && (halves[1] == 1<<56 || mapped) // ::1, ::ffff:127.0.0.0/104
	}
	return false
}
