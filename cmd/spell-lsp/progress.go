package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"spell-lsp/runner"
	"spell-lsp/spell/note"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// A progressLine shows what is going on: on a terminal in lines that change, elsewhere in a line
// for each change. It may be used by several goroutines: a program that is measured prints
// between its lines.
type progressLine struct {
	w    io.Writer
	lock sync.Mutex
	last string
	// drawn is how many lines of the terminal will be cleared; the cursor is at the end of the last.
	drawn int
	open  bool // the program has begun a line, which must not be cleared or continued
}

// show never draws on a terminal while the program has begun a line. The ranking of a step is
// for terminals only.
func (p *progressLine) show(s runner.Step) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if !terminal(p.w) {
		if text := stepText(s, ""); text != p.last && s.Live == nil {
			p.last = text
			p.line(text)
		}
		return
	}
	columns, rows := p.size()
	text := strings.Join(append([]string{stepText(s, interruptText(s))}, liveLines(s.Live, rows)...), "\n")
	if p.open || text == p.last && p.drawn > 0 {
		return
	}
	p.last = text
	p.erase()
	p.draw(strings.Split(text, "\n"), columns)
}

// tell prints a fact that the user should know before the end.
func (p *progressLine) tell(n note.Note) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.last = ""
	p.line("spell-lsp: " + wording.Text(n))
}

// pass shows on a terminal what is going on until the next line; elsewhere nothing.
func (p *progressLine) pass(text string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if terminal(p.w) && !p.open {
		p.erase()
		columns, _ := p.size()
		p.draw([]string{text}, columns)
	}
}

// keep prints a line that stays.
func (p *progressLine) keep(text string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.line(text)
}

// clear makes place for what does not come from here.
func (p *progressLine) clear() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.erase()
	if p.open {
		fmt.Fprintln(p.w) //nolint:errcheck // only a notice
	}
	p.open = false
}

// program is where a program prints that is measured: what it prints is passed on as it is.
func (p *progressLine) program() io.Writer { return programOutput{p} }

type programOutput struct{ p *progressLine }

func (o programOutput) Write(text []byte) (int, error) {
	if len(text) == 0 {
		return 0, nil
	}
	o.p.lock.Lock()
	defer o.p.lock.Unlock()
	o.p.erase()
	o.p.open = text[len(text)-1] != '\n'
	return rawOf(o.p.w).Write(text)
}

// line prints a line that stays, below that of the program.
func (p *progressLine) line(text string) {
	p.erase()
	if p.open {
		text, p.open = "\n"+text, false
	}
	fmt.Fprintln(p.w, text) //nolint:errcheck // only a notice
}

// draw shows lines until they are erased.
func (p *progressLine) draw(lines []string, columns int) {
	for i := range lines {
		lines[i] = fitting(page.Clean(lines[i]), columns)
	}
	fmt.Fprint(p.w, strings.Join(lines, "\n")) //nolint:errcheck // only a notice
	p.drawn = len(lines)
}

// erase clears what is drawn.
func (p *progressLine) erase() {
	if p.drawn > 0 {
		const clearLine, up = "\r\x1b[K", "\x1b[A"
		fmt.Fprint(rawOf(p.w), clearLine+strings.Repeat(up+clearLine, p.drawn-1)) //nolint:errcheck // only a notice
	}
	p.drawn = 0
}

// size is that of the terminal; 0 where it does not say.
func (p *progressLine) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(rawOf(p.w).(*os.File).Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, rows
}

// liveLines is the ranking of a program that runs, in a terminal of so many rows: a line for each
// of the first components. Only rows that are seen could be cleared.
func liveLines(live []runner.LiveRow, rows int) []string {
	const most, others = 5, 2 // the line of the round, and one of the program
	var lines []string
	for _, l := range live[:max(0, min(len(live), most, rows-others))] {
		lines = append(lines, fmt.Sprintf("%6s %%  %s", units.Percent(l.Share), l.ID[strings.LastIndexByte(l.ID, '/')+1:]))
	}
	return lines
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
