package main

import (
	"fmt"
	"io"

	"spell-lsp/spell/note"
	"spell-lsp/spell/page"
	"spell-lsp/spell/wording"
)

// A progressLine shows what is going on: on a terminal in one line that
// changes, elsewhere in a line for each change.
type progressLine struct {
	w    io.Writer
	last string
}

func (p *progressLine) show(message string, fraction float64) {
	if message == p.last {
		return
	}
	p.last = message
	percent := ""
	if fraction >= 0 {
		percent = fmt.Sprintf(" (%.0f %%)", 100*fraction)
	}
	if terminal(p.w) {
		p.clear()
		fmt.Fprint(p.w, page.Clean(message), percent) //nolint:errcheck // only a notice
		return
	}
	fmt.Fprintf(p.w, "%s%s\n", message, percent) //nolint:errcheck // only a notice
}

// tell prints a fact that the user should know before the end.
func (p *progressLine) tell(n note.Note) {
	p.clear()
	p.last = ""
	fmt.Fprintf(p.w, "spell-lsp: %s\n", wording.Text(n)) //nolint:errcheck // only a notice
}

func (p *progressLine) clear() {
	if terminal(p.w) {
		fmt.Fprint(rawOf(p.w), "\r\x1b[K") //nolint:errcheck // only a notice
	}
}
