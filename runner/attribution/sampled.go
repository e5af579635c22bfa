package attribution

import (
	"math"

	"spell-lsp/instrument/probe"
)

// A Sample says which row a thread ran at an instant, without probes.
type Sample struct {
	Thread uint64
	Row    int // -1 for none
	AtNS   int64
	RanNS  int64 // CPU time of the thread since its sample before
}

// AddSample takes a sample in, in the order of time on each thread. What ran between two samples of a
// thread is the earlier one's row for half of the CPU time, and then the later one's. With all of it
// in the later one's row, rows would seem to run half a period before they did, and their powers would
// seem more alike than they are. Where the thread waited in between, nothing tells which part ran before
// that, and all of it is the later one's.
func (o *Occupancy) AddSample(s Sample) {
	before, follows := o.samples.next(s)
	half := s.RanNS
	if follows {
		half /= 2
		if before.Row >= 0 {
			o.Add(probe.Occupied{Row: uint32(before.Row), StartNS: before.AtNS, EndNS: before.AtNS + s.RanNS - half, RanNS: float64(s.RanNS - half)})
		}
	}
	if s.Row >= 0 {
		o.Add(probe.Occupied{Row: uint32(s.Row), StartNS: s.AtNS - half, EndNS: s.AtNS, RanNS: float64(half)})
	}
}

// stackSamples are the latest samples of threads, and what the samples saw since Model.AddSamples took it.
type stackSamples struct {
	latest map[uint64]Sample
	seen   map[int]sequel
}

// A sequel counts the samples of a row, those among them that another of their thread followed after
// next to no waiting, and those whose follower saw the same row.
type sequel struct{ all, followed, same float64 }

func (q sequel) plus(more sequel) sequel {
	return sequel{q.all + more.all, q.followed + more.followed, q.same + more.same}
}

// next returns the sample before s on its thread. follows is false where there is none, or where the
// thread waited in between for longer than it ran.
func (c *stackSamples) next(s Sample) (before Sample, follows bool) {
	if c.latest == nil {
		c.latest, c.seen = make(map[uint64]Sample), make(map[int]sequel)
	}
	if len(c.latest) > mostLatest {
		clear(c.latest) // most threads have ended
	}
	before, known := c.latest[s.Thread]
	c.latest[s.Thread] = s
	c.seen[s.Row] = c.seen[s.Row].plus(sequel{all: 1})
	follows = known && s.AtNS-before.AtNS < 2*s.RanNS
	if follows {
		more := sequel{followed: 1}
		if before.Row == s.Row {
			more.same = 1
		}
		c.seen[before.Row] = c.seen[before.Row].plus(more)
	}
	return before, follows
}

// AddSamples counts what the samples of an execution saw since the last call.
func (m *Model) AddSamples(o *Occupancy) {
	for row, q := range o.samples.seen {
		m.sequels[row] = m.sequels[row].plus(q)
	}
	clear(o.samples.seen)
}

// sequels are those of all samples of a measurement, by row.
type sequels map[int]sequel

const (
	sequelPrior = 8    // weight of all rows in the agreement of one, in samples
	leastKappa  = 1e-3 // a smaller one says only that a row runs for much less than the period
)

// pulls are, by row, by what fraction of its apparent distance from the program's mean a row's true power
// may lie farther away. Samples do not see what ran between them, so the time of a row in a
// tick is known with an error, which makes powers seem more alike (errors in variables). If a row
// runs for exponentially distributed times, and samples that follow each other agree on it beyond
// chance by kappa (Cohen), then the covariance of its true and its seen time is tanh(x)/x of the
// variance of the seen one, with x = -ln(kappa)/2. Where no sample follows another, nothing is known of kappa.
func (q sequels) pulls() map[int]float64 {
	if len(q) < 2 {
		return nil // all distances are 0
	}
	var all sequel
	for _, row := range sortedRows(q) {
		all = all.plus(q[row])
	}
	chance := 0.0
	for _, row := range sortedRows(q) {
		chance += q[row].followed * q[row].all / all.all
	}
	mean := 0.0
	if all.followed > chance {
		mean = (all.same - chance) / (all.followed - chance)
	}
	pulls := make(map[int]float64, len(q))
	for row, one := range q {
		share := one.all / all.all
		kappa := (one.same - one.followed*share + sequelPrior*mean*(1-share)) / ((one.followed + sequelPrior) * (1 - share))
		kappa -= 1 / math.Sqrt(one.followed+sequelPrior) // a margin for what is known by few samples
		if x := -math.Log(max(kappa, leastKappa)) / 2; x > 0 {
			pulls[row] = x/math.Tanh(x) - 1
		}
	}
	return pulls
}

// mean is the mean of a figure of rows over the samples.
func (q sequels) mean(of func(row int) float64) float64 {
	var sum, all float64
	for _, row := range sortedRows(q) {
		if row >= 0 {
			sum, all = sum+q[row].all*of(row), all+q[row].all
		}
	}
	return sum / max(all, 1)
}
