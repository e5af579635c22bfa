package children

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// EndDescendants kills all descendants of this process, and every other process whose environment
// has the variable mark (NAME=VALUE), which none but they may have. It goes on until none of them
// runs, for at most the given time, and returns the names of those that still do: processes of other
// users, or in a system call that cannot be interrupted.
//
// Where this process is a child subreaper (prctl(2)), no descendant can leave: daemons become its
// children. It does not wait for children (wait4(2)): zombies do not count.
func EndDescendants(mark string, most time.Duration) (left []string) {
	w := &Watch{tree: newTree(os.Getpid()), proc: "/proc", clock: func(int) int64 { return 0 }}
	const pause = 2 * time.Millisecond
	for until := time.Now().Add(most); ; time.Sleep(pause) {
		running := w.descendants(mark)
		if len(running) == 0 {
			return nil
		}
		if time.Now().After(until) {
			for _, p := range running {
				left = append(left, p.name)
			}
			slices.Sort(left)
			return left
		}
		for _, p := range running {
			w.end(p.pid, &member{process: p}, mark)
		}
	}
}

// descendants lists the processes that descend from the root or have the mark, without zombies.
func (w *Watch) descendants(mark string) (list []process) {
	known := make(map[int]process)
	for _, pid := range w.all() {
		if p, ok := w.read(pid); ok {
			known[pid] = p
		}
	}
	for pid, p := range known {
		if pid != w.tree.root && (w.descends(known, p) || w.marked(pid, mark)) && !w.isZombie(pid) {
			list = append(list, p)
		}
	}
	return list
}

func (w *Watch) descends(known map[int]process, p process) bool {
	for range len(known) { // parents that change meanwhile might make a circle
		if p.parent == w.tree.root {
			return true
		}
		parent, ok := known[p.parent]
		if !ok {
			return false
		}
		p = parent
	}
	return false
}

func (w *Watch) isZombie(pid int) bool {
	text, err := os.ReadFile(filepath.Join(w.proc, strconv.Itoa(pid), "stat"))
	return err != nil || isZombie(text)
}
