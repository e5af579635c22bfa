package power

import (
	"cmp"
	"slices"
)

// Terms of the model: first the idle machine, then one for all rows without a term of
// their own, then single rows.
const (
	idleTerm = iota
	restTerm
	firstRow
)

const (
	maxRows  = 1000 // rows with terms of their own
	ownShare = 1e-3 // share of all running time with which a row gets a term of its own
	levels   = 4    // levels of merging: 1, 4, 16 and 64 ticks
	branch   = 4    // blocks of one level in a block of the next
	longTick = 2    // multiple of the usual length above which a tick counts for less
)

// chooseRows lists the rows that get terms of their own, by running time, longest first.
func chooseRows(occ []float64) []uint32 {
	total := 0.0
	for _, o := range occ {
		total += o
	}
	var rows []uint32
	for r, o := range occ {
		if o > 0 && o >= ownShare*total {
			rows = append(rows, uint32(r))
		}
	}
	slices.SortStableFunc(rows, func(a, b uint32) int { return cmp.Compare(occ[b], occ[a]) })
	return rows[:min(len(rows), maxRows)]
}

// sums are what is kept of ticks: for each level of merging, the sums of products over
// blocks.
type sums struct {
	domains int
	usual   float64  // median seconds of the first ticks
	term    []int32  // by row
	rows    []uint32 // by term, from firstRow on
	ticks   int
	seconds float64    // of all ticks
	joules  []float64  // of all ticks, by domain
	running float64    // running time in seconds, over all threads
	full    float64    // no term is free until running reaches this
	share   float64    // what a second of running counts for in the mean, see bend; 1 in the linear model
	powers  [5]float64 // sums of the 0th to 4th power of ticks' running time, s^i
	grams   [levels]gram
	next    [levels]block // incomplete blocks; next[0] is a tick
}

func newSums(domains int, usual float64, rows []uint32, allRows int) *sums {
	s := &sums{domains: domains, usual: usual, share: 1, term: make([]int32, allRows), joules: make([]float64, domains)}
	for r := range s.term {
		s.term[r] = restTerm
	}
	s.resize(firstRow + len(rows))
	for _, r := range rows {
		s.give(r)
	}
	return s
}

// give assigns a row a term of its own. There must be room.
func (s *sums) give(row uint32) {
	s.term[row] = int32(firstRow + len(s.rows))
	s.rows = append(s.rows, row)
}

func (s *sums) terms() int { return firstRow + len(s.rows) }

func (s *sums) resize(terms int) {
	for i := range s.grams {
		s.grams[i].resize(terms, s.domains)
		s.next[i].resize(terms, s.domains)
	}
}

// add adds a tick. occ, if not nil, is the running time of all rows so far: a row whose
// share has grown gets a term of its own from now on.
func (s *sums) add(t *Tick, occ []float64) {
	s.ticks++
	s.seconds += t.Seconds
	scale := 1.0
	if t.Seconds > longTick*s.usual {
		scale = longTick * s.usual / t.Seconds
	}
	running := 0.0
	for _, e := range t.Entries {
		s.running += e.Seconds
		running += e.Seconds * scale
		if s.term[e.Row] == restTerm && occ != nil && occ[e.Row] > ownShare*s.running && s.running >= s.full {
			s.promote(e.Row, occ)
		}
	}
	for i, x := 0, 1.0; i < len(s.powers); i, x = i+1, x*running {
		s.powers[i] += x
	}
	b := &s.next[0]
	b.put(idleTerm, t.Seconds*scale)
	for _, e := range t.Entries {
		if e.Seconds > 0 {
			b.put(s.term[e.Row], e.Seconds*scale)
		}
	}
	for d, j := range t.Joules {
		s.joules[d] += j
		b.joules[d] += j * scale
	}
	s.carry(0)
}

// carry adds the complete block of a level to the sums, and then that of each next level
// that this completes.
func (s *sums) carry(level int) {
	for s.take(level) {
		level++
	}
}

// take adds the block of a level to the sums, and reports whether this completes a block of
// the next level.
func (s *sums) take(level int) bool {
	b := &s.next[level]
	defer b.clear()
	s.grams[level].add(b)
	if level == levels-1 {
		return false
	}
	up := &s.next[level+1]
	up.join(b)
	return up.parts == branch
}

// flush adds the incomplete blocks to the sums.
func (s *sums) flush() {
	for level := 1; level < levels; level++ {
		if s.next[level].parts > 0 {
			s.take(level)
		}
	}
}

// promote assigns a row a term of its own. Its running time so far stays with restTerm.
// If no term is free, the row that ran least returns to restTerm, provided that it ran for
// less than half as long.
func (s *sums) promote(row uint32, occ []float64) {
	if len(s.rows) < maxRows {
		if have := len(s.grams[0].xx) / max(s.grams[0].stride, 1); s.terms() == have {
			s.resize(min(2*have, firstRow+maxRows))
		}
		s.give(row)
		return
	}
	least := slices.MinFunc(s.rows, func(a, b uint32) int { return cmp.Compare(occ[a], occ[b]) })
	if 2*occ[least] > occ[row] {
		s.full = s.running * (1 + ownShare)
		return
	}
	t := s.term[least]
	for i := range s.grams {
		s.grams[i].fold(int(t), restTerm)
		s.next[i].fold(t, restTerm)
	}
	s.term[least], s.term[row] = restTerm, t
	s.rows[t-firstRow] = row
}

func (s *sums) clone() *sums {
	c := *s
	c.term, c.rows, c.joules = slices.Clone(s.term), slices.Clone(s.rows), slices.Clone(s.joules)
	for i := range s.grams {
		c.grams[i], c.next[i] = s.grams[i].clone(), s.next[i].clone()
	}
	return &c
}
