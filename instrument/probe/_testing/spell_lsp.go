// The probe's part of package testing. It stands there during an instrumented
// build only, and says which test the counters belong to: at each change from
// one test to another it appends to the mapped file what was counted in
// between. Package probe reads it and tells the format.

//go:build linux && (amd64 || arm64)

package testing

import (
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

//go:linkname spellMapping runtime.spellMapping
func spellMapping() (table unsafe.Pointer, components int, subtests bool, path string)

//go:linkname spellNow runtime.nanotime
func spellNow() int64

//go:linkname spellEnter runtime.spellEnter
func spellEnter(component uint32) spellFrame

//go:linkname spellExit runtime.spellExit
func spellExit(spellFrame)

type spellFrame struct {
	ran, wall        int64
	component, below uint32
}

// A spellRow of the mapped table: n, self, cum, wall, children, literals, and 2
// unused.
type spellRow [8]uint64

const spellCounts = 6

// A spellLog is the end of the mapped file. Its zero value logs nothing.
type spellLog struct {
	sync.Mutex
	fd       int
	subtests bool // they have rows of their own
	table    []spellRow
	logged   []spellRow // how much of the table stands in the log
	test     string     // whose counts the next entry holds, "" for none
}

var spell spellLog

// spellStart is called once, before any test.
func spellStart() {
	table, n, subtests, path := spellMapping()
	if table == nil {
		return
	}
	if spell.fd = spellOpen(path); spell.fd < 0 {
		return
	}
	spell.subtests = subtests
	spell.table = unsafe.Slice((*spellRow)(table), n+3)
	inner, outer := spellCost(uint32(n+1), uint32(n+2))
	spell.logged = make([]spellRow, n+1)
	spell.write("cost " + strconv.FormatUint(inner, 10) + " " + strconv.FormatUint(outer, 10) + "\n")
}

// spellCost measures what a probe adds, in ns a call: to its own function, and
// to that function's caller. The smallest of several batches is the one that
// was least disturbed.
func spellCost(callee, caller uint32) (inner, outer uint64) {
	const batches, calls = 9, 256
	inner, outer = 1<<62, 1<<62
	for range batches {
		spell.table[callee], spell.table[caller] = spellRow{}, spellRow{}
		spellBatch(callee, caller, calls)
		inner = min(inner, spell.table[callee][1]/calls)
		outer = min(outer, spell.table[caller][1]/calls)
	}
	return inner, outer
}

//go:noinline
func spellBatch(callee, caller uint32, calls int) {
	defer spellExit(spellEnter(caller))
	for range calls {
		spellEmpty(callee)
	}
}

//go:noinline
func spellEmpty(callee uint32) {
	defer spellExit(spellEnter(callee))
}

// spellBegin says that what follows belongs to the test or example.
func spellBegin(name string) {
	if name != "" {
		spell.change(name)
	}
}

// spellLeave says that the test is over or waits for its turn: its parent goes
// on, unless another test has begun already.
func spellLeave(c *common) {
	if c.parent != nil {
		spell.leave(c.name, c.parent.name)
	}
}

// spellCleanup says that a test goes on whose parallel subtests are over. A
// parallel one has given its turn to others for good.
func spellCleanup(t *T) {
	if !t.isParallel {
		spellBegin(t.name)
	}
}

// spellEnd says that the test is over, and how it went.
func spellEnd(c *common) {
	if c.parent == nil {
		return
	}
	spellLeave(c)
	spell.end(c.name, spellOutcome(c))
}

func spellOutcome(c *common) string {
	switch {
	case c.Failed():
		return "fail"
	case c.Skipped():
		return "skip"
	}
	return "pass"
}

// spellBenchmark says that a benchmark begins one of its runs; the result is
// to be called after it. The benchmark above all others has a name, but is
// none; and one that a test runs by testing.Benchmark belongs to the test.
func spellBenchmark(b *B) (end func()) {
	if b.parent == nil || b.bstate == nil {
		return func() {}
	}
	spell.change(b.name)
	return func() {
		above := b.parent.name
		if b.level <= 1 {
			above = ""
		}
		spell.leave(b.name, above)
		spell.end(b.name, spellOutcome(&b.common))
	}
}

// spellEndExample says that the example is over, and how it went.
func spellEndExample(name string, ok bool) {
	spell.leave(name, "")
	outcome := "fail"
	if ok {
		outcome = "pass"
	}
	spell.end(name, outcome)
}

// row is the test in the matrix that a test belongs to.
func (l *spellLog) row(name string) string {
	if !l.subtests {
		name, _, _ = strings.Cut(name, "/")
	}
	return name
}

// change logs what was counted for one test, and goes on to the next.
func (l *spellLog) change(name string) {
	if l.table == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	l.changeLocked(l.row(name))
}

// leave is change where the test that is logged is name, and nothing otherwise.
func (l *spellLog) leave(name, next string) {
	if l.table == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	if l.row(name) == l.test {
		l.changeLocked(l.row(next))
	}
}

func (l *spellLog) changeLocked(row string) {
	if row == l.test {
		return
	}
	entry := "stop " + strconv.FormatInt(spellNow(), 10) + "\n" + l.counted()
	l.test = row
	if row != "" {
		entry += "test " + strconv.FormatInt(spellNow(), 10) + " " + strconv.Quote(row) + "\n"
	}
	l.write(entry)
}

// counted is a line for each component that ran since the last call.
func (l *spellLog) counted() string {
	var b strings.Builder
	for i := range l.logged {
		now := l.table[i]
		if now == l.logged[i] {
			continue
		}
		b.WriteString(strconv.Itoa(i))
		for v := range spellCounts {
			b.WriteByte(' ')
			b.WriteString(strconv.FormatUint(now[v]-l.logged[i][v], 10))
		}
		b.WriteByte('\n')
		l.logged[i] = now
	}
	return b.String()
}

func (l *spellLog) end(name, outcome string) {
	if l.table == nil || l.row(name) != name {
		return
	}
	l.Lock()
	defer l.Unlock()
	l.write("end " + outcome + " " + strconv.Quote(name) + "\n")
}

// write appends with a single system call: what is in the file is whole.
func (l *spellLog) write(s string) {
	syscall.Write(l.fd, []byte(s))
}

// spellOpen opens the file for good: a test may use up all descriptors, or
// change its root. It takes a high number, so that those that the program
// opens get the numbers that they would get without it.
func spellOpen(path string) int {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	const lowest = 900
	high, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, lowest)
	if errno != 0 {
		return fd
	}
	syscall.Close(fd)
	return int(high)
}
