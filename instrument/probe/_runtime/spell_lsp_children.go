//go:build linux && (amd64 || arm64)

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	kernel "syscall_package"
	"unsafe"
)

// A process that a measured program started, with others in between or not, and that was built
// with probes too, counts into the same file: to the file it is more processors. No variable and
// no descriptor is handed on, so neither the program nor its children see anything: the process
// looks for the file among its ancestors. The runner, the parent of the measured program, holds
// the file under a descriptor that is known.

const (
	spellFamilyAt = 1024 // in the file's first page
	spellSlots    = 120  // children that may be measured at a time
	spellFirstFD  = 777  // of the runner, see spellFDs
	spellFDs      = 8    // so many programs may be measured at a time by one runner
)

// spellFamily is what the processes that count into one file have in common.
type spellFamily struct {
	pid    uint64 // of the measured program
	test   uint64 // number of the test in progress, 0 for none
	binary uint64 // tells the measured program's executable from others
	flags  uint64 // what it was asked to do, see below
	names  uint64 // descriptors of the runner: of the table of names,
	ticks  uint64 // and of the readings, 0 for none
	pids   [spellSlots]uint32
	owners [1032]uint8 // of each pair of shards: 1 + the slot of the child that took it, 0 for the program
	// The go command that is replaced, what replaces it, and its first argument, each with a 0
	// behind it; see spellGo.
	goCommand [1512]byte
}

// The flags of a family.
const (
	spellKinTSC     = 1 << iota // the clock of the counters is the time stamp counter
	spellKinStorage             // what the storage layer moves is asked for
)

var (
	spellKin     *spellFamily
	spellChild   uint8  // 1 + that of this process; 0: it is the measured program itself
	spellEarlier uint32 // pairs that were taken before this process began
	spellLooked  uint32 // of them, those that were looked at
	spellForeign bool   // its executable is not the measured program's
)

// spellBegins is called when the file has been mapped as the measured program's.
func spellBegins() {
	spellKin.pid, spellKin.binary = uint64(getpid()), spellBinary()
	spellKin.flags = 0
	if spellAskStorage {
		spellKin.flags |= spellKinStorage
	}
	if spellTSC {
		spellKin.flags |= spellKinTSC
	}
}

// spellSupply gives a processor its shards, when it runs for the first time.
//
//go:nosplit
func spellSupply(pp *p) {
	shard, ok := spellClaim()
	if !ok {
		spellTable.uncounted = 1
		return
	}
	pp.spell.places = [2]spellPlace{spellPlaceOf(shard), spellPlaceOf(shard + 1)}
	at := &pp.spell.places[0]
	spellPopulate(unsafe.Pointer(at.n), at.ring-at.n)
	spellPopulate(unsafe.Pointer(at.ring), spellSoon)
	*(*spellPlace)(unsafe.Pointer(&pp.spell)) = pp.spell.places[pp.spell.stray]
}

// spellClaim takes a pair of shards: one that an earlier child in the same slot had, which has
// ended, or one that is free. The counters go on from what they are.
//
//go:nosplit
func spellClaim() (shard uintptr, ok bool) {
	for spellChild != 0 && atomic.Load(&spellLooked) < spellEarlier {
		if i := atomic.Xadd(&spellLooked, 1) - 1; i < spellEarlier && spellKin.owners[i%uint32(len(spellKin.owners))] == spellChild {
			return 2 * uintptr(i), true
		}
	}
	for {
		used := atomic.Load64(&spellTable.used)
		if used+2 > spellTable.shards || used/2 >= uint64(len(spellKin.owners)) {
			return 0, false
		}
		if atomic.Cas64(&spellTable.used, used, used+2) {
			spellKin.owners[used/2] = spellChild
			return uintptr(used), true
		}
	}
}

// spellJoin makes this process count into the file of a measured program that it descends from,
// if there is one. Where the chain of parents has been broken, its process group may still be
// that of the program.
func spellJoin() {
	const generations = 64
	below := uint32(getpid())
	parent, group := spellParent(below)
	first := group
	for range generations {
		if parent == 0 {
			break
		}
		if spellJoinOf(parent, below) {
			return
		}
		below = parent
		parent, _ = spellParent(below)
	}
	if parent, _ = spellParent(first); parent != 0 {
		spellJoinOf(parent, first)
	}
}

// spellJoinOf looks for the file of a program below its parent.
func spellJoinOf(runner, program uint32) bool {
	const readWrite = 2
	for i := range uint32(spellFDs) {
		path := spellPath{}
		path.descriptor(runner, spellFirstFD+i)
		if !path.isOurs() {
			continue
		}
		fd := open(&path.text[0], readWrite|_O_CLOEXEC, 0)
		if fd < 0 {
			continue
		}
		joined := spellIsSealed(fd) && spellJoinFile(fd, runner, program)
		closefd(fd)
		if joined {
			return true
		}
	}
	return false
}

// spellIsSealed says whether the file can be relied on: it belongs to the user of this process, and
// nobody can make it shorter.
func spellIsSealed(fd int32) bool {
	const getSeals, sealShrink, seal = 1034, 2, 1 // fcntl(2)
	seals, _, errno := kernel.Syscall6(spellFcntl, uintptr(fd), getSeals, 0, 0, 0, 0)
	if errno != 0 || seals&(sealShrink|seal) != sealShrink|seal {
		return false
	}
	var stat [36]uint32 // struct stat
	user, _, _ := kernel.Syscall6(spellGeteuid, 0, 0, 0, 0, 0, 0)
	_, _, errno = kernel.Syscall6(spellFstat, uintptr(fd), uintptr(unsafe.Pointer(&stat)), 0, 0, 0, 0)
	return errno == 0 && uintptr(stat[spellStatUser]) == user
}

// spellJoinFile maps the file, if it is that of the program, its clock is known, and this process
// was built of the packages that are measured. Without a slot, or without shards, it is not
// measured.
func spellJoinFile(fd int32, runner, program uint32) bool {
	page := spellMapFile(fd, 0, spellPage, _PROT_READ|_PROT_WRITE)
	if page == nil {
		return false
	}
	head, kin := (*spellHeader)(page), (*spellFamily)(add(page, spellFamilyAt))
	if kin.pid != uint64(program) || head.scale == 0 || head.names == 0 || kin.flags&spellKinTSC != 0 && !spellHasTSC {
		munmap(page, spellPage)
		return false
	}
	if spellMapNames(runner, uint32(kin.names), head.names) && spellIsMeasured() && spellTakeSlot(fd, kin) {
		spellTSC, spellAskStorage = kin.flags&spellKinTSC != 0, kin.flags&spellKinStorage != 0
		spellMapTable(fd, head)
	}
	if spellTable == nil {
		spellNames = nil
		return true // there is no other
	}
	spellForeign = kin.binary != spellBinary()
	spellTakeCosts()
	spellMapReadings(runner, uint32(kin.ticks))
	spellStartSamples()
	return true
}

func spellMapNames(runner, number uint32, slots uint64) bool {
	fd := spellOpenOf(runner, number)
	if fd < 0 {
		return false
	}
	spellNames = (*[1 << 26]spellName)(spellMapFile(fd, 0, uintptr(slots)*unsafe.Sizeof(spellName{}), _PROT_READ))
	spellNameMask = slots - 1
	closefd(fd)
	return spellNames != nil
}

func spellMapReadings(runner, number uint32) {
	if number == 0 {
		return
	}
	fd := spellOpenOf(runner, number)
	if fd < 0 {
		return
	}
	if count := (*uint64)(spellMapFile(fd, 0, spellPage, _PROT_READ)); count != nil {
		spellReadings = count
	}
	closefd(fd)
}

// spellOpenOf opens a file, to read it, that another process has open.
func spellOpenOf(pid, descriptor uint32) int32 {
	const readOnly = 0
	path := spellPath{}
	path.descriptor(pid, descriptor)
	return open(&path.text[0], readOnly|_O_CLOEXEC, 0)
}

// spellTakeSlot takes a slot by a lock on a byte of the file, far behind its end (fcntl(2), open
// file description locks). The lock lasts as long as the file is mapped, however this process
// ends: whoever has it next may take its shards.
func spellTakeSlot(fd int32, kin *spellFamily) bool {
	const setLock, writeLock, behind = 37, 1, 1 << 62
	for slot := range uint32(spellSlots) {
		lock := struct {
			kind, whence int16
			start, size  int64
			pid          int32
		}{kind: writeLock, start: behind + int64(slot), size: 1}
		if _, _, errno := kernel.Syscall6(spellFcntl, uintptr(fd), setLock, uintptr(unsafe.Pointer(&lock)), 0, 0, 0); errno == 0 {
			spellChild = uint8(slot) + 1
			kin.pids[slot] = uint32(getpid())
			return true
		}
	}
	return false
}

// spellIsMeasured says whether package main of this process, or the package that it tests, is one
// of those that are measured. The path of files that were named one by one is not known: the
// folder of the main function tells the package.
func spellIsMeasured() bool {
	const test, files = ".test", "command-line-arguments"
	path := spellMainPath()
	spellMainHash = spellPathHash(path)
	if n := len(path) - len(test); n > 0 && path[n:] == test {
		path = path[:n]
	}
	if path == files {
		found := spellRowOf(spellPathHash(spellMainFolder()))
		if found <= 1 { // none, or a path that -trimpath made
			return false
		}
		spellMainHash = found - 1
		return true
	}
	return spellRowOf(spellPathHash(path)) != 0
}

// spellMainFolder is the folder of the file with the main function.
func spellMainFolder() string {
	main := main_main
	pc := abi.FuncPCABIInternal(main)
	f := findfunc(pc)
	if !f.valid() {
		return ""
	}
	file, _ := funcline(f, pc)
	for i := len(file) - 1; i > 0; i-- {
		if file[i] == '/' {
			return file[:i]
		}
	}
	return ""
}

// spellBinary tells executables apart: by what the go command says of their build, and how large
// they are.
func spellBinary() uint64 {
	const prime = 1099511628211
	hash := spellPathHash(modinfo)
	for _, size := range [...]uintptr{firstmoduledata.etext - firstmoduledata.text, uintptr(len(firstmoduledata.funcnametab)), uintptr(len(firstmoduledata.pclntable))} {
		hash = (hash ^ uint64(size)) * prime
	}
	return hash
}

// spellParent reads the parent of a process and its process group (proc_pid_stat(5)); 0 where they
// are not known.
func spellParent(pid uint32) (parent, group uint32) {
	const readOnly = 0
	path := spellPath{}
	path.add("/proc/")
	path.addNumber(pid)
	path.add("/stat")
	fd := open(&path.text[0], readOnly|_O_CLOEXEC, 0)
	if fd < 0 {
		return 0, 0
	}
	var text [256]byte
	n := read(fd, noescape(unsafe.Pointer(&text)), int32(len(text)))
	closefd(fd)
	at := int(n) - 1
	for at >= 0 && text[at] != ')' { // the end of the name, which may contain others
		at--
	}
	if at < 0 {
		return 0, 0
	}
	var fields [3]uint32 // state, parent, group
	for field, i := -1, at+1; i < int(n) && field < len(fields); i++ {
		if c := text[i]; c == ' ' {
			field++
		} else if field > 0 && c >= '0' && c <= '9' {
			fields[field] = fields[field]*10 + uint32(c-'0')
		}
	}
	return fields[1], fields[2]
}

// A spellPath is the name of a file, with a 0 behind it.
type spellPath struct {
	text [64]byte
	n    int
}

func (p *spellPath) add(text string) { p.n += copy(p.text[p.n:len(p.text)-1], text) }

func (p *spellPath) addNumber(n uint32) {
	var digits [10]byte
	at := len(digits)
	for first := true; first || n > 0; first = false {
		at--
		digits[at], n = '0'+byte(n%10), n/10
	}
	p.n += copy(p.text[p.n:len(p.text)-1], digits[at:])
}

// descriptor is the name of a file that another process has open.
func (p *spellPath) descriptor(pid, fd uint32) {
	p.add("/proc/")
	p.addNumber(pid)
	p.add("/fd/")
	p.addNumber(fd)
}

// isOurs says whether a descriptor is that of a file of package probe. Others are not opened.
func (p *spellPath) isOurs() bool {
	const name = "/memfd:spell-lsp (deleted)"
	const here = ^uintptr(99) // AT_FDCWD
	var target [len(name) + 1]byte
	n, _, errno := kernel.Syscall6(spellReadlinkat, here, uintptr(unsafe.Pointer(&p.text)), uintptr(unsafe.Pointer(&target)), uintptr(len(target)), 0, 0)
	return errno == 0 && n == uintptr(len(name)) && string(target[:len(name)]) == name
}

// spellFamilyTicks is for package testing: how long goroutines of other processes ran so far that
// count into the file. They have no strays.
//
//go:linkname spellFamilyTicks
func spellFamilyTicks() (sum uint64) {
	if spellTable == nil {
		return 0
	}
	for shard := uintptr(0); shard < uintptr(spellTable.used); shard += 2 {
		if spellKin.owners[shard/2] == 0 {
			continue
		}
		rows := spellShard(shard).rows
		for row := range spellRows {
			sum += rows[row].self
		}
	}
	return sum
}

// spellGo is for package syscall: the go command that is replaced in a process that is measured,
// what replaces it, and its first argument. They are "" where none is.
//
//go:linkname spellGo
func spellGo() (command, by, argument string) {
	if spellTable == nil {
		return "", "", ""
	}
	var texts [3]string
	text, from := 0, 0
	for i, c := range spellKin.goCommand {
		if c == 0 && text < len(texts) {
			texts[text] = unsafe.String(&spellKin.goCommand[from], i-from)
			text, from = text+1, i+1
		}
	}
	return texts[0], texts[1], texts[2]
}
