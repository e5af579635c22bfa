package probe

import (
	"fmt"
	"strconv"
	"strings"
)

// A part of the file has 16 words for each row, of which the first are the fields of Moved.
const (
	movedWords = 16
	movedRow   = movedWords * wordSize
)

// Moved is the bytes that the system calls of a row moved; those of functions without a row
// are their caller's. Every byte is counted once in each direction: what sendfile(2) takes
// from a file to a socket is read and sent. What C and package runtime move is not seen.
type Moved struct {
	Read, Written  uint64 // of regular files and block devices, also where the page cache had them
	Received, Sent uint64 // of sockets of the internet families, loopback included

	// What of these costs energy. Fetched and Stored are the bytes that the storage layer
	// read and will write because of these calls, as /proc/PID/io counts them; 0 without
	// Setup.Storage. Wire is the bytes that were received and sent beyond loopback, with an
	// upper bound for headers and acknowledgements.
	Fetched, Stored, Wire uint64
	// The same with callees; recursion counts once.
	BelowFetched, BelowStored, BelowWire uint64
}

// words are the fields in the order of the file.
func (m *Moved) words() [10]*uint64 {
	return [...]*uint64{
		&m.Read, &m.Written, &m.Received, &m.Sent, &m.Fetched, &m.Stored, &m.Wire,
		&m.BelowFetched, &m.BelowStored, &m.BelowWire,
	}
}

func (m Moved) plus(o Moved) Moved {
	for i, w := range m.words() {
		*w += *o.words()[i]
	}
	return m
}

func (m Moved) minus(o Moved) Moved {
	for i, w := range m.words() {
		*w -= *o.words()[i]
	}
	return m
}

// Largest is the largest of the numbers.
func (m Moved) Largest() uint64 {
	var most uint64
	for _, w := range m.words() {
		most = max(most, *w)
	}
	return most
}

// move reads what a row moved.
func (p *parser) move(line string) error {
	fields := strings.Fields(line)
	var m Moved
	if p.counts == nil || len(fields) != 1+len(m.words()) {
		return fmt.Errorf("no row with %d numbers of bytes after a stop", len(m.words()))
	}
	row, err := strconv.Atoi(fields[0])
	if err == nil && (row < 0 || row >= p.rows) {
		err = fmt.Errorf("row %d of %d", row, p.rows)
	}
	for i, w := range m.words() {
		if err == nil {
			*w, err = strconv.ParseUint(fields[1+i], 10, 64)
		}
	}
	if err != nil {
		return err
	}
	return p.addMoved(p.counts, row, m)
}

// addMoved adds to what a row moved in a window.
func (p *parser) addMoved(counts map[int]Count, row int, m Moved) error {
	sum := p.moved[row].plus(m)
	if m.Largest() > mostCounted || sum.Largest() > mostCounted {
		return fmt.Errorf("row %d moved %d bytes", row, m.Largest())
	}
	p.moved[row] = sum
	counts[row] = counts[row].Plus(Count{Moved: m})
	return nil
}

// finishMoved gives the window that is still open what the file holds beyond the log.
func (p *parser) finishMoved(moved []Moved) error {
	counts := p.log.Windows[len(p.log.Windows)-1].Counts
	for row, m := range moved {
		if m = m.minus(p.moved[row]); m == (Moved{}) {
			continue
		}
		if err := p.addMoved(counts, row, m); err != nil {
			return err
		}
	}
	return nil
}

// moves is what every row but those for calibration has moved.
func (t *table) moves() ([]Moved, error) {
	words, err := t.words(t.moved(), (t.rows-calibration)*movedWords)
	if err != nil {
		return nil, err
	}
	rows := make([]Moved, t.rows-calibration)
	for row := range rows {
		for i, w := range rows[row].words() {
			*w = words[row*movedWords+i]
		}
	}
	return rows, nil
}
