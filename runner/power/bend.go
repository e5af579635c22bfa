package power

import (
	"math"
	"slices"
)

// A bend turns running times into those of the linear model: the seconds in which a thread that
// runs alone, under a counter that is never late, would use the same energy.
type bend struct {
	Terms
	processors int
	others     int       // row of other processes, which are beside nobody: when within a tick they ran is not known; -1 for none
	like       reference // what Mutual and Drift compare with
	late       []float64 // s by row: what ran and was not shown yet
	waiting    []uint32  // rows with late > 0
	entries    []Entry   // buffer
	before     []Entry   // buffer
	at         []int32   // by row: 1 + its index in entries; 0 for none
	ran, shown []float64 // s by row, of all ticks: before and after
	// Of the last half second, weighted: what running threads drew, and what they should have
	// drawn without drift, in J.
	drew, expected  float64
	steady, drifted float64 // s of all rows, without drift and with it
}

// A reference are powers from an earlier fit of the same ticks, in W.
type reference struct {
	watts      []float64 // by row
	mean, idle float64
}

func newBend(terms Terms, like reference, processors, others, rows int) *bend {
	return &bend{
		Terms: terms, like: like, processors: processors, others: others,
		late: make([]float64, rows), at: make([]int32, rows), ran: make([]float64, rows), shown: make([]float64, rows),
	}
}

// apply returns a tick of one domain with the running times of the linear model. It is valid
// until the next call.
func (b *bend) apply(t Tick) Tick {
	if t.First {
		b.forget()
	}
	loss := b.loss(&t)
	drift, frequency := b.drift(), b.frequency(&t)
	b.entries = b.entries[:0]
	expected := 0.0
	for _, e := range t.Entries {
		s := e.Seconds * frequency / (1 + loss(e))
		if b.Drift {
			expected += s * b.like.watts[e.Row]
		}
		b.ran[e.Row] += e.Seconds
		b.steady, b.drifted = b.steady+s, b.drifted+s*drift
		b.put(e.Row, s*drift)
	}
	if b.Drift {
		b.learn(t.Joules[0]-b.like.idle*t.Seconds, expected, t.Seconds)
	}
	if b.Late > 0 {
		b.delay(t.Seconds)
	}
	for _, e := range b.entries {
		b.at[e.Row] = 0
		b.shown[e.Row] += e.Seconds
	}
	t.Entries = b.entries
	return t
}

// frequency is the factor on the power of all rows at the frequency of a tick.
func (b *bend) frequency(t *Tick) float64 {
	if b.Frequency == 0 || t.Weight == 0 {
		return 1
	}
	return min(max(0.1, math.Pow(t.Weight, b.Frequency)), 10)
}

func (b *bend) put(row uint32, seconds float64) {
	if i := b.at[row]; i > 0 {
		b.entries[i-1].Seconds += seconds
		return
	}
	b.entries = append(b.entries, Entry{row, seconds})
	b.at[row] = int32(len(b.entries))
}

// loss returns what a row loses in a tick, by Terms.CoRunning. Which rows ran at the same time is
// not known within a tick: the others are taken in the mean.
func (b *bend) loss(t *Tick) func(Entry) float64 {
	var running, joules float64
	for _, e := range t.Entries {
		if int(e.Row) == b.others {
			continue
		}
		running += e.Seconds
		if b.Mutual != 0 {
			joules += b.like.watts[e.Row] * e.Seconds
		}
	}
	most := b.CoRunning * coRunning(running/t.Seconds, b.processors)
	return func(e Entry) float64 {
		if int(e.Row) == b.others {
			return 0
		}
		others := running - e.Seconds
		if b.Mutual == 0 || others <= 0 || b.like.mean <= 0 {
			return most
		}
		beside := (joules - b.like.watts[e.Row]*e.Seconds) / others
		return max(mostGain, most*max(0, 1+b.Mutual*(beside/b.like.mean-1)))
	}
}

// mostGain is the least loss: a thread draws at most twice its power beside others.
const mostGain = -0.5

// coRunning is the mean over running threads of (n-1)/(p-1), with n the number of busy processors
// of p. Their mean over the tick is known; between two whole numbers it was the one for a time and
// the other for the rest.
func coRunning(mean float64, p int) float64 {
	if mean <= 1 || p < 2 {
		return 0
	}
	mean = min(mean, float64(p))
	low := math.Floor(mean)
	part := mean - low
	of := func(n float64) float64 { return n * (n - 1) / float64(p-1) }
	return ((1-part)*of(low) + part*of(low+1)) / mean
}

const (
	driftS     = 0.5  // s, time constant
	driftPrior = 0.05 // s at the mean power, without drift
)

// drift is the factor on the power of all rows, from the ticks before.
func (b *bend) drift() float64 {
	if !b.Drift || b.like.mean <= 0 {
		return 1
	}
	prior := driftPrior * b.like.mean
	return min(max(0.5, (b.drew+prior)/(b.expected+prior)), 2)
}

// meanDrift is the factor in the mean over all running time.
func (b *bend) meanDrift() float64 {
	if b.steady <= 0 {
		return 1
	}
	return b.drifted / b.steady
}

func (b *bend) learn(drew, expected, seconds float64) {
	decay := math.Exp(-seconds / driftS)
	b.drew, b.expected = b.drew*decay+drew, b.expected*decay+expected
}

// delay lets the late part of what ran wait, and shows what has waited. What runs in a tick does
// so evenly.
func (b *bend) delay(seconds float64) {
	decay := math.Exp(-seconds / b.LateS)
	kept := b.Late * (1 - decay) * b.LateS / seconds // of what ran in the tick, at its end
	b.before = append(b.before[:0], b.entries...)
	for i := range b.entries {
		b.entries[i].Seconds *= 1 - kept
	}
	waiting := b.waiting
	b.waiting = nil
	for _, row := range waiting {
		b.put(row, b.late[row]*(1-decay))
		b.late[row] *= decay
	}
	for _, e := range b.before {
		if b.late[e.Row] == 0 && e.Seconds > 0 {
			waiting = append(waiting, e.Row)
		}
		b.late[e.Row] += e.Seconds * kept
	}
	b.waiting = slices.DeleteFunc(waiting, func(row uint32) bool {
		if b.late[row] > leastLate*seconds {
			return false
		}
		b.late[row] = 0
		return true
	})
}

// leastLate is the part of a tick below which what waits is forgotten.
const leastLate = 1e-5

// forget drops what waits.
func (b *bend) forget() {
	for _, row := range b.waiting {
		b.late[row] = 0
	}
	b.waiting = b.waiting[:0]
}

// shares are the ratios of seconds after and before, by row, and of all rows together.
func (b *bend) shares() (byRow []float64, mean float64) {
	byRow = make([]float64, len(b.ran))
	var ran, shown float64
	for row, s := range b.ran {
		byRow[row] = 1
		if s > 0 {
			byRow[row] = b.shown[row] / s
		}
		ran, shown = ran+s, shown+b.shown[row]
	}
	if ran <= 0 {
		return byRow, 1
	}
	return byRow, shown / ran
}
