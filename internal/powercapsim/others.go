package powercapsim

import (
	"errors"
	"os"
	"strconv"
	"time"
)

const (
	othersEvery = 4 * time.Millisecond  // between looks at their running times
	listEvery   = 40 * time.Millisecond // between searches for new processes
)

// others are the processes of the machine that do not take part. What one ran between its start and the
// moment when it is found counts from then on; what it runs after the last look at it is lost.
type others struct {
	watts float64
	cpu   func(pid int) (time.Duration, error) // running time of a process
	list  func() ([]int, error)                // all processes
	known map[int]time.Duration                // by process: running time that counts
	next  int64                                // ns of the clock: of the next look
	lists int64                                // of the next search
}

// ran is the running time of the others since the last look.
func (o *others) ran(takesPart func(pid int) bool, now int64) (sum time.Duration) {
	if o.watts == 0 || now < o.next {
		return 0
	}
	o.next = now + othersEvery.Nanoseconds()
	if now >= o.lists {
		o.lists = now + listEvery.Nanoseconds()
		o.find()
	}
	for pid, before := range o.known {
		cpu, err := o.cpu(pid)
		switch {
		case err != nil:
			delete(o.known, pid) // it has ended
			continue
		case cpu > before && !takesPart(pid):
			sum += cpu - before
		}
		o.known[pid] = cpu
	}
	return sum
}

// find adds new processes. Those that ran before the simulation count from now on.
func (o *others) find() {
	pids, err := o.list()
	if err != nil {
		return
	}
	first := o.known == nil
	if first {
		o.known = make(map[int]time.Duration)
	}
	for _, pid := range pids {
		if _, known := o.known[pid]; known {
			continue
		}
		o.known[pid] = 0
		if first {
			o.known[pid], _ = o.cpu(pid) // one that has just ended is deleted at the look at it
		}
	}
}

// processes are the numbers of all processes, from /proc.
func processes() (pids []int, err error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	names, err := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, errors.Join(err, proc.Close())
}
