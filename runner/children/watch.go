package children

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// A Watch follows the descendants of one process. It is not for several goroutines at
// once.
type Watch struct {
	tree    *tree
	proc    string              // where procfs is
	clock   func(pid int) int64 // CPU time of a process in ns; 0 if it is not known
	loadavg *os.File
	buf     [1024]byte
	last    int   // the process created last, as far as it was looked for
	late    []int // numbers that were new at the last look and had no process yet
	trusted bool  // the kernel says which that is
	due     time.Time
	reads   int // of processes, so far
}

// mostNew is how many new processes and threads are looked for by their numbers; of
// more all that run are listed.
const mostNew = 4096

// restFor is for how long there is no other look after one, for each process that it
// read: that takes some 15 µs, so that looks take 2 % of a processor at most, however many
// processes there are. How long a look took is not asked: that it had to wait for a
// processor is no reason to look less.
const restFor = 750 * time.Microsecond

// New follows the descendants of a process that was started just now.
func New(pid int) *Watch { return newWatch(pid, "/proc", cpuClock) }

func newWatch(pid int, proc string, clock func(int) int64) *Watch {
	w := &Watch{tree: newTree(pid), proc: proc, clock: clock, last: pid}
	w.loadavg, _ = os.Open(filepath.Join(proc, "loadavg"))
	// In some containers it is that of another namespace, or a constant.
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

// Look says what all descendants have used so far, CPU time in ns, which never falls; and
// what part of it those used that the process will not wait for, as they were left alone
// or have ended so.
func (w *Watch) Look() (allNS, apartNS int64) {
	if now := time.Now(); !now.Before(w.due) {
		before := w.reads
		w.look()
		w.due = now.Add(time.Duration(w.reads-before) * restFor)
	}
	return w.tree.totalNS, w.tree.apartNS()
}

// End is the last Look, when the process has ended and is not buried yet.
func (w *Watch) End() (allNS, apartNS int64) {
	w.look()
	if waited, known := waitedFor(w.tree.root); known {
		list, _ := w.alive(nil)
		w.tree.update(waited, 0, list)
	}
	return w.tree.totalNS, w.tree.apartNS()
}

// Programs lists what programs the descendants were, those first that used most.
func (w *Watch) Programs() []Program { return w.tree.programs() }

func (w *Watch) look() {
	last, known := w.lastCreated()
	known = known && w.trusted
	if known && last == w.last && len(w.tree.members) == 0 && len(w.late) == 0 {
		return
	}
	root, ok := w.read(w.tree.root)
	if !ok {
		return
	}
	candidates := w.late
	if known && last >= w.last && last-w.last <= mostNew {
		for pid := w.last + 1; pid <= last; pid++ {
			candidates = append(candidates, pid)
		}
	} else {
		candidates = w.all()
	}
	list, missing := w.alive(candidates)
	// A number is given before the process can be seen.
	w.late = slices.DeleteFunc(missing, func(pid int) bool { return pid <= w.last })
	w.last = last
	w.tree.update(root.waitedNS, shownPrecision, list)
}

// alive reads the members and other processes that may be descendants, each parent
// before its children. Those that are not there are missing.
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
	defer folder.Close()                // it was only read
	names, _ := folder.Readdirnames(-1) // some are better than none
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
	n, _ := w.loadavg.ReadAt(w.buf[:], 0) // what was read counts
	return lastCreated(w.buf[:n])
}
