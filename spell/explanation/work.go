package explanation

import (
	"slices"
	"strings"
)

// A Work is what a function of the runtime does for the code that the compiler made a call in:
// its name alone tells most readers nothing.
type Work string

// The works.
const (
	Allocating Work = "allocating"
	Growing    Work = "growing"    // of slices
	Strings    Work = "strings"    // concatenation, and conversion from and to bytes and runes
	Boxing     Work = "boxing"     // of values in interfaces
	Asserting  Work = "asserting"  // of types
	Maps       Work = "maps"       // look-up, insertion, iteration
	Hashing    Work = "hashing"    // of keys
	Comparing  Work = "comparing"  // of values
	Copying    Work = "copying"    // of memory
	Clearing   Work = "clearing"   // of memory
	Channels   Work = "channels"   // select too
	Goroutines Work = "goroutines" // their start
	Barriers   Work = "barriers"   // with which writes tell the garbage collector of pointers
	Stacks     Work = "stacks"     // their growth
	Panics     Work = "panics"     // and deferred calls
	Other      Work = "other"
)

// Works lists all works.
func Works() []Work {
	return []Work{Allocating, Growing, Strings, Boxing, Asserting, Maps, Hashing, Comparing, Copying, Clearing, Channels, Goroutines, Barriers, Stacks, Panics, Other}
}

// runtimeWorks are the works by the beginning of a function's name, behind the package; the first that fits counts.
var runtimeWorks = []struct {
	work     Work
	prefixes []string
}{
	{Growing, []string{"growslice", "reflect_growslice"}},
	{Strings, []string{"concatstring", "concatbyte", "slicebytetostring", "stringtoslice", "slicerunetostring", "intstring", "rawstring", "rawbyteslice", "rawruneslice"}},
	{Boxing, []string{"convT"}},
	{Asserting, []string{"assertE2I", "typeAssert", "interfaceSwitch", "convI2I", "getitab"}},
	{Channels, []string{"makechan", "chan", "closechan", "select"}},
	{Maps, []string{"makemap", "map", "reflect_map"}},
	{Hashing, []string{"memhash", "strhash", "interhash", "nilinterhash", "f32hash", "f64hash", "c64hash", "c128hash", "typehash"}},
	{Comparing, []string{"memequal", "strequal", "cmpstring", "efaceeq", "ifaceeq", "interequal", "nilinterequal", "f32equal", "f64equal", "c64equal", "c128equal"}},
	{Copying, []string{"memmove", "typedmemmove", "typedslicecopy", "slicecopy", "duffcopy", "reflect_typedmemmove"}},
	{Clearing, []string{"memclr", "typedmemclr", "duffzero"}},
	{Allocating, []string{"newobject", "newarray", "makeslice", "malloc", "unsafe_New", "persistentalloc"}},
	{Goroutines, []string{"newproc"}},
	{Barriers, []string{"gcWriteBarrier", "wbZero", "wbMove", "bulkBarrier"}},
	{Stacks, []string{"morestack", "newstack", "copystack"}},
	{Panics, []string{"defer", "gopanic", "gorecover", "panic", "goPanic", "printpanic"}},
}

// WorkOf says what a function of the runtime does.
func WorkOf(name string) Work {
	switch {
	case strings.HasPrefix(name, "internal/runtime/maps."):
		return Maps
	case strings.HasPrefix(name, "type:.hash"):
		return Hashing
	case strings.HasPrefix(name, "type:.eq"):
		return Comparing
	}
	name = strings.TrimPrefix(name, "runtime.")
	for _, w := range runtimeWorks {
		if slices.ContainsFunc(w.prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return w.work
		}
	}
	return Other
}
