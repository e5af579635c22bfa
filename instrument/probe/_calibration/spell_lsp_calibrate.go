// What the probes cost, measured in the program itself before its main function, or
// its first test, begins.

//go:build linux && (amd64 || arm64)

package probe_package

import _ "unsafe" // for go:linkname

// spellCalibrate measures what the probes cost, and writes it into the header of the file.
// In the tests of a package, package testing calls it.
//
//go:linkname spellCalibrate
func spellCalibrate() {
	rows := spellRowCount()
	if rows == 0 {
		return
	}
	spellRescale()
	inner, outer, change := spellCalibrateTimed(rows-3, rows-2)
	spellSetCosts(inner, outer, change, spellCalibrateFrame(rows-1))
}

// spellCalibrateTimed measures what a probe adds, in ticks: to its own function, and
// to that function's caller, a call; and what it takes to put a row on top in
// place of another. The smallest of several batches is the one that was least
// disturbed.
func spellCalibrateTimed(callee, caller uint32) (inner, outer, change uint64) {
	const batches, calls = 9, 128
	inner, outer, change = 1<<62, 1<<62, 1<<62
	plain := uint64(1 << 62)
	for range batches {
		before := spellSelfOf(caller)
		spellPlainBatch(caller, calls)
		plain = min(plain, (spellSelfOf(caller)-before)/calls)
		in, out := spellSelfOf(callee), spellSelfOf(caller)
		spellBatch(callee, caller, calls)
		inner = min(inner, (spellSelfOf(callee)-in)/calls)
		outer = min(outer, (spellSelfOf(caller)-out)/calls)
		in, out = spellSelfOf(callee), spellSelfOf(caller)
		spellChangeBatch(callee, caller, calls)
		change = min(change, (spellSelfOf(callee)+spellSelfOf(caller)-in-out)/(2*calls))
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
			start := nanotime()
			batch(hot, calls)
			if took := nanotime() - start; i == 0 || took < least[kind] {
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
		SpellExit(SpellEnter(row))
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
	defer SpellExit(SpellEnter(caller))
	for range calls {
		spellReplace(callee)
		spellReplace(caller)
	}
}

//go:noinline
func spellBatch(callee, caller uint32, calls int) {
	defer SpellExit(SpellEnter(caller))
	for range calls {
		spellEmpty(callee)
	}
}

//go:noinline
func spellEmpty(callee uint32) {
	defer SpellExit(SpellEnter(callee))
}

//go:noinline
func spellPlainBatch(caller uint32, calls int) {
	defer SpellExit(SpellEnter(caller))
	for range calls {
		spellPlain(caller)
	}
}

//go:noinline
func spellPlain(uint32) {}
