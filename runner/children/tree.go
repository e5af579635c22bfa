// Package children adds up the CPU time of all descendants of a process while it runs:
// its children, theirs, and those whose parent has ended.
//
// The kernel sums up what a process's children used that it waited for, and what these
// had waited for (proc_pid_stat(5), cutime and cstime). It keeps that to the nanosecond,
// and shows each of both in whole hundredths of a second, rounded down: a sum of any
// number of children is short by less than 20 ms. When the process has ended, wait4(2)
// tells it to the microsecond. What has not been waited for is found by looking:
//
//   - a descendant that runs has a CPU clock (clock_getcpuclockid(3)), exact;
//   - one that was seen is followed by its number and start time, also when its parent
//     has ended and it has another one;
//   - one that vanished and is in no sum, as its parent ignores SIGCHLD or had ended,
//     counts with what it had used when it was last seen.
//
// So the total never falls, and is never too high. What nobody sees is a process that
// begins and ends between two looks and is not waited for, and one that leaves the
// process group before its first look and after its parent has ended.
//
// As long as the number of the last process that was created (proc_loadavg(5)) does not
// change, there is no new child: a look at a program that has none is one system call.
package children

import (
	"cmp"
	"slices"
)

// A process is what procfs says of one at a moment.
type process struct {
	pid      int
	start    uint64 // in clock ticks since boot: a number may be used again
	parent   int
	group    int
	name     string
	ownNS    int64 // CPU time of all its threads
	waitedNS int64 // of the children that it waited for, and of theirs; rounded down
}

// A member is a descendant that was alive at the last look.
type member struct {
	process
	// sumNS is the CPU time of what it waited for: at least what the kernel shows, and
	// at least what was seen of these.
	sumNS int64
}

func (m *member) allNS() int64 { return m.ownNS + m.sumNS }

// A tree is the descendants of one process, its root.
type tree struct {
	root    int
	members map[int]*member // by number
	sumNS   int64           // as member.sumNS, of the root
	goneNS  int64           // of those that ended and were not waited for by a member or the root
	totalNS int64
	ofNS    map[string]int64 // own CPU time of those that were seen, by name
}

func newTree(root int) *tree {
	return &tree{root: root, members: make(map[int]*member), ofNS: make(map[string]int64)}
}

// update takes in what there is now: the root's sum of what it waited for, rounded down
// by less than precision, and all processes that may be descendants, of which members
// that are missing have ended. The root must have been read first, and each parent
// before its children: then no process is both alive and in the sum of its parent.
func (t *tree) update(waitedNS, precision int64, alive []process) {
	before := t.members
	t.members = make(map[int]*member, len(before))
	t.keep(before, alive)
	t.admit(alive)
	// A member whose end was seen at the last look is in its parent's sum by now, if it
	// was waited for.
	t.settle(&t.sumNS, waitedNS, precision)
	for _, m := range t.members {
		t.settle(&m.sumNS, m.waitedNS, shownPrecision)
	}
	for pid, m := range before {
		if t.members[pid] == nil || t.members[pid].start != m.start {
			*t.heir(m, before) += m.allNS()
		}
	}
	t.sumNS = max(t.sumNS, waitedNS)
	all := t.goneNS + t.sumNS
	for _, m := range t.members {
		m.sumNS = max(m.sumNS, m.waitedNS)
		all += m.allNS()
	}
	t.totalNS = max(t.totalNS, all)
}

// settle moves time beyond the kernel's sum to goneNS: its process was never waited for.
func (t *tree) settle(sumNS *int64, shownNS, precision int64) {
	if lost := *sumNS - (shownNS + precision); lost > 0 {
		*sumNS -= lost
		t.goneNS += lost
	}
}

// keep keeps the members that are still alive.
func (t *tree) keep(before map[int]*member, alive []process) {
	for _, p := range alive {
		m := before[p.pid]
		if m == nil || m.start != p.start {
			continue
		}
		p.ownNS = max(p.ownNS, m.ownNS)
		t.ofNS[p.name] += p.ownNS - m.ownNS
		t.members[p.pid] = &member{p, m.sumNS}
	}
}

// admit takes new descendants in: children of the root and of members, and what is in
// the root's process group, whose parent had ended before it was seen.
func (t *tree) admit(alive []process) {
	for grown := true; grown; {
		grown = false
		for _, p := range alive {
			if p.pid == t.root || t.members[p.pid] != nil {
				continue
			}
			if p.parent == t.root || t.members[p.parent] != nil || p.group == t.root {
				t.members[p.pid] = &member{process: p}
				t.ofNS[p.name] += p.ownNS
				grown = true
			}
		}
	}
}

// apartNS is the CPU time that the root's wait sums will never include: that of processes
// nobody waited for, and of members whose line of parents does not lead to the root.
func (t *tree) apartNS() int64 {
	apart := t.goneNS
	for _, m := range t.members {
		if !t.below(m) {
			apart += m.allNS()
		}
	}
	return apart
}

// below tells whether the line of a member's parents leads to the root.
func (t *tree) below(m *member) bool {
	for range len(t.members) + 1 { // numbers that were used again could make a circle
		if m == nil || m.parent == t.root {
			break
		}
		m = t.members[m.parent]
	}
	return m != nil && m.parent == t.root
}

// heir returns the sum that includes the CPU time of a member after its end: that of its
// nearest ancestor that is alive, nil if there is none.
func (t *tree) heir(m *member, before map[int]*member) *int64 {
	for range len(before) + 1 { // numbers that were used again could make a circle
		if m.parent == t.root {
			return &t.sumNS
		}
		parent := before[m.parent]
		if parent == nil {
			break
		}
		if now := t.members[m.parent]; now != nil && now.start == parent.start {
			return &now.sumNS
		}
		m = parent
	}
	return &t.goneNS
}

// A Program is what all descendants of one name used.
type Program struct {
	Name string // of the executable, up to 15 bytes (proc_pid_comm(5)); "" is of those that ended before they were seen
	NS   int64  // CPU time
}

// programs lists them, those first that used most, and last what has no name.
func (t *tree) programs() []Program {
	var list []Program
	rest := t.totalNS
	for name, ns := range t.ofNS {
		if ns > 0 {
			list = append(list, Program{name, ns})
			rest -= ns
		}
	}
	slices.SortFunc(list, func(a, b Program) int { return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Name, b.Name)) })
	if rest > 0 {
		list = append(list, Program{"", rest})
	}
	return list
}
