package spell

import (
	"errors"
	"strconv"
	"strings"
)

// A Library says whose the time is of functions outside of the workspace (the standard library and
// other modules), where stacks are sampled without probes. The zero value charges their callers.
type Library struct {
	Own     bool // they are components themselves
	Callers int  // by how many callers they are told apart, up to the workspace's
}

const (
	libraryCaller = "caller"
	libraryExact  = "exact"
	libraryDepth  = "depth="
	// MostCallers is how many callers may tell functions of libraries apart.
	MostCallers = 16
)

// LibraryWords are what ParseLibrary takes, to be read after "must be".
const LibraryWords = "caller, exact, or depth=K with K from 1 to 16"

var errLibrary = errors.New("must be " + LibraryWords)

// ParseLibrary reads caller, exact or depth=K; "" is caller.
func ParseLibrary(text string) (Library, error) {
	switch text {
	case "", libraryCaller:
		return Library{}, nil
	case libraryExact:
		return Library{Own: true}, nil
	}
	depth, ok := strings.CutPrefix(text, libraryDepth)
	if k, err := strconv.Atoi(depth); ok && err == nil && k >= 1 && k <= MostCallers {
		return Library{Own: true, Callers: k}, nil
	}
	return Library{}, errLibrary
}

func (l Library) String() string {
	switch {
	case !l.Own:
		return libraryCaller
	case l.Callers == 0:
		return libraryExact
	}
	return libraryDepth + strconv.Itoa(l.Callers)
}
