// The probe's part of package testing. It stands there during an instrumented
// build only, and says which test the counters belong to: at each change from
// one test to another it appends to a log what was counted in
// between. Package probe reads it and tells the format.

//go:build linux && (amd64 || arm64)

package testing

import (
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

//go:linkname spellNow runtime.nanotime
func spellNow() int64

// A spellCount is what was counted for one row: n; self, cum, wall, calls,
// timed, literals, switches; kept, lost, gained, cum, samples; bytes and objects that it allocated.
type spellCount [1 + spellCounted + spellSampled + spellAllocated]uint64

const (
	spellCounted     = 7 // of the 16 words of a processor's row
	spellSampleWords = 8 // of a row of samples,
	spellSampled     = 5 // and those of them that are logged
)

// A spellLog is kept in memory that is mapped to a file. Its zero value logs
// nothing.
type spellLog struct {
	sync.Mutex
	subtests   bool // they have rows of their own
	logged     []spellCount
	grew       spellGrown
	shards     []spellShard
	entry      []byte            // is written anew for each
	test       string            // whose counts the next entry holds, "" for none
	numbers    map[string]uint32 // of the tests, from 1 in the order in which they first began
	names      []string          // of the tests, in that order
	strayed    []spellStrayed    // as it was logged last, by slot
	benchmarks []*B              // in progress, each a part of the one before
	waitedNS   int64             // CPU time of the children that were waited for, as it was logged last; -1 before
	childless  bool              // there was no other child

	movedLogged []spellMovedRow          // as it was logged last
	family      uint64                   // running time of child processes with probes, as it was logged last
	allocated   [][spellAllocated]uint64 // by row
}

var spell spellLog

// spellStart is called once, before any test.
func spellStart() {
	rows, _, subtests := spellMapping()
	if rows == 0 || spell.logged != nil {
		return
	}
	spell.subtests, spell.waitedNS = subtests, -1
	spellCalibrate()
	spell.allocated = spellAllocations(rows)
	spell.logged, spell.numbers = spellSlice[spellCount](rows-3), make(map[string]uint32)
	spell.entry = spellSlice[byte](1 << 16)
	spell.grew = spellNothingGrown(rows - 3)
	spellAppend("main\n")
}

// spellRun is called when M.Run begins, and spellRan when it returns.
func spellRun() { spell.note("run\n") }

func spellRan() { spell.note("ran\n") }

func (l *spellLog) note(entry string) {
	if l.logged == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	spellAppend(entry)
}

// spellShard is what one processor counts, as the runtime maps it.
type spellShard struct {
	n       []uint64
	rows    [][16]uint64
	samples [][spellSampleWords]uint64
}

// spellShards lists those that have been used so far.
func spellShards() []spellShard {
	rows, n, _ := spellMapping()
	for i := len(spell.shards); i < n; i++ {
		n, counters, samples := spellCounters(i)
		spell.shards = append(spell.shards, spellShard{
			unsafe.Slice((*uint64)(n), rows),
			unsafe.Slice((*[16]uint64)(counters), rows),
			unsafe.Slice((*[spellSampleWords]uint64)(samples), rows),
		})
	}
	return spell.shards
}

// spellSum adds up what all processors counted for a row, without strays.
func spellSum(row int, shards []spellShard) (sum spellCount) {
	for i := 0; i < len(shards); i += 2 {
		sum[0] += shards[i].n[row]
		counters := &shards[i].rows[row]
		for v := range spellCounted {
			sum[1+v] += counters[v]
		}
	}
	copy(sum[1+spellCounted:], shards[0].samples[row][:spellSampled])
	copy(sum[1+spellCounted+spellSampled:], spell.allocated[row][:])
	return sum
}

// spellStraySelf is the time of all strays: they are no component, whatever they run.
func spellStraySelf(shards []spellShard) (self uint64) {
	for i := 1; i < len(shards); i += 2 {
		for row := range shards[i].rows {
			self += shards[i].rows[row][0]
		}
	}
	return self
}

// spellBenchmark says that a benchmark begins one of its runs. What runs while its timer is on belongs
// to it.
func spellBenchmark(b *B) {
	b.spellReturned, b.spellCleaned, b.spellExitsBefore = false, false, b.spellAllExits()
	if b.spellCounts() {
		spell.openBenchmark(b)
	}
}

// spellBenchmarkRan says that the run is over, and how many operations it had: b.N, which
// b.Loop sets in the end. A run that panics is not over.
func spellBenchmarkRan(b *B) {
	if !b.spellCounts() {
		return
	}
	spell.closeRun(b)
	spell.leave(b.name, "")
	if !b.spellEnded() {
		return
	}
	spell.note("operations " + strconv.FormatFloat(b.spellOperations(), 'g', -1, 64) + " " + strconv.Quote(b.name) + "\n")
	spell.end(b.name, spellOutcome(&b.common))
}

// spellEnded reports whether a run ended properly: its function and its cleanup returned, or Fatal or Skip ended what was last of the
// two, called on b or on a benchmark around it. A panic or a bare runtime.Goexit is not a proper end.
func (b *B) spellEnded() bool {
	return b.spellReturned && b.spellCleaned || b.spellAllExits() > b.spellExitsBefore
}

// spellCleaning says that the cleanup of a run begins. A Fatal or Skip until then ended the function, and does not end the cleanup.
func spellCleaning(b *B) {
	if n := b.spellAllExits(); n > b.spellExitsBefore {
		b.spellReturned, b.spellExitsBefore = true, n
	}
}

// spellAllExits is how often Fatal or Skip ended b and the benchmarks around it, in all runs.
func (b *B) spellAllExits() (n int) {
	for c := &b.common; c != nil; c = c.parent {
		c.mu.RLock()
		n += c.spellExits
		c.mu.RUnlock()
	}
	return n
}

// spellMostStops is how often a timer may be stopped in a run of a benchmark: what is timed after that is not
// logged, and as many operations do not count.
const spellMostStops = 10_000

// spellTimerStarted says that the timer of a benchmark is on from now. While one that is a part of it runs, its
// timer means nothing.
func spellTimerStarted(b *B) {
	if !b.spellCounts() || b.spellBusy {
		return
	}
	b.spellTimed = true
	if b.spellStops <= spellMostStops {
		spell.change(b.name)
	}
}

// spellTimerStopped says that it is off.
func spellTimerStopped(b *B) {
	if !b.spellCounts() || b.spellBusy {
		return
	}
	if !b.spellReturned { // else the run ends
		b.spellStops++
	}
	spell.leave(b.name, "")
}

// spellTimerReset says that what has been timed of the run so far does not count.
func spellTimerReset(b *B) {
	if b.spellTimed && !b.spellBusy {
		b.spellStops = 0
		spell.reset(b.name)
		if b.timerOn { // it was not logged after too many stops
			spell.change(b.name)
		}
	}
}

// spellOperations is how many operations of a run were logged. Beyond the most stops it is estimated: each operation stops the timer
// equally often.
func (b *B) spellOperations() float64 {
	n := float64(max(0, b.N))
	if b.spellStops > spellMostStops {
		n *= spellMostStops / float64(b.spellStops)
	}
	return n
}

// spellSubbenchmark says that a benchmark runs one that is a part of it. It goes on when the
// result is called: what package testing does between two runs belongs to neither.
func spellSubbenchmark(b *B) (end func()) {
	if !b.spellCounts() {
		return func() {}
	}
	spell.leave(b.name, "")
	b.spellBusy = true
	return func() {
		b.spellBusy = false
		if b.timerOn && b.spellStops <= spellMostStops {
			spell.change(b.name)
		}
	}
}

// spellCounts says whether a benchmark is a row. The one above all others has a name, but is
// none; one that a test runs by testing.Benchmark, which belongs to the test, has none above
// all.
func (b *B) spellCounts() bool {
	above := &b.common
	for above.parent != nil {
		above = above.parent
	}
	return b.parent != nil && above.name != ""
}

// spellEndExample says that the example is over, and how it went.
func spellEndExample(name string, ok bool) {
	spellClose(spellWork(0))
	spell.leave(name, "")
	outcome := "fail"
	if ok {
		outcome = "pass"
	}
	spell.end(name, outcome)
}

// row is the test in the log that a test belongs to. Each subbenchmark has its own number of
// operations.
func (l *spellLog) row(name string) string {
	if !l.subtests && !strings.HasPrefix(name, "Benchmark") {
		name, _, _ = strings.Cut(name, "/")
	}
	return name
}

// change logs what was counted for one test, and goes on to the next.
func (l *spellLog) change(name string) {
	if l.logged == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	l.changeLocked(l.row(name))
}

// leave is change where the test that is logged is name, and nothing otherwise.
func (l *spellLog) leave(name, next string) {
	if l.logged == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	if l.row(name) == l.test {
		l.changeLocked(l.row(next))
	}
}

// reset drops what was logged of the run of a benchmark, whose timer goes on if it was on.
func (l *spellLog) reset(benchmark string) {
	if l.logged == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	on := l.test == benchmark
	if on {
		l.changeLocked("")
	}
	spellAppend("reset " + strconv.Quote(benchmark) + "\n")
	if on {
		l.changeLocked(benchmark)
	}
}

func (l *spellLog) changeLocked(row string) {
	if row == l.test {
		return
	}
	spellSettle()
	b := l.moved(l.counted(l.strays(appendNow(append(l.waited(l.entry[:0]), "stop "...), '\n'))))
	l.test = row
	if row != "" {
		b = l.dropped(b)
		b = strconv.AppendQuote(appendNow(append(b, "test "...), ' '), row)
		b = append(b, '\n')
	}
	l.entry = b
	spellAppend(unsafe.String(unsafe.SliceData(b), len(b)))
	spellTest(l.number(row))
}

// dropped appends a line with the time that the goroutine has spent on logging since the previous test ended. That time belongs to no test.
func (l *spellLog) dropped(b []byte) []byte {
	spellSettleOwn()
	own := len(l.logged) - 2 // the row of the probes' own time
	now := spellSum(own, spellShards())[1]
	b = strconv.AppendInt(append(b, "dropped "...), int64(own), 10)
	b = strconv.AppendUint(append(b, ' '), now-l.logged[own][1], 10)
	l.logged[own][1] = now
	return append(b, '\n')
}

// number is that of a test; 0 for none.
func (l *spellLog) number(row string) uint32 {
	if n, ok := l.numbers[row]; ok || row == "" {
		return n
	}
	n := uint32(len(l.numbers)) + 1
	l.numbers[row], l.names = n, append(l.names, row)
	return n
}

// waited appends a line where something has become of the program's children since the
// last call.
func (l *spellLog) waited(b []byte) []byte {
	ns, none := spellWaited()
	if ns == l.waitedNS && none == l.childless {
		return b
	}
	l.waitedNS, l.childless = ns, none
	b = strconv.AppendInt(append(b, "waited "...), ns, 10)
	b = strconv.AppendBool(append(b, ' '), none)
	return append(b, '\n')
}

// appendNow appends the time and the CPU time of the program, and what follows.
func appendNow(b []byte, then byte) []byte {
	b = strconv.AppendInt(b, spellNow(), 10)
	b = strconv.AppendInt(append(b, ' '), spellProgramCPU(), 10)
	return append(b, then)
}

// counted appends a line for each row that grew since the last call.
func (l *spellLog) counted(b []byte) []byte {
	spellRescale()
	shards := spellShards()
	strays := len(l.logged) - 1 // their row
	for i, grew := range l.grew.look(shards, l.allocated) {
		if !grew && (i != strays || len(l.strayed) == 0) {
			continue
		}
		now := spellSum(i, shards)
		if i == strays && len(l.strayed) > 0 {
			now[1] += spellStraySelf(shards)
		}
		if now == l.logged[i] {
			continue
		}
		b = strconv.AppendInt(b, int64(i), 10)
		last := len(now) - 1
		for last > 0 && now[last] == l.logged[i][last] {
			last--
		}
		for v := range last + 1 {
			b = strconv.AppendUint(append(b, ' '), now[v]-l.logged[i][v], 10)
		}
		b = append(b, '\n')
		l.logged[i] = now
	}
	if now := spellFamilyTicks(); now != l.family {
		b = append(strconv.AppendUint(append(b, "children "...), now-l.family, 10), '\n')
		l.family = now
	}
	return b
}

func (l *spellLog) end(name, outcome string) {
	if l.logged == nil || l.row(name) != name {
		return
	}
	l.Lock()
	defer l.Unlock()
	spellAppend("end " + outcome + " " + strconv.Quote(name) + "\n")
}
