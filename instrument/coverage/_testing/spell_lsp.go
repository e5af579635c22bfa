// Which test the counters of a program that is built with -cover belong to. This file stands in
// package testing during the build that counts calls only, beside spell_lsp_begin.go of the probe, and
// has the other functions that the edits of package testing call. Benchmarks are not counted.

//go:build linux && (amd64 || arm64)

package testing

import (
	"internal/coverage/cfile"
	"strconv"
	"strings"
	"sync"
)

var spell spellWindows

// spellWindows knows which row runs.
type spellWindows struct {
	sync.Mutex
	on, subtests bool
	test         string // "" for none
}

// spellStart is called once, before any test.
func spellStart() { spell.on, spell.subtests = cfile.SpellTests() }

func spellStartTest(name string) { spellBegin(name) }

// spellEndExample says that the example is over, and how it went.
func spellEndExample(name string, ok bool) {
	spell.leave(name, "")
	outcome := "fail"
	if ok {
		outcome = "pass"
	}
	spell.end(name, outcome)
}

func (w *spellWindows) row(name string) string {
	if !w.subtests {
		name, _, _ = strings.Cut(name, "/")
	}
	return name
}

// change goes on to the next row.
func (w *spellWindows) change(name string) {
	if !w.on {
		return
	}
	w.Lock()
	defer w.Unlock()
	w.changeLocked(w.row(name))
}

// leave is change where the row that runs is that of name, and nothing otherwise.
func (w *spellWindows) leave(name, next string) {
	if !w.on {
		return
	}
	w.Lock()
	defer w.Unlock()
	if w.row(name) == w.test {
		w.changeLocked(w.row(next))
	}
}

func (w *spellWindows) changeLocked(row string) {
	if row != w.test {
		w.test = row
		cfile.SpellWrite("test " + strconv.Quote(row) + "\n")
	}
}

func (w *spellWindows) end(name, outcome string) {
	if w.on && w.row(name) == name {
		cfile.SpellWrite("end " + outcome + " " + strconv.Quote(name) + "\n")
	}
}

// What only probes need to know.

func spellRun() {}

func spellRan() {}

func spellClosed(*common) {}

func spellBenchmark(*B) {}

func spellBenchmarkRan(*B) {}

func spellCleaning(*B) {}

func spellTimerStarted(*B) {}

func spellTimerStopped(*B) {}

func spellTimerReset(*B) {}

func spellSubbenchmark(*B) func() { return func() {} }
