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
// timed, literals, switches; kept, lost, gained, cum, samples.
type spellCount [1 + spellCounted + spellSampled]uint64

const (
	spellCounted = 7 // of the 16 words of a processor's row
	spellSampled = 5 // of the 8 words of the samples' row
)

// A spellLog is kept in memory that is mapped to a file. Its zero value logs
// nothing.
type spellLog struct {
	sync.Mutex
	subtests   bool // they have rows of their own
	logged     []spellCount
	shards     []spellShard
	entry      []byte            // is written anew for each
	test       string            // whose counts the next entry holds, "" for none
	numbers    map[string]uint32 // of the tests, from 1 in the order in which they first began
	names      []string          // of the tests, in that order
	strayed    []spellStrayed    // as it was logged last, by slot
	benchmarks []*B              // in progress, each a part of the one before
	waitedNS   int64             // CPU time of the children that were waited for, as it was logged last; -1 before
	childless  bool              // there was no other child
}

var spell spellLog

// spellStart is called once, before any test.
func spellStart() {
	rows, _, subtests := spellMapping()
	if rows == 0 || spell.logged != nil {
		return
	}
	spell.subtests, spell.waitedNS = subtests, -1
	spellRescale()
	inner, outer, change := spellCalibrate(uint32(rows-3), uint32(rows-2))
	spellCost(inner+outer, change)
	spell.logged, spell.numbers = make([]spellCount, rows-3), make(map[string]uint32)
	spellAppend("cost " + strconv.FormatUint(inner, 10) + " " + strconv.FormatUint(outer, 10) + " " + strconv.FormatUint(change, 10) + "\n")
	spellAppend("frame " + strconv.FormatFloat(spellCalibrateFrame(uint32(rows-1)), 'f', 2, 64) + "\n")
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

// spellCalibrate measures what a probe adds, in ticks: to its own function, and
// to that function's caller, a call; and what it takes to put a row on top in
// place of another. The smallest of several batches is
// the one that was least disturbed.
func spellCalibrate(callee, caller uint32) (inner, outer, change uint64) {
	const batches, calls = 9, 256
	inner, outer, change = 1<<62, 1<<62, 1<<62
	plain := uint64(1 << 62)
	for range batches {
		before := spellSelf(caller)
		spellPlainBatch(caller, calls)
		plain = min(plain, (spellSelf(caller)-before)/calls)
		in, out := spellSelf(callee), spellSelf(caller)
		spellBatch(callee, caller, calls)
		inner = min(inner, (spellSelf(callee)-in)/calls)
		outer = min(outer, (spellSelf(caller)-out)/calls)
		in, out = spellSelf(callee), spellSelf(caller)
		spellChangeBatch(callee, caller, calls)
		change = min(change, (spellSelf(callee)+spellSelf(caller)-in-out)/(2*calls))
	}
	return inner, outer - min(outer, plain), change
}

// spellCalibrateFrame measures what a probe adds to the code of a function that is
// hot, in ns a call: its frame and the deferred call. What runs in functions of
// the probe is not in it: samples tell that from the function's own code, and this
// they do not.
func spellCalibrateFrame(hot uint32) float64 {
	const batches, calls = 9, 1024
	kinds := [...]func(row uint32, calls int){spellBatchOfHot, spellBatchOfProbes, spellBatchOfPlain, spellBatchOfNone}
	var least [len(kinds)]int64
	for i := range batches {
		for kind, batch := range kinds {
			start := spellNow()
			batch(hot, calls)
			if took := spellNow() - start; i == 0 || took < least[kind] {
				least[kind] = took
			}
		}
	}
	called, probes, plain, none := least[0], least[1], least[2], least[3]
	return float64(max(0, called-probes-(plain-none))) / calls
}

//go:noinline
func spellBatchOfHot(row uint32, calls int) {
	for range calls {
		spellEmpty(row)
	}
}

//go:noinline
func spellBatchOfProbes(row uint32, calls int) {
	for range calls {
		spellExit(spellEnter(row))
	}
}

//go:noinline
func spellBatchOfPlain(row uint32, calls int) {
	for range calls {
		spellPlain(row)
	}
}

//go:noinline
func spellBatchOfNone(_ uint32, calls int) {
	for range calls {
	}
}

//go:noinline
func spellChangeBatch(callee, caller uint32, calls int) {
	defer spellExit(spellEnter(caller))
	for range calls {
		spellReplace(callee)
		spellReplace(caller)
	}
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

//go:noinline
func spellPlainBatch(caller uint32, calls int) {
	defer spellExit(spellEnter(caller))
	for range calls {
		spellPlain(caller)
	}
}

//go:noinline
func spellPlain(uint32) {}

func spellSelf(row uint32) uint64 { return spellSum(int(row), spellShards())[1] }

// spellShard is what one processor counts, as the runtime maps it.
type spellShard struct {
	n       []uint64
	rows    [][16]uint64
	samples [][8]uint64
}

// spellShards lists those that have been used so far.
func spellShards() []spellShard {
	rows, n, _ := spellMapping()
	for i := len(spell.shards); i < n; i++ {
		n, counters, samples := spellCounters(i)
		spell.shards = append(spell.shards, spellShard{
			unsafe.Slice((*uint64)(n), rows),
			unsafe.Slice((*[16]uint64)(counters), rows),
			unsafe.Slice((*[8]uint64)(samples), rows),
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
	spellClosed(c)
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
// none; one that a test runs by testing.Benchmark, which belongs to the test,
// has none above all.
func spellBenchmark(b *B) (end func()) {
	above := &b.common
	for above.parent != nil {
		above = above.parent
	}
	if b.parent == nil || above.name == "" {
		return func() {}
	}
	after := spell.openBenchmark(b)
	return func() {
		after()
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
	spellClose(spellWork(0))
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

func (l *spellLog) changeLocked(row string) {
	if row == l.test {
		return
	}
	spellSettle()
	b := l.counted(l.strays(appendNow(append(l.waited(l.entry[:0]), "stop "...), '\n')))
	l.test = row
	if row != "" {
		b = strconv.AppendQuote(appendNow(append(b, "test "...), ' '), row)
		b = append(b, '\n')
	}
	l.entry = b
	spellAppend(unsafe.String(unsafe.SliceData(b), len(b)))
	spellTest(l.number(row))
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
	for i := range l.logged {
		now := spellSum(i, shards)
		if i == strays && len(l.strayed) > 0 {
			now[1] += spellStraySelf(shards)
		}
		if now == l.logged[i] {
			continue
		}
		b = strconv.AppendInt(b, int64(i), 10)
		for v := range now {
			b = strconv.AppendUint(append(b, ' '), now[v]-l.logged[i][v], 10)
		}
		b = append(b, '\n')
		l.logged[i] = now
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
