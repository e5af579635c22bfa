package probe

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A part of the file has the go statements of goroutines that outlived their tests and
// ran then: slots of eight words, the sixth how many such goroutines there were, the
// seventh how long they ran, ticks. The first slot is for those that had no other.
const (
	straySlots  = 64
	strayWords  = 8
	strayCount  = 5
	strayRan    = 6
	originsSize = straySlots * strayWords * wordSize
)

// A Stray is a go statement whose goroutines went on when the test was over that had
// started them.
type Stray struct {
	Test       string // "" where it is not known, as of the statements that had no room
	In, File   string // the function with the statement, as runtime.Func.Name has it, and its file
	Line       int
	Starts     string // the function that it starts
	Goroutines int    // that ran after the end of the test
}

// maxStrays bounds how many goroutines a go statement may have left.
const maxStrays = 1 << 30

// statement reads where a go statement is.
func (p *parser) statement(text string) error {
	slot, text, err := cutInt(text, 1, straySlots-1)
	if err != nil {
		return err
	}
	line, text, err := cutInt(text, 0, 1<<30)
	if err != nil {
		return err
	}
	s := p.slot(slot)
	for _, field := range []*string{&s.Test, &s.In, &s.File, &s.Starts} {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return err
		}
		text = strings.TrimPrefix(text[len(quoted):], " ")
		if *field, err = strconv.Unquote(quoted); err != nil {
			return err
		}
	}
	s.Line = line
	if text != "" || !slices.ContainsFunc(p.log.Windows, func(w Window) bool { return w.Test == s.Test }) {
		return errors.New("a go statement of no test")
	}
	return nil
}

// stray reads how many goroutines a go statement left, and how long they ran.
func (p *parser) stray(text string) error {
	if p.strays == nil {
		return errors.New("strays before any stop")
	}
	slot, text, err := cutInt(text, 0, straySlots-1)
	if err != nil {
		return err
	}
	goroutines, text, err := cutInt(text, 0, maxStrays)
	if err != nil {
		return err
	}
	ticks, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return err
	}
	return p.strayed(slot, uint64(goroutines), ticks)
}

// strayed adds to what a go statement left.
func (p *parser) strayed(slot int, goroutines, ticks uint64) error {
	s := p.slot(slot)
	ns := float64(ticks) * p.scale
	p.ran[slot] += ticks
	if goroutines > maxStrays || uint64(s.Goroutines)+goroutines > maxStrays || !(float64(p.ran[slot])*p.scale <= mostCounted) || ns > mostCounted {
		return fmt.Errorf("%d goroutines of a go statement ran for %.0f ns", goroutines, ns)
	}
	s.Goroutines += int(goroutines)
	if ticks > 0 {
		if *p.strays == nil {
			*p.strays = make(map[int]float64)
		}
		(*p.strays)[slot] += ns
	}
	return nil
}

func (p *parser) slot(i int) *Stray {
	for i >= len(p.log.Strays) {
		p.log.Strays = append(p.log.Strays, Stray{})
	}
	return &p.log.Strays[i]
}

// finishStrays gives the window that is still open what the file holds beyond the log.
func (p *parser) finishStrays(words []uint64) error {
	p.strays = &p.log.Windows[len(p.log.Windows)-1].StraysNS
	for slot := range straySlots {
		goroutines, ran := words[slot*strayWords+strayCount], words[slot*strayWords+strayRan]
		if goroutines == 0 {
			continue
		}
		if err := p.strayed(slot, goroutines-uint64(p.slot(slot).Goroutines), ran-p.ran[slot]); err != nil {
			return err
		}
	}
	return nil
}

// cutInt cuts off a number that is between least and most.
func cutInt(text string, least, most int) (n int, rest string, err error) {
	field, rest, _ := strings.Cut(text, " ")
	if n, err = strconv.Atoi(field); err == nil && (n < least || n > most) {
		err = fmt.Errorf("%d is not between %d and %d", n, least, most)
	}
	return n, rest, err
}
