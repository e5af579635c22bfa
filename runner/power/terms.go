package power

import "math"

// Terms are what the power of running threads has beside the watts of their rows. The zero value
// is the linear model.
type Terms struct {
	// CoRunning is what a thread loses where all processors are busy: it draws 1/(1+CoRunning) of
	// its power, and with n busy ones of p as if CoRunning were (n-1)/(p-1) of that. Threads of
	// one core share its units, and the more cores are busy, the lower their frequency. Below 0 a
	// thread gains.
	CoRunning float64
	// Mutual says how far the loss follows the power of the threads that run beside: at 0 it is
	// the same for all, at 1 in proportion to that power.
	Mutual float64
	// Frequency says that the power of all rows follows the frequency of the processors: it is
	// proportional to Tick.Weight to this power. 0 where it does not, or that is not known.
	Frequency float64
	// Late is the share of the energy that the counter shows late, as if it passed a low-pass
	// filter with the time constant LateS, in s.
	Late, LateS float64
	// Drift says that the power of all rows together drifts, by temperature or frequency, with a
	// time constant of half a second or more.
	Drift bool
}

// proper is the same without values that mean nothing, as others are 0.
func (t Terms) proper() Terms {
	if t.CoRunning == 0 {
		t.Mutual = 0
	}
	if t.Late == 0 {
		t.LateS = 0
	}
	return t
}

// Loss is the share of its power that a thread loses where all processors are busy.
func (t Terms) Loss() float64 { return 1 - 1/(1+t.CoRunning) }

// longestLate is the longest time constant of a counter that is late, in s. What takes longer is
// drift.
const longestLate = 8e-3

// Of some terms the ticks may tell: of a frequency if they differ in Weight, of co-running if threads ran at once, of a late
// counter if running times are not late themselves.
type tellable struct{ frequency, coRunning, late bool }

// more returns the terms with one more of those that the ticks may tell, at values to begin a search from.
func (t Terms) more(may tellable) (all []Terms) {
	with := func(change func(*Terms)) {
		u := t
		change(&u)
		all = append(all, u)
	}
	if may.frequency && t.Frequency == 0 {
		with(func(u *Terms) { u.Frequency = 1 })
	}
	if !t.Drift {
		with(func(u *Terms) { u.Drift = true })
	}
	switch {
	case t.CoRunning == 0 && may.coRunning:
		for _, x := range []float64{-0.2, 0.2, 0.4} {
			with(func(u *Terms) { u.CoRunning = x })
		}
	case t.CoRunning != 0 && t.Mutual == 0:
		with(func(u *Terms) { u.Mutual = 0.5 })
		with(func(u *Terms) { u.Mutual = 1 })
	}
	if t.Late == 0 && may.late {
		for _, s := range []float64{1e-3, 3e-3} {
			with(func(u *Terms) { u.Late, u.LateS = 0.3, s })
		}
	}
	return all
}

// near returns the terms with one value higher or lower, by up to a step of 1.
func (t Terms) near(step float64) (all []Terms) {
	with := func(change func(*Terms)) {
		u := t
		change(&u)
		all = append(all, u)
	}
	for _, x := range []float64{-step, step} {
		if t.CoRunning != 0 {
			with(func(u *Terms) { u.CoRunning = max(mostGain, u.CoRunning+0.1*x) })
		}
		if t.Mutual != 0 {
			with(func(u *Terms) { u.Mutual = min(max(0, u.Mutual+0.2*x), 1.5) })
		}
		if t.Frequency != 0 {
			with(func(u *Terms) { u.Frequency = min(max(0.1, u.Frequency+0.4*x), 3) })
		}
		if t.Late != 0 {
			with(func(u *Terms) { u.Late = min(max(0, u.Late+0.1*x), 0.9) })
			with(func(u *Terms) { u.LateS = min(u.LateS*math.Pow(2, x), longestLate) })
		}
	}
	return all
}
