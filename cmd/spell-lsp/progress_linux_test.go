package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"spell-lsp/runner"
)

// newTerminal opens a pseudo-terminal. lines tells what it shows once all of that is written.
func newTerminal(t *testing.T, columns, rows uint16) (tty *os.File, lines func() []string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error when the last writer has closed it
		read <- string(text)
	}()
	return tty, func() []string {
		tty.Close()
		return screenOf(t, <-read)
	}
}

// screenOf is what a terminal shows that gets a text: what spell-lsp sends knows no more than
// these sequences.
func screenOf(t *testing.T, text string) []string {
	t.Helper()
	lines, row, column := [][]rune{nil}, 0, 0
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b[K"); ok {
			lines[row], text = lines[row][:min(column, len(lines[row]))], rest
			continue
		}
		if rest, ok := strings.CutPrefix(text, "\x1b[A"); ok {
			row, text = max(0, row-1), rest
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			column = 0
		case '\n':
			if row++; row == len(lines) {
				lines = append(lines, nil)
			}
		case '\x1b':
			t.Fatalf("a sequence that was not expected: %q", text)
		default:
			for len(lines[row]) <= column {
				lines[row] = append(lines[row], ' ')
			}
			lines[row][column] = r
			column++
		}
	}
	var shown []string
	for _, line := range lines {
		shown = append(shown, string(line))
	}
	return shown
}

func live(percents ...float64) (rows []runner.LiveRow) {
	for i, p := range percents {
		rows = append(rows, runner.LiveRow{ID: fmt.Sprintf("example.com/shop/cmd/server.(*Store).Method%d", i), Share: p / 100})
	}
	return rows
}

// Whoever waits for a service sees which functions run most, in place, and what the service
// prints stays whole above that. In the end only that is left.
func TestLiveRanking(t *testing.T) {
	first := runner.Step{Packages: 1, Round: 2, Of: 3, Kept: 1}
	with := func(rows []runner.LiveRow) runner.Step {
		s := first
		s.Live = rows
		return s
	}
	round := "round 2 of 3; Ctrl-C keeps what is measured"
	for _, test := range []struct {
		name          string
		columns, rows uint16
		show          func(p *progressLine)
		want          []string
	}{
		{"rows below the round", 80, 24, func(p *progressLine) { p.show(with(live(60, 30.25, 9.75))) },
			[]string{round, "  60.0 %  server.(*Store).Method0", "  30.2 %  server.(*Store).Method1", "   9.8 %  server.(*Store).Method2"}},
		{"redrawn in place", 80, 24, func(p *progressLine) {
			p.show(first)
			p.show(with(live(60, 40)))
			p.show(with(live(50, 30, 20)))
			p.show(with(live(100)))
		}, []string{round, " 100.0 %  server.(*Store).Method0", "", ""}},
		{"five at most", 80, 24, func(p *progressLine) { p.show(with(live(20, 20, 20, 20, 10, 5, 5))) },
			[]string{round, "  20.0 %  server.(*Store).Method0", "  20.0 %  server.(*Store).Method1", "  20.0 %  server.(*Store).Method2", "  20.0 %  server.(*Store).Method3", "  10.0 %  server.(*Store).Method4"}},
		{"narrow and low", 20, 4, func(p *progressLine) { p.show(with(live(60, 30, 10))) },
			[]string{"round 2 of 3; Ctrl…", "  60.0 %  server.(…", "  30.0 %  server.(…"}},
		{"cleared at the end", 80, 24, func(p *progressLine) {
			p.show(with(live(60, 40)))
			p.clear()
			fmt.Fprint(p.w, "done")
		}, []string{"done", "", ""}},
		{"lines of the program", 80, 24, func(p *progressLine) {
			p.show(with(live(60, 40)))
			fmt.Fprint(p.program(), "listening at :80\nready\n")
			p.show(with(live(70, 30)))
			fmt.Fprint(p.program(), "bye\n")
		}, []string{"listening at :80", "ready", "bye", "", ""}},
		{"a line that the program has begun", 80, 24, func(p *progressLine) {
			fmt.Fprint(p.program(), "working .")
			p.show(with(live(70, 30)))
			fmt.Fprint(p.program(), ".")
			p.show(with(live(80, 20)))
			fmt.Fprint(p.program(), " done\n")
			p.show(with(live(90)))
		}, []string{"working .. done", round, "  90.0 %  server.(*Store).Method0"}},
		{"a line that the program never ends", 80, 24, func(p *progressLine) {
			fmt.Fprint(p.program(), "no line break")
			p.clear()
			fmt.Fprint(p.w, "result")
		}, []string{"no line break", "result"}},
		{"a warning", 80, 24, func(p *progressLine) {
			p.show(with(live(70, 30)))
			p.keep("a warning")
		}, []string{"a warning", "", ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tty, lines := newTerminal(t, test.columns, test.rows)
			test.show(&progressLine{w: tty})
			if diff := cmp.Diff(test.want, lines()); diff != "" {
				t.Errorf("the screen (-want +got):\n%s", diff)
			}
		})
	}
}

// A log gets the lines of rounds, once each, and no ranking; what the program prints begins and
// ends in lines of its own.
func TestNoLiveRankingInALog(t *testing.T) {
	var log bytes.Buffer
	p := &progressLine{w: &log}
	s := runner.Step{Packages: 1, Round: 2, Of: 3}
	p.show(s)
	s.Live = live(60, 40)
	p.show(s)
	s.Least, s.Most, s.Each = 1e9, 1e9, 1e9 // the text would be another one
	p.show(s)
	fmt.Fprint(p.program(), "no line break")
	s.Live, s.Round = nil, 3
	p.show(s)
	if got, want := log.String(), "round 2 of 3\nno line break\nround 3 of 3, about 1 s each, 1 s left\n"; got != want {
		t.Errorf("the log is\n%q, want\n%q", got, want)
	}
}
