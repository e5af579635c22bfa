package toolkit

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"sync"

	"spell-lsp/spell"
)

// A store takes the rows of all blocks, in the order of the file. Cells and
// energy are in segments: one that has room for all if the size of the input is
// known, else more and more, so that nothing is copied more than once.
type store struct {
	size int64 // of the input, in bytes; 0 = unknown
	most int   // limit of cells

	sync.Mutex
	taken   int            // blocks
	waiting map[int]*block // blocks that were parsed before an earlier block, by number

	rows, width, first int // width and line of the first row
	keys               []key
	cells              segments[spell.Cell]
	energy             segments[float64]
	fault              *fault // the first fault; nothing after it is taken
	at                 position
}

// put takes a block once all earlier ones were taken, and then frees it. It reports
// whether later rows still matter.
func (s *store) put(b *block, free chan<- *block) bool {
	s.Lock()
	defer s.Unlock()
	if s.waiting == nil {
		s.waiting = make(map[int]*block)
	}
	s.waiting[b.number] = b
	for s.waiting[s.taken] != nil {
		b := s.waiting[s.taken]
		delete(s.waiting, s.taken)
		s.taken++
		if s.fault == nil {
			s.take(b)
		}
		free <- b
	}
	return s.fault == nil
}

func (s *store) take(b *block) {
	if s.rows == 0 && b.rows > 0 {
		s.width, s.first = b.width, b.first.line
		s.reserve(b)
	}
	switch {
	case b.rows > 0 && b.width != s.width:
		s.odd(b.width, b.first)
		return
	case b.odd > 0:
		s.odd(b.odd, b.at)
		return
	case b.fault != nil:
		s.fault, s.at = b.fault, b.at
		return
	}
	if s.cells.count+len(b.cells) > s.most {
		s.fault, s.at = &fault{fmt.Sprintf("there are more than %d cells", s.most), "divide the tests among several files"}, b.first
		return
	}
	s.learn(b.keys)
	for i := range b.cells {
		b.cells[i].Test += int32(s.rows)
	}
	s.cells.add(b.cells)
	s.energy.add(b.energyBy(s.keys))
	s.rows += b.rows
}

// odd sets the fault of a row whose number of cells differs from the first row's.
func (s *store) odd(width int, at position) {
	s.at = at
	s.fault = &fault{fmt.Sprintf("the row has %d cells, that in line %d has %d", width, s.first, s.width),
		"give every row one cell for each component, _ for one that the test did not run"}
}

// reserve makes room for the whole file, if the rest of it is like its first
// block.
func (s *store) reserve(b *block) {
	blocks := 1.01*float64(s.size)/float64(len(b.text)) + 0.01
	s.cells.reserve(blocks * float64(len(b.cells)))
	s.energy.reserve(blocks * float64(len(b.energy)))
}

// learn adds the domains that no earlier block had; the cells of earlier blocks have 0
// there.
func (s *store) learn(keys []key) {
	old := len(s.keys)
	for _, k := range keys {
		if !slices.Contains(s.keys, k) {
			s.keys = append(s.keys, k)
		}
	}
	if cells := s.cells.count; len(s.keys) > old && cells > 0 {
		energy := s.energy.whole()
		s.energy = segments[float64]{}
		s.energy.add(widen(energy, cells, old, len(s.keys), 0))
	}
}

// energyBy returns the energy of the cells in the order of keys, 0 for keys that the
// chunk does not have.
func (c *chunk) energyBy(keys []key) []float64 {
	if slices.Equal(c.keys, keys) {
		return c.energy
	}
	out := make([]float64, len(c.cells)*len(keys))
	for j, k := range c.keys {
		to := slices.Index(keys, k)
		for i := range c.cells {
			out[i*len(keys)+to] = c.energy[i*len(c.keys)+j]
		}
	}
	return out
}

// matrix returns what was taken.
func (s *store) matrix() *spell.Matrix {
	m := &spell.Matrix{Components: make([]spell.Component, s.width), Tests: make([]string, s.rows)}
	for i := range m.Tests {
		m.Tests[i] = defaultTest(i)
	}
	for j := range m.Components {
		m.Components[j].ID = "c" + strconv.Itoa(j+1)
	}
	for _, k := range s.keys {
		m.Domains = append(m.Domains, k.domain())
	}
	m.Cells, m.Energy = s.cells.whole(), s.energy.whole()
	return m
}

// defaultTest is the name of the test at index i if the file has none.
func defaultTest(i int) string { return "t" + strconv.Itoa(i+1) }

// widen converts the energy of the given number of cells from old to wide values each;
// the added values are 0 and follow the others. The result has capacity most, or more
// if needed.
func widen(energy []float64, cells, old, wide, most int) []float64 {
	out := make([]float64, cells*wide, max(cells*wide, most))
	for i := range cells {
		copy(out[i*wide:], energy[i*old:(i+1)*old])
	}
	return out
}

// sizeOf returns the expected number of bytes of r, which may be wrong; 0 = unknown.
func sizeOf(r io.Reader) int64 {
	switch r := r.(type) {
	case interface{ Len() int }:
		return int64(r.Len())
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}
