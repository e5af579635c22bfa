package execution

import (
	"strconv"
	"strings"

	"spell-lsp/instrument/probe"
)

// A Library gives functions outside of the workspace rows of their own, as samples see them. All
// executions of a measurement share it, so that a function has the same row in all of them.
type Library struct {
	// Callers is by how many of its callers a function is told apart, up to the workspace's.
	Callers int
	// First is the first row, and Most how many there are.
	First, Most int

	rows map[string]int
	seen []Outsider
	full bool
}

// An Outsider is a function outside of the workspace, or one under its callers.
type Outsider struct {
	// Path are the names of the function and of its callers outside, the innermost first; one that
	// calls itself stands there once.
	Path []string
	// Caller is the row of the function of the workspace that called the last of them; 0 where callers
	// do not reach that far.
	Caller int
}

// Seen are the functions that have rows, the first one's first.
func (l *Library) Seen() []Outsider { return l.seen }

// Full tells whether functions were seen that have no row, as there were no more. Their time is that
// of the function that called them.
func (l *Library) Full() bool { return l.full }

// row is an owner.Outside.
func (l *Library) row(path []string, caller int) (row int, ok bool) {
	o := l.outsider(path, caller)
	key := strings.Join(o.Path, "\n") + "\n" + strconv.Itoa(o.Caller)
	if row, ok = l.rows[key]; ok {
		return row, true
	}
	if len(l.seen) == l.Most {
		l.full = true
		return 0, false
	}
	if l.rows == nil {
		l.rows = make(map[string]int)
	}
	row = l.First + len(l.seen)
	l.rows[key], l.seen = row, append(l.seen, o)
	return row, true
}

// outsider is the function with so many callers as tell it apart.
func (l *Library) outsider(path []string, caller int) (o Outsider) {
	for _, name := range path {
		name = probe.EnclosingFunction(name)
		if n := len(o.Path); n > 0 && o.Path[n-1] == name {
			continue
		} else if n > l.Callers {
			return o
		}
		o.Path = append(o.Path, name)
	}
	if len(o.Path) <= l.Callers {
		o.Caller = caller
	}
	return o
}
