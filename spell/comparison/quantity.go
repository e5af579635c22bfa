package comparison

import (
	"math"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

// A Verdict says how an energy or a time changed.
type Verdict string

// The verdicts. Quantity.Why is the reason for one of the last two.
const (
	Better    Verdict = "better"    // significantly less
	Worse     Verdict = "worse"     // significantly more
	Unchanged Verdict = "unchanged" // no significant change
	Undecided Verdict = "undecided" // the measurements cannot tell
)

// An Amount is a number in both runs.
type Amount struct {
	Base   float64  `json:"base"`
	Head   float64  `json:"head"`
	Change *float64 `json:"change"` // (head-base)/base; null if base is 0 and head is not
}

// A Quantity is an amount with a verdict on its change.
type Quantity struct {
	Amount
	// ChangeCI is the 95 % interval of Change (or 1 - Level), from the spread of the rounds
	// and the uncertainty of the powers. It does not include the difference between runs of
	// the same code: see SmallestChange.
	ChangeCI *[2]float64 `json:"change_ci,omitempty"`
	// SmallestChange is the relative change up to which two runs of the same code
	// may differ.
	SmallestChange *float64 `json:"smallest_change,omitempty"`
	P              *float64 `json:"p,omitempty"`           // Wilcoxon's signed-rank test, two-sided
	PCorrected     *float64 `json:"p_corrected,omitempty"` // by Holm's method, within the family
	EffectR        *float64 `json:"effect_r,omitempty"`    // |Z| / sqrt(pairs)
	Effect         string   `json:"effect,omitempty"`      // negligible, small, medium or large (Cohen)
	Verdict        Verdict  `json:"verdict"`
	// Why is the reason for a verdict that is neither better nor worse, Reason the same as a
	// text.
	Why    *note.Note `json:"why,omitempty"`
	Reason string     `json:"reason,omitempty"`
}

// Is tells whether the reason for the verdict is of that code.
func (q *Quantity) Is(code note.Code) bool { return q.Why != nil && q.Why.Code == code }

// reasons has each note of a family once: there may be hundreds of thousands of
// quantities, which have few reasons. Within a family, notes of
// one code are equal: all members have the rounds of the same two runs.
type reasons map[note.Code]*note.Note

// of returns the one copy of a note; nil for a zero note.
func (r reasons) of(n note.Note) *note.Note {
	if n.Code == "" {
		return nil
	}
	if r[n.Code] == nil {
		r[n.Code] = &n
	}
	return r[n.Code]
}

// None tells whether both values are 0.
func (a Amount) None() bool { return a.Base == 0 && a.Head == 0 }

func newAmount(base, head float64) Amount {
	a := Amount{Base: base, Head: head}
	switch {
	case base == head:
		a.Change = finite(0)
	case base != 0:
		a.Change = finite((head - base) / base)
	}
	return a
}

// finite is nil for infinite values, which JSON cannot have.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// ratio is a / b; nil if a, b or a / b is 0, or if a / b overflows.
func ratio(a, b float64) *float64 {
	if a == 0 || b == 0 || a/b == 0 {
		return nil
	}
	return finite(a / b)
}

// setRatios sets greenup, speedup and powerup from energy and time.
func (c *Change) setRatios(energy bool) {
	c.Speedup = ratio(c.TimeMS.Base, c.TimeMS.Head)
	if !energy {
		return
	}
	c.Greenup = ratio(c.EnergyJ.Base, c.EnergyJ.Head)
	if c.Greenup != nil && c.Speedup != nil {
		c.Powerup = ratio(*c.Speedup, *c.Greenup)
	}
}

// A trial is a quantity that is to be tested.
type trial struct {
	q              *Quantity
	base, head     []float64  // by round
	minSpread      [2]float64 // relative standard deviation of each run that its rounds share, a lower bound of the spread
	powerHalfWidth float64    // half of the 95 % interval of head - base from the uncertainty of the powers; 0 = not known
	apart          bool       // the uncertainty of the powers does not explain the change
	reason         note.Note  // why it is not tested; zero = it is tested
}

// A family has the trials whose p-values are corrected together.
type family struct {
	trials  []*trial
	o       Options
	machine machine
	pairing pairing
	reasons reasons
	what    string // its members, in the plural
}

func (p *pair) family(what string) *family {
	return &family{o: p.o, machine: p.machine, pairing: p.pairing, reasons: make(reasons), what: what}
}

// decide gives all trials of the family their verdicts.
func (f *family) decide() {
	var members []*trial
	var ps []float64
	for _, t := range f.trials {
		if t.reason.Code == "" && (t.base == nil || t.head == nil) {
			t.reason = note.NoRounds(enoughRounds)
		}
		if t.reason.Code != "" {
			t.q.Verdict, t.q.Why = Undecided, f.reasons.of(t.reason)
			continue
		}
		members, ps = append(members, t), append(ps, f.test(t))
	}
	for i, corrected := range significance.Holm(ps) {
		t := members[i]
		t.q.PCorrected = &corrected
		f.setSmallestChange(t)
		verdict, why := f.verdict(t, corrected, len(members))
		t.q.Verdict, t.q.Why = verdict, f.reasons.of(why)
	}
}

// enoughRounds is recommended if there are no values by round.
const enoughRounds = 10

// test sets p, effect and interval from the rounds, and returns p.
func (f *family) test(t *trial) float64 {
	d := f.pairing.differences(t.base, t.head)
	r := significance.SignedRank(d)
	effect := r.Effect()
	t.q.P, t.q.EffectR, t.q.Effect = &r.P, &effect, significance.EffectLabel(effect)
	_, low, high, ok := significance.HodgesLehmann(d, 1-f.o.Level)
	if !ok || t.q.Base == 0 || t.q.Change == nil {
		return r.P
	}
	// Change is that of the means, the interval that of the Hodges-Lehmann estimate: a few
	// outliers can put the former outside of the latter.
	mean := t.q.Head - t.q.Base
	low, high = min(low, mean), max(high, mean)
	low, high = mean-math.Hypot(mean-low, t.powerHalfWidth), mean+math.Hypot(high-mean, t.powerHalfWidth)
	if a, b := finite(max(-1, low/t.q.Base)), finite(high/t.q.Base); a != nil && b != nil {
		t.q.ChangeCI = &[2]float64{*a, *b}
	}
	return r.P
}

// setSmallestChange sets the change up to which runs of the same code may differ.
func (f *family) setSmallestChange(t *trial) {
	if t.q.Base > 0 {
		t.q.SmallestChange = finite(f.limit(t) / t.q.Base)
	}
}

// limit is the change up to which runs of the same code may differ.
func (f *family) limit(t *trial) float64 {
	return max(record.Normal95*f.spread(t), f.pairing.nodeError(t.base, t.head), f.o.MinChange*t.q.Base)
}

// spread is the standard deviation of the difference between two single rounds.
func (f *family) spread(t *trial) float64 {
	base, head := f.pairing.deviation(t.base, f.pairing.base), f.pairing.deviation(t.head, f.pairing.head)
	return math.Hypot(max(base, t.minSpread[0]*t.q.Base), max(head, t.minSpread[1]*t.q.Head))
}

// deviation is the standard deviation of a sample (n-1); 0 of fewer than two values.
func deviation(values []float64) float64 {
	n := float64(len(values))
	if n < 2 {
		return 0
	}
	mean, sum := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		sum = math.Hypot(sum, v-mean)
	}
	return sum / math.Sqrt(n-1)
}

// verdict decides by the rules of the package comment; members is the size of the family.
func (f *family) verdict(t *trial, p float64, members int) (Verdict, note.Note) {
	pairs := len(f.pairing.differences(t.base, t.head))
	change := t.q.Head - t.q.Base
	limit := f.limit(t)
	large := math.Abs(change) > limit
	switch {
	case (p > f.o.Level || !large) && f.machine.hides(change, t.q.Base, limit):
		return Undecided, note.MachineHides(*f.machine.slowdown)
	case p > f.o.Level && significance.Least(pairs)*float64(members) > f.o.Level:
		return Undecided, f.tooFew(pairs, members)
	case p > f.o.Level && math.Abs(change) >= f.o.MinChange*t.q.Base && change != 0:
		return Unchanged, note.RoundsVary()
	case p > f.o.Level || change == 0:
		return Unchanged, note.Note{}
	case !large:
		return Unchanged, note.WithinSpread()
	case !t.apart:
		return Undecided, note.PowerErrors()
	case f.machine.explains(change, t.q.Base):
		return Undecided, note.MachineExplains(*f.machine.slowdown)
	case change < 0:
		return Better, note.Note{}
	}
	return Worse, note.Note{}
}

func (f *family) tooFew(pairs, members int) note.Note {
	needed := f.o.Level / float64(members)
	of := members
	if members == 1 {
		of = 0 // no correction
	}
	return note.TooFewRounds(pairs, significance.Least(pairs), needed, of, f.what, significance.PairsFor(needed))
}
