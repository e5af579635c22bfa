package power

import "math"

const (
	chooseTicks = 1000    // without as many ticks no term is added
	mostTicks   = 1 << 14 // that are fitted at a time while terms are chosen
	fewTicks    = 1 << 12 // the same while the program runs, whose readings wait meanwhile
	mostRows    = 64      // with terms of their own meanwhile
	foldTicks   = 256     // ticks in a row that are held out together
	termPrice   = 5.0     // by which a term must raise the log likelihood of each half that is held out
	mostTerms   = 5       // there are as many
	mostOthers  = 0.15    // of all running time, by other processes
	leastBeside = 0.1     // of the program's running time, beside another thread of it
	settleDrift = 3       // times that a drift is referred to the fit with it
)

// A chooser finds the terms under which ticks that are held out are most likely, for one domain.
type chooser struct {
	m      *Model
	domain int
	rows   []uint32
	most   int // ticks
	like   reference
}

// choose begins with the linear model, and adds the term that raises the likelihood of held-out
// ticks most, as long as one is worth its price. Of a long run it takes about the given number of ticks.
func (m *Model) choose(domain, most int) (Terms, reference) {
	rows := chooseRows(m.occ)
	c := &chooser{m: m, domain: domain, rows: rows[:min(len(rows), mostRows)], most: most}
	if m.processors == 0 || m.disturbed() || len(m.first.seconds) < chooseTicks || !c.drew() {
		return Terms{}, c.like
	}
	best, changed := Terms{}, true
	for n := 0; changed && n < mostTerms; n++ {
		best, changed = c.extend(best)
	}
	return best.proper(), c.like
}

// drew says whether the domain drew energy in each half of the ticks.
func (c *chooser) drew() bool {
	for _, half := range c.sums(c.bend(Terms{}), len(score{})) {
		if half.joules[0] < minJoules {
			return false
		}
	}
	return true
}

// disturbed says whether other processes ran for so long that terms would follow what they do.
func (m *Model) disturbed() bool {
	if m.others < 0 {
		return false
	}
	all := 0.0
	for _, s := range m.occ {
		all += s
	}
	return m.occ[m.others] > mostOthers*all
}

// together says whether several threads of the program ran at once for a notable part of its running time. When
// within a tick other processes ran is not known: they tell nothing of what a thread loses beside others.
func (m *Model) together() bool {
	var ran, beside float64
	for t := range m.first.all() {
		own := 0.0
		for _, e := range t.Entries {
			if int(e.Row) != m.others {
				own += e.Seconds
			}
		}
		ran += own
		beside += max(0, own-t.Seconds)
	}
	return beside > leastBeside*ran
}

// extend adds a term, and searches for the best values of all.
func (c *chooser) extend(old Terms) (best Terms, changed bool) {
	if old == (Terms{}) {
		c.refer(old)
	}
	before := c.score(old)
	best, score := old, before
	for _, t := range old.more(tellable{frequency: c.m.first.weighed(), coRunning: c.m.together(), late: !c.m.delayed}) {
		s := c.score(t)
		if min(s[0]-before[0], s[1]-before[1]) > termPrice && s.sum() > score.sum() {
			best, score, changed = t, s, true
		}
	}
	if !changed {
		return old, false
	}
	for step := 1.0; step > 0.1; step /= 2 {
		score = c.referAgain(best, score)
		for _, t := range best.near(step) {
			if s := c.score(t); s.sum() > score.sum() {
				best, score = t, s
			}
		}
	}
	for n := 0; n < 1 || best.Drift && n < settleDrift; n++ {
		score = c.referAgain(best, score)
	}
	return best, true
}

// referAgain makes new references, unless the ticks that are held out are much less likely with them than by their score before.
func (c *chooser) referAgain(t Terms, before score) score {
	old := c.like
	c.refer(t)
	if now := c.score(t); now.sum() > before.sum()-termPrice {
		return now
	}
	c.like = old
	return before
}

// weighed says whether ticks differ in Weight.
func (b *backlog) weighed() bool {
	for _, w := range b.weights {
		if w > 0 && b.weights[0] > 0 && math.Abs(w/b.weights[0]-1) > 0.01 {
			return true
		}
	}
	return false
}

// A score has the log likelihood of each half of the ticks under the fit of the other half.
type score [2]float64

func (s score) sum() float64 { return s[0] + s[1] }

// refer fits all ticks with these terms, for the powers that others refer to. These are as they are without drift: the data
// determine only the product of the power of all rows and the drift, so without that both would run away from fit to fit.
func (c *chooser) refer(t Terms) {
	b := c.bend(t)
	s := c.sums(b, 1)[0]
	e := newEstimator(s, s.haar(), 0, c.m.idle[c.domain])
	e.converge(c.m.rest[c.domain], s.term)
	drift := b.meanDrift()
	like := reference{watts: make([]float64, len(c.m.occ)), mean: drift * max(0, e.w[e.terms]), idle: max(0, e.w[idleTerm])}
	for row, term := range s.term {
		like.watts[row] = drift * max(0, e.w[term])
	}
	c.like = like
}

func (c *chooser) bend(t Terms) *bend {
	return newBend(t, c.like, c.m.processors, c.m.others, len(c.m.occ))
}

func (c *chooser) score(t Terms) (s score) {
	folds := c.sums(c.bend(t), len(s))
	for i, half := range folds {
		e := newEstimator(half, half.haar(), 0, c.m.idle[c.domain])
		e.converge(c.m.rest[c.domain], half.term)
		s[1-i] = e.likelihood(folds[1-i].haar())
	}
	return s
}

// sums adds up ticks as a new bend has them, those of each fold by themselves. Of a long run some stretches are taken.
func (c *chooser) sums(b *bend, folds int) []*sums {
	all := make([]*sums, folds)
	for i := range all {
		all[i] = newSums(1, c.m.first.medianSeconds(), c.rows, len(c.m.occ))
	}
	every := (len(c.m.first.seconds) + c.most - 1) / c.most
	n, skipped := -1, false
	for t := range c.m.first.all() {
		if c.m.spikes.impossible(t) {
			continue
		}
		n++
		stretch := n / foldTicks
		if stretch/2%every > 0 {
			skipped = true
			continue
		}
		one := *t
		one.Joules = t.Joules[c.domain : c.domain+1]
		one.First, skipped = one.First || skipped, false
		if b.Terms != (Terms{}) {
			one = b.apply(one)
		}
		all[stretch%folds].add(&one, nil)
	}
	for _, s := range all {
		s.flush()
		_, s.share = b.shares()
	}
	return all
}

// likelihood is the log likelihood of other ticks, but for a constant.
func (e *estimator) likelihood(others []scale) float64 {
	sum := 0.0
	for i, s := range others {
		g := e.gain[i]
		square, _ := e.squares(s.xx)
		cross := 0.0
		for t, xy := range s.xy[e.domain] {
			cross += e.w[t] * xy
		}
		sum -= (s.n*math.Log(e.noise[i]) + (s.yy[e.domain]-2*g*cross+g*g*square)/e.noise[i]) / 2
	}
	return sum
}
