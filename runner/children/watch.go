package children

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// A Watch follows the descendants of one process. It is not safe for concurrent use.
type Watch struct {
	tree    *tree
	proc    string              // folder of procfs
	clock   func(pid int) int64 // CPU time of a process in ns, 0 if unknown
	loadavg *os.File
	buf     [1024]byte
	last    int   // number of the process created last, at the latest poll
	pending []int // numbers that were new at the last poll and had no process yet
	trusted bool  // loadavg gives that number
	due     time.Time
	reads   int // number of processes read so far
}

// maxNew is the largest number of new processes and threads that are read one by one; if
// there are more, procfs is listed.
const maxNew = 4096

// pausePerRead times the number of processes that a poll read is the minimum pause before
// the next poll. A read takes about 15 µs, so polls take at most 2 % of a processor, however
// many processes there are. The pause does not depend on how long the poll took: waiting
// for a processor is no reason to poll less often.
const pausePerRead = 750 * time.Microsecond

// New follows the descendants of a process that was started just now.
func New(pid int) *Watch { return newWatch(pid, "/proc", cpuClock) }

func newWatch(pid int, proc string, clock func(int) int64) *Watch {
	w := &Watch{tree: newTree(pid), proc: proc, clock: clock, last: pid}
	w.loadavg, _ = os.Open(filepath.Join(proc, "loadavg"))
	// In some containers loadavg shows another namespace, or a constant.
	now, known := w.lastCreated()
	w.trusted = known && now >= pid
	return w
}

// Close ends the watch.
func (w *Watch) Close() error {
	if w.loadavg == nil {
		return nil
	}
	return w.loadavg.Close()
}

// Poll returns the CPU time of all descendants so far, in ns, which never falls, and the
// part of it that the process's own sums will never include: that of descendants that
// nobody waited for, or whose parent has ended. It reads nothing, and is not ok, in the pause
// after a poll that read many processes.
func (w *Watch) Poll() (allNS, apartNS int64, ok bool) {
	now := time.Now()
	if now.Before(w.due) {
		return 0, 0, false
	}
	before := w.reads
	w.poll()
	w.due = now.Add(time.Duration(w.reads-before) * pausePerRead)
	return w.tree.totalNS, w.tree.apartNS(), true
}

// Finish is the last Poll, after the process has ended and before it is waited for.
func (w *Watch) Finish() (allNS, apartNS int64) {
	w.poll()
	if waited, known := waitedFor(w.tree.root); known {
		list, _ := w.alive(nil)
		w.tree.update(waited, 0, list)
	}
	return w.tree.totalNS, w.tree.apartNS()
}

// Elsewhere tells the numbers of the descendants that are measured in another way: Programs leaves
// them out from here on.
func (w *Watch) Elsewhere(pids []int) { w.tree.elsewhere = pids }

// Programs lists the programs of the descendants by CPU time, highest first. Those that are
// measured in another way used at least so many ns.
func (w *Watch) Programs(elsewhereNS int64) []Program { return w.tree.programs(elsewhereNS) }

func (w *Watch) poll() {
	last, known := w.lastCreated()
	known = known && w.trusted
	if known && last == w.last && len(w.tree.members) == 0 && len(w.pending) == 0 {
		return
	}
	root, ok := w.read(w.tree.root)
	if !ok {
		return
	}
	candidates := w.pending
	if known && last >= w.last && last-w.last <= maxNew {
		for pid := w.last + 1; pid <= last; pid++ {
			candidates = append(candidates, pid)
		}
	} else {
		candidates = w.all()
	}
	list, missing := w.alive(candidates)
	// A process gets its number before procfs shows it.
	w.pending = slices.DeleteFunc(missing, func(pid int) bool { return pid <= w.last })
	w.last = last
	w.tree.update(root.waitedNS, sumPrecisionNS, list)
}

// alive reads the members and the candidates for new ones, each parent before its
// children. It returns the numbers of those that do not exist as missing.
func (w *Watch) alive(candidates []int) (list []process, missing []int) {
	var members []*member
	for _, m := range w.tree.members {
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b *member) int {
		if a.start != b.start {
			return int(min(1, max(-1, int64(a.start-b.start))))
		}
		return a.pid - b.pid
	})
	pids := make([]int, 0, len(members)+len(candidates))
	for _, m := range members {
		pids = append(pids, m.pid)
	}
	for _, pid := range candidates {
		if w.tree.members[pid] == nil {
			pids = append(pids, pid)
		}
	}
	list = make([]process, 0, len(pids))
	for _, pid := range pids {
		if p, ok := w.read(pid); ok {
			list = append(list, p)
		} else {
			missing = append(missing, pid)
		}
	}
	return list, missing
}

func (w *Watch) read(pid int) (process, bool) {
	w.reads++
	text, err := os.ReadFile(filepath.Join(w.proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return process{}, false // it has ended
	}
	p, ok := parse(text)
	if ok {
		p.ownNS = max(p.ownNS, w.clock(pid))
	}
	return p, ok
}

// all lists the processes that there are.
func (w *Watch) all() []int {
	folder, err := os.Open(w.proc)
	if err != nil {
		return nil
	}
	defer folder.Close()                // nothing was written
	names, _ := folder.Readdirnames(-1) // a partial list is better than none
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

func (w *Watch) lastCreated() (pid int, known bool) {
	if w.loadavg == nil {
		return 0, false
	}
	n, _ := w.loadavg.ReadAt(w.buf[:], 0) // io.EOF is expected: the file is shorter
	return lastCreated(w.buf[:n])
}
