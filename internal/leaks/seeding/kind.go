package seeding

import (
	"go/ast"
	"slices"
	"time"
)

// A Kind is one way to waste energy.
type Kind struct {
	Name  string
	About string        // what the leaky code does
	Unit  time.Duration // roughly what one execution of the site wastes at strength 1
	Max   int           // the greatest strength
	find  func(*place, ast.Node) rewrite
}

// Kinds lists all kinds by name.
func Kinds() []Kind {
	all := slices.Clone(kinds)
	slices.SortFunc(all, func(a, b Kind) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all
}

var kinds = []Kind{
	{"invariant", "a loop computes again what does not change in it", 200, 1e6, findInvariant},
	{"timer-in-loop", "a loop makes a timer that nobody waits for (time.After)", 600, 1e4, findTimer},
	{"defer-in-loop", "a loop defers calls, which pile up until the function returns", 400, 1e4, findDefer},
	{"repeated-call", "the result of a pure call is computed again", 200, 1e6, findRepeatedCall},
	{"missed-cache", "a cache that never hits: it is made anew for each call", 400, 1e6, findMissedCache},
	{"eager-message", "an error is formatted before it is known whether there is one", 300, 1e6, findEagerMessage},
	{"quadratic-append", "an append copies the whole slice", 30, 1e6, findQuadraticAppend},
	{"linear-search", "a map is searched entry by entry", 50, 1e6, findLinearSearch},
	{"sort-per-insert", "a slice is sorted after each append", 300, 1e5, findSort},
	{"needless-copy", "what is ranged over is copied first, to a buffer that is too large", 2, 1 << 20, findCopy},
	{"oversized-buffer", "a slice or map is made with room for more than it will hold", 2, 1 << 20, findOversized},
	{"quadratic-text", "a text is gone through as a whole whenever something is added", 100, 1e6, findQuadraticText},
	{"regexp-per-call", "a regular expression is compiled for each call", 3000, 1e5, findRegexp},
	{"formatting", "values are formatted to compare or join them", 150, 1e6, findFormatting},
	{"reflection", "values are compared by reflection", 60, 1e6, findReflection},
	{"conversion", "a string is split into characters and joined again", 200, 1e6, findConversion},
	{"byte-io", "bytes are read or copied one at a time", 200, 1e5, findByteIO},
	{"busy-wait", "the processor spins before it blocks", 50, 1e7, findBusyWait},
	{"polling-goroutine", "a goroutine polls a channel on which nothing comes", 600, 1e7, findPolling},
}
