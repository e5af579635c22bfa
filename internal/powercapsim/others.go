package powercapsim

import "time"

// othersWindow is how often the running time of the whole machine is compared with that of the
// participants. The kernel counts it in hundredths of a second.
const othersWindow = 20 * time.Millisecond

// others are the processes that do not take part. What they ran in a window draws power evenly over the
// next one.
type others struct {
	watts  float64
	busy   func() (time.Duration, error) // running time of all processes of the machine
	begun  bool
	base   time.Duration // of busy, at the first reading
	booked time.Duration // of the others, so far
	owed   time.Duration // of the last window, not booked yet
	rate   float64       // processors, to book that by the end of this window
	last   int64         // ns, of the clock
	window int64         // ns, its end
}

// ran is the running time of the others since the last call, given that of all participants so far.
func (o *others) ran(participants time.Duration, now int64) time.Duration {
	if o.watts == 0 {
		return 0
	}
	more := min(o.owed, time.Duration(o.rate*float64(now-o.last)))
	o.booked, o.owed, o.last = o.booked+more, o.owed-more, now
	if now < o.window {
		return more
	}
	o.window = now + othersWindow.Nanoseconds()
	busy, err := o.busy()
	if err != nil {
		return more
	}
	if !o.begun {
		o.begun, o.base = true, busy-participants
	}
	o.owed = max(0, busy-o.base-participants-o.booked)
	o.rate = float64(o.owed) / float64(othersWindow)
	return more
}
