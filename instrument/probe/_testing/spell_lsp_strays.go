// Goroutines that go on when the test that started them is over: package runtime tells
// them apart, as soon as it is told which tests are in progress. The log says where
// they were started, and how long they ran in each later test.

//go:build linux && (amd64 || arm64)

package testing

import "strconv"

// spellStartTest says that the test or example begins, and that this goroutine works for it.
func spellStartTest(name string) {
	if name != "" {
		spell.open(name)
	}
}

// spellClosed says that the test is over, with all that it had to clean up.
func spellClosed(c *common) {
	if c.parent != nil && spell.row(c.name) == c.name {
		spellClose(spellWork(0))
	}
}

// open is change for a test that begins. One without a row of its own works for the test
// that it is a part of.
func (l *spellLog) open(name string) {
	if l.logged == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	row := l.row(name)
	l.changeLocked(row)
	if row == name {
		l.closeBenchmarks(nil)
		spellWork(spellAllot(l.number(row)))
	}
}

// openBenchmark says that this goroutine works for a benchmark, which begins one of its runs. A benchmark is in
// progress from the first of them until another begins that is no part of it.
func (l *spellLog) openBenchmark(b *B) {
	if l.logged == nil {
		return
	}
	l.Lock()
	defer l.Unlock()
	if b.spell == 0 {
		l.closeBenchmarks(b)
		b.spell = spellAllot(l.number(b.name))
		l.benchmarks = append(l.benchmarks, b)
	}
	b.spellTimed, b.spellBusy, b.spellStops = false, false, 0
	b.spellBefore = spellWork(b.spell)
}

// closeRun says that the goroutine no longer works for the benchmark.
func (l *spellLog) closeRun(b *B) {
	if l.logged != nil {
		spellWork(b.spellBefore)
	}
}

// closeBenchmarks says that all benchmarks are over but those that b is a part of.
func (l *spellLog) closeBenchmarks(b *B) {
	for n := len(l.benchmarks); n > 0 && !l.benchmarks[n-1].spellContains(b); n-- {
		spellClose(l.benchmarks[n-1].spell)
		l.benchmarks = l.benchmarks[:n-1]
	}
}

func (b *B) spellContains(part *B) bool {
	if part == nil {
		return false
	}
	for above := part.parent; above != nil; above = above.parent {
		if above == &b.common {
			return true
		}
	}
	return false
}

// strays appends a line for each go statement whose goroutines ran as strays since the last
// call, and before it, once, one that says where it is.
func (l *spellLog) strays(b []byte) []byte {
	for slot := 0; ; slot++ {
		goroutines, ran, ok := spellStrays(slot)
		if !ok {
			if slot == 0 { // most often there is room
				continue
			}
			return b
		}
		for slot >= len(l.strayed) {
			l.strayed = append(l.strayed, spellStrayed{})
		}
		last := &l.strayed[slot]
		if slot > 0 && last.goroutines == 0 {
			b = l.statement(b, slot)
		}
		if now := (spellStrayed{goroutines, ran}); now != *last {
			b = strconv.AppendInt(append(b, "strays "...), int64(slot), 10)
			b = strconv.AppendUint(append(b, ' '), goroutines-last.goroutines, 10)
			b = strconv.AppendUint(append(b, ' '), ran-last.ran, 10)
			b = append(b, '\n')
			*last = now
		}
	}
}

// A spellStrayed is what was logged of a slot: how many strays, and how long they ran.
type spellStrayed struct{ goroutines, ran uint64 }

func (l *spellLog) statement(b []byte, slot int) []byte {
	row, in, file, line, starts := spellStatement(slot)
	b = strconv.AppendInt(append(b, "go "...), int64(slot), 10)
	b = strconv.AppendInt(append(b, ' '), int64(line), 10)
	test := ""
	if row > 0 && int(row) <= len(l.names) {
		test = l.names[row-1]
	}
	for _, text := range []string{test, in, file, starts} {
		b = strconv.AppendQuote(append(b, ' '), text)
	}
	return append(b, '\n')
}
