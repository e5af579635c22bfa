package analyzers

import (
	"golang.org/x/tools/go/analysis/passes/modernize"
	"honnef.co/go/tools/simple/s1025"
	"honnef.co/go/tools/simple/s1030"
	"honnef.co/go/tools/simple/s1039"
	"honnef.co/go/tools/staticcheck/sa6000"
	"honnef.co/go/tools/staticcheck/sa6001"
	"honnef.co/go/tools/staticcheck/sa6002"
	"honnef.co/go/tools/staticcheck/sa6003"
	"honnef.co/go/tools/staticcheck/sa6005"
	"honnef.co/go/tools/staticcheck/sa6006"
)

// rules are all rules.
func rules() []rule {
	own := []rule{
		{Analyzer: invariant, name: "loop-invariant", help: "compute it once before the loop", fixes: true},
		{Analyzer: recomputed, name: "recomputed-in-loop", help: "compute it once for each element, before the loops"},
		{Analyzer: compiled, name: "regexp-per-call", help: "compile it once, in a package variable", fixes: true},
		{Analyzer: concatenation, name: "concatenation-in-loop", help: "collect the parts in a strings.Builder", callees: []string{"runtime.concatstring*"}},
		{Analyzer: growth, name: "append-without-capacity", help: "make the slice with that capacity before the loop", callees: []string{"runtime.growslice*"}, fixes: true},
		{Analyzer: formatting, name: "formatting", fixes: true},
		{Analyzer: reflection, name: "reflection", help: "compare with ==, or with a function of the type", callees: []string{"reflect.DeepEqual"}, fixes: true},
		{Analyzer: roundTrip, name: "conversion-back", help: "leave out both conversions", fixes: true},
		{Analyzer: search, name: "map-search", help: "index the map", fixes: true},
		{Analyzer: dense, name: "map-of-indexes", help: "use a slice, if most indexes have a value"},
		{Analyzer: listing, name: "list-search", help: "if it is long, put its elements into a map before the loop"},
		{Analyzer: runes, name: "runes-to-range", help: "range over the string", callees: []string{"runtime.stringtoslicerune"}, fixes: true},
		{Analyzer: swapping, name: "sort-by-reflection", help: "use slices.Sort", callees: []string{"sort.*", "reflect.*", "internal/reflectlite.*"}, fixes: true},
		{Analyzer: rereading, name: "text-so-far", help: "keep what is needed of it while it grows"},
		{Analyzer: locking, name: "lock-in-loop", help: "lock it around the loop, or collect in a local variable and lock once"},
		{Analyzer: sorting, name: "sort-in-loop", help: "sort once behind the loop, or insert at the place that slices.BinarySearch finds"},
		{Analyzer: ranging, name: "copy-to-range", help: "range over the original", fixes: true},
		{Analyzer: waiting, name: "timer-in-loop", help: "make one time.Timer before the loop and reset it", callees: []string{"time.After", "time.Tick", "time.NewTimer"}},
		{Analyzer: deferring, name: "defer-in-loop", help: "put the body into a function of its own", callees: []string{"runtime.deferproc*"}},
		{Analyzer: copying, name: "copy-of-large-value", help: "range over the indexes, or over pointers"},
		{Analyzer: appending, name: "copy-to-append", help: "append to the slice itself, unless others read it"},
		{Analyzer: eager, name: "eager-message", help: "format it where it is needed", fixes: true},
		{Analyzer: spinning, name: "busy-wait"},
		{Analyzer: oversized, name: "oversized-buffer", help: "make as much as is needed, or use the buffer again"},
		{Analyzer: byBytes, name: "io-by-byte", help: "read and write through package bufio"},
		{Analyzer: copyingBytes, name: "io-by-byte"},
	}
	return append(own, others()...)
}

// others are the rules of staticcheck and x/tools. Analysers are imported one by one: all of
// staticcheck's would be made whenever the command starts.
func others() []rule {
	return []rule{
		{Analyzer: sa6000.Analyzer, name: "regexp-in-loop", help: "compile it once, before the loop", callees: []string{"regexp.Match*"}},
		{Analyzer: sa6001.Analyzer, name: "map-key-conversion", help: "convert within the index expression, which needs no copy", callees: []string{"runtime.slicebytetostring"}},
		{Analyzer: sa6002.Analyzer, name: "pool-of-values", help: "put pointers into the pool", callees: []string{"runtime.convT*"}},
		{Analyzer: sa6003.Analyzer, name: "runes-to-range", help: "range over the string", callees: []string{"runtime.stringtoslicerune"}},
		{Analyzer: sa6005.Analyzer, name: "case-folding", help: "use strings.EqualFold", callees: []string{"strings.ToLower", "strings.ToUpper", "strings.Map"}},
		{Analyzer: sa6006.Analyzer, name: "write-of-bytes", help: "use Write", callees: []string{"runtime.slicebytetostring"}},
		{Analyzer: s1025.Analyzer, name: "needless-formatting", help: "use the string itself", callees: []string{"fmt.Sprintf"}},
		{Analyzer: s1030.Analyzer, name: "buffer-conversion", not: ".String() instead", help: "use the method that gives the other type", callees: []string{"runtime.slicebytetostring", "runtime.stringtoslicebyte", "bytes.(*Buffer).String"}},
		{Analyzer: s1039.Analyzer, name: "needless-formatting", help: "use the string itself", callees: []string{"fmt.Sprint"}},
		{Analyzer: modernize.StringsBuilderAnalyzer, name: "concatenation-in-loop", help: "collect the parts in a strings.Builder", callees: []string{"runtime.concatstring*"}, fixes: true},
		{Analyzer: modernize.StringsSeqAnalyzer, name: "split-to-range", help: "range over the parts without a slice of them", callees: []string{"strings.Split", "strings.Fields", "bytes.Split", "bytes.Fields"}, fixes: true},
	}
}
