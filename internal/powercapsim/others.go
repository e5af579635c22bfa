package powercapsim

import (
	"errors"
	"os"
	"strconv"
	"time"
)

const listEvery = 16 * time.Millisecond // between searches for new processes

// others are the processes of the machine that do not take part. What one ran between its start and the
// moment when it is found counts from then on; what it runs after the last look at it is lost.
type others struct {
	watts  float64
	cpu    func(pid int) (time.Duration, error) // running time of a process
	list   func() ([]int, error)                // all processes
	known  map[int]time.Duration                // by process: running time that counts
	active []int                                // those that ran between the last two searches; the others are looked at with each search
	lists  int64                                // ns of the clock: of the next search
}

// ran is the running time of the others since the last look.
func (o *others) ran(takesPart func(pid int) bool, now int64) (sum time.Duration) {
	if o.watts == 0 {
		return 0
	}
	if now < o.lists {
		for _, pid := range o.active {
			sum += o.look(pid, takesPart)
		}
		return sum
	}
	o.lists = now + listEvery.Nanoseconds()
	o.find()
	o.active = o.active[:0]
	for pid := range o.known {
		if ran := o.look(pid, takesPart); ran > 0 {
			sum += ran
			o.active = append(o.active, pid)
		}
	}
	return sum
}

// look is the running time of one of them since the last look at it.
func (o *others) look(pid int, takesPart func(pid int) bool) time.Duration {
	before, known := o.known[pid]
	cpu, err := o.cpu(pid)
	if err != nil || !known {
		delete(o.known, pid) // it has ended
		return 0
	}
	o.known[pid] = cpu
	if takesPart(pid) {
		return 0
	}
	return max(0, cpu-before)
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
