package gocmd

import (
	"strings"

	"spell-lsp/spell/capture"
	"spell-lsp/spell/shortlist"
)

// A LoadError says what the go command found wrong with the packages.
type LoadError struct {
	Problems []string // each with its place, where there is one
}

// Error names the first problems, each of limited length.
func (e *LoadError) Error() string {
	return capture.Text(strings.Join(shortlist.Of(e.Problems), "\n"))
}
