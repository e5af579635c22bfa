package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"spell-lsp/runner"
	"spell-lsp/spell/note"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// A progressLine shows what is going on: on a terminal in one line that
// changes, elsewhere in a line for each change.
type progressLine struct {
	w    io.Writer
	last string
}

func (p *progressLine) show(s runner.Step) {
	interrupt := ""
	if terminal(p.w) {
		interrupt = interruptText(s)
	}
	text := stepText(s, interrupt)
	if text == p.last {
		return
	}
	p.last = text
	if !terminal(p.w) {
		fmt.Fprintln(p.w, text) //nolint:errcheck // only a notice
		return
	}
	p.clear()
	fmt.Fprint(p.w, fitting(page.Clean(text), p.width())) //nolint:errcheck // only a notice
}

// tell prints a fact that the user should know before the end.
func (p *progressLine) tell(n note.Note) {
	p.clear()
	p.last = ""
	fmt.Fprintf(p.w, "spell-lsp: %s\n", wording.Text(n)) //nolint:errcheck // only a notice
}

// pass shows on a terminal what is going on until the next line; elsewhere nothing.
func (p *progressLine) pass(text string) {
	if terminal(p.w) {
		p.clear()
		fmt.Fprint(p.w, fitting(page.Clean(text), p.width())) //nolint:errcheck // only a notice
	}
}

// keep prints a line that stays.
func (p *progressLine) keep(text string) {
	p.clear()
	fmt.Fprintln(p.w, text) //nolint:errcheck // only a notice
}

func (p *progressLine) clear() {
	if terminal(p.w) {
		fmt.Fprint(rawOf(p.w), "\r\x1b[K") //nolint:errcheck // only a notice
	}
}

// width is the number of columns of the terminal; 0 where it does not say.
func (p *progressLine) width() int {
	columns, _, err := term.GetSize(int(rawOf(p.w).(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// fitting cuts a line that would wrap, as only its last row could be cleared. Width 0 is no limit.
func fitting(line string, width int) string {
	runes := []rune(line)
	if width < 2 || len(runes) < width {
		return line
	}
	return string(runes[:width-2]) + "…"
}

// stepText says what a measurement is doing: round 5 of at most 30, about 8 s each, 72 s left.
// interrupt is what it says behind that of an interruption; it may be empty.
func stepText(s runner.Step, interrupt string) string {
	if s.Doing != "" {
		return s.Doing
	}
	text := roundText(s)
	if s.Each > 0 {
		text += ", about " + roughly(s.Each) + " each, " + leftText(s)
	}
	text += interrupt
	if s.Packages > 1 {
		text += "; now " + s.Package
	}
	return text
}

func roundText(s runner.Step) string {
	switch {
	case s.Reach != "":
		return "finding the tests that reach " + s.Reach
	case s.WarmUp && s.Of == 1:
		return "warm-up"
	case s.WarmUp:
		return fmt.Sprintf("warm-up %d of %d", s.Round, s.Of)
	case s.AtMost:
		return fmt.Sprintf("round %d of at most %d", s.Round, s.Of)
	}
	return fmt.Sprintf("round %d of %d", s.Round, s.Of)
}

// leftText says how long it still takes, in one number where that is known.
func leftText(s runner.Step) string {
	least, most := roughly(s.Least), roughly(s.Most)
	if least == most {
		return least + " left"
	}
	return least + " to " + most + " left"
}

// interruptText says what remains of the rounds if the measurement is interrupted.
func interruptText(s runner.Step) string {
	if s.Kept == 0 {
		return "; Ctrl-C keeps nothing yet"
	}
	return "; Ctrl-C keeps what is measured"
}

func roughly(d time.Duration) string { return units.Estimate(float64(d) / float64(time.Millisecond)) }
