package stacks

import "time"

// SystemCalls finds out whose the time in system calls is where the kernel lets only user
// space be sampled (Stats.Kernel is false). Where a sample stands for more than the period, the
// rest was spent in the kernel, by whatever the thread did since its sample before. It is charged
// to the nearest sample of the thread, by its CPU time, that is about to make a system call or
// comes from one: how many of these a function has tells how many calls it makes. Where none is
// near, as with page faults, it stays where it is.
//
// Functions that take turns within less than the period share the time of their calls by
// number, even if the calls of one are longer.
type SystemCalls struct {
	period  int64 // ns
	threads map[int]*calling
}

// A calling thread is one that makes system calls.
type calling struct {
	cpu  int64 // CPU time so far, ns
	last *Sample
	at   int64 // CPU time at last, the latest sample in a system call
	owed []owed
}

// What is owed was spent in the kernel before a sample, from one CPU time to another.
type owed struct {
	sample   *Sample
	from, to int64
}

// near is how far away, in periods, a sample in a system call may be: interrupts and page faults
// are in the kernel, too, and are those of the code that they interrupt.
const near = 12

// NewSystemCalls is for samples of a period.
func NewSystemCalls(period time.Duration) *SystemCalls {
	return &SystemCalls{int64(period), make(map[int]*calling)}
}

// Add takes the samples of a Sampler in the order in which it passes them on. calls tells
// whether the sample's stack is one of a system call. charge is called for every CPU time, ns,
// with the sample where it belongs: for each sample at once, and perhaps again later for one
// that Add got before.
func (c *SystemCalls) Add(s *Sample, calls bool, charge func(s *Sample, ns int64)) {
	t := c.threads[s.TID]
	if t == nil {
		t = &calling{}
		c.threads[s.TID] = t
	}
	from := t.cpu
	t.cpu += s.NS
	if calls {
		charge(s, s.NS)
		t.settle(s, from, near*c.period, charge)
		t.last, t.at = s, t.cpu
		return
	}
	own := min(s.NS, c.period)
	charge(s, own)
	if s.NS > own {
		t.owed = append(t.owed, owed{s, from, t.cpu - own})
	}
	if len(t.owed) > 0 && t.cpu-t.owed[0].to > near*c.period {
		t.settle(nil, 0, near*c.period, charge)
	}
}

// Finish charges what Add still holds. The samples have ended.
func (c *SystemCalls) Finish(charge func(s *Sample, ns int64)) {
	for _, t := range c.threads {
		t.settle(nil, 0, near*c.period, charge)
	}
}

// settle charges what is owed to the nearest of the last sample in a system call and the next,
// which is at a CPU time, if one is less than a distance away.
func (t *calling) settle(next *Sample, at, distance int64, charge func(*Sample, int64)) {
	for _, o := range t.owed {
		to, nearest := o.sample, distance
		if t.last != nil && o.from-t.at < nearest {
			to, nearest = t.last, o.from-t.at
		}
		if next != nil && at-o.to < nearest {
			to = next
		}
		charge(to, o.to-o.from)
	}
	t.owed = nil
}
