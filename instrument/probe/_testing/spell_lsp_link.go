// Where the probe is: in package runtime, or, in a build that does not edit the
// runtime, in one of its own whose name is put in the place of probe_package.

//go:build linux && (amd64 || arm64)

package testing

import (
	_ "probe_package"
	"unsafe"
)

//go:linkname spellMapping probe_package.spellMapping
func spellMapping() (rows, shards int, subtests bool)

//go:linkname spellAppend probe_package.spellAppend
func spellAppend(entry string)

//go:linkname spellCounters probe_package.spellCounters
func spellCounters(shard int) (n, rows, samples unsafe.Pointer)

//go:linkname spellRescale probe_package.spellRescale
func spellRescale()

//go:linkname spellCalibrate probe_package.spellCalibrate
func spellCalibrate()

//go:linkname spellTest probe_package.spellTest
func spellTest(number uint32)

//go:linkname spellAllot probe_package.spellAllot
func spellAllot(row uint32) uint64

//go:linkname spellWork probe_package.spellWork
func spellWork(test uint64) (before uint64)

//go:linkname spellClose probe_package.spellClose
func spellClose(test uint64)

//go:linkname spellStrays probe_package.spellStrays
func spellStrays(slot int) (goroutines, ran uint64, ok bool)

//go:linkname spellStatement probe_package.spellStatement
func spellStatement(slot int) (row uint32, in, file string, line int, starts string)

//go:linkname spellFamilyTicks probe_package.spellFamilyTicks
func spellFamilyTicks() uint64

//go:linkname spellTouched probe_package.spellTouched
func spellTouched(shard int, from uint64, rows []bool) (to uint64, ok bool)

//go:linkname spellSampledSoFar probe_package.spellSampledSoFar
func spellSampledSoFar() uint64

//go:linkname spellSettle probe_package.spellSettle
func spellSettle()

//go:linkname spellSettleOwn probe_package.spellSettleOwn
func spellSettleOwn()

//go:linkname spellProgramCPU probe_package.spellProgramCPU
func spellProgramCPU() int64

//go:linkname spellWaited probe_package.spellWaited
func spellWaited() (ns int64, none bool)

//go:linkname spellMoved probe_package.spellMoved
func spellMoved() (rows unsafe.Pointer, grown bool)

//go:linkname spellMemory probe_package.spellMemory
func spellMemory(size uintptr) unsafe.Pointer

// spellSlice is n zeroes, outside of the Go heap where the runtime is edited: the size of the heap says
// when the collector runs. T has no pointers.
func spellSlice[T any](n int) []T {
	var t T
	return unsafe.Slice((*T)(spellMemory(uintptr(n)*unsafe.Sizeof(t))), n)
}
