// Package children adds up the CPU time of all descendants of a process while it runs:
// its children, their children, and descendants whose parent has ended. It knows nothing
// of energy.
//
// For each process the kernel sums up the CPU time of the children that it has waited for,
// and of those that these had waited for (proc_pid_stat(5), cutime and cstime). The kernel
// keeps both to the nanosecond and shows them in whole hundredths of a second, rounded
// down: a sum over any number of children is short by less than 20 ms. When the process has
// ended, wait4(2) gives the sum to the microsecond. Descendants that have not been waited
// for are found by polling:
//
//   - a descendant that runs has an exact CPU clock (clock_getcpuclockid(3));
//   - a descendant that was seen is identified by its number and start time, also when its
//     parent ends and it gets another one;
//   - a descendant that vanished without entering a sum, because its parent ignores SIGCHLD
//     or has ended, counts with its CPU time at the last poll.
//
// So the total never falls, and is never too high. Two kinds of processes are missed: those
// that begin and end between two polls without being waited for, and those that leave the
// process group before their first poll and after the end of their parent.
//
// As long as the number of the process created last (proc_loadavg(5)) does not change,
// there is no new child: polling a program without children is one system call.
package children

import (
	"cmp"
	"slices"
)

// A member is a descendant that was alive at the last poll.
type member struct {
	process
	// sumNS is the CPU time of the descendants that it waited for: the larger of what the
	// kernel shows and what was seen of them.
	sumNS int64
}

func (m *member) allNS() int64 { return m.ownNS + m.sumNS }

// A tree holds the descendants of one process, its root.
type tree struct {
	root    int
	members map[int]*member // by number
	sumNS   int64           // as member.sumNS, of the root
	goneNS  int64           // of descendants that ended without entering any sum
	totalNS int64
	ofNS    map[string]int64 // own CPU time of the descendants that were seen, by name
	// own CPU time of the descendants that are measured in another way, by their numbers, as it was seen
	elsewhere   []int
	elsewhereNS int64
}

func newTree(root int) *tree {
	return &tree{root: root, members: make(map[int]*member), ofNS: make(map[string]int64)}
}

// update takes in the present state: the root's sum over the children that it waited for,
// rounded down by less than precision (both ns), and all processes that may be descendants.
// Members that are missing among these have ended. The root must have been read first, and
// each parent before its children: then no process is both alive and in the sum of its
// parent.
func (t *tree) update(waitedNS, precision int64, alive []process) {
	before := t.members
	t.members = make(map[int]*member, len(before))
	t.keep(before, alive)
	t.admit(alive)
	// A member that was missing at the last poll has entered its parent's sum by now, if
	// it was waited for.
	t.settle(&t.sumNS, waitedNS, precision)
	for _, m := range t.members {
		t.settle(&m.sumNS, m.waitedNS, sumPrecisionNS)
	}
	for pid, m := range before {
		if t.members[pid] == nil || t.members[pid].start != m.start {
			*t.inheritor(m, before) += m.allNS()
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

// settle moves the part of a sum beyond the kernel's own sum to goneNS: it belongs to
// processes that were never waited for.
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
		t.see(p, p.ownNS-m.ownNS)
		t.members[p.pid] = &member{p, m.sumNS}
	}
}

// see adds CPU time of a descendant to that of its name.
func (t *tree) see(p process, ns int64) {
	if slices.Contains(t.elsewhere, p.pid) {
		t.elsewhereNS += ns
		return
	}
	t.ofNS[p.name] += ns
}

// admit adds new descendants: children of the root and of members, and processes in the
// root's process group, whose parent ended before they were seen.
func (t *tree) admit(alive []process) {
	for grown := true; grown; {
		grown = false
		for _, p := range alive {
			if p.pid == t.root || t.members[p.pid] != nil {
				continue
			}
			if p.parent == t.root || t.members[p.parent] != nil || p.group == t.root {
				t.members[p.pid] = &member{process: p}
				t.see(p, p.ownNS)
				grown = true
			}
		}
	}
}

// apartNS is the CPU time that the root's sums will never include: that of processes that
// nobody waited for, and of members whose chain of parents does not lead to the root.
func (t *tree) apartNS() int64 {
	apart := t.goneNS
	for _, m := range t.members {
		if !t.below(m) {
			apart += m.allNS()
		}
	}
	return apart
}

// below reports whether the chain of a member's parents leads to the root.
func (t *tree) below(m *member) bool {
	for range len(t.members) + 1 { // reused numbers could form a cycle
		if m == nil || m.parent == t.root {
			break
		}
		m = t.members[m.parent]
	}
	return m != nil && m.parent == t.root
}

// inheritor returns the sum that a member's CPU time enters when the member ends: that of
// its nearest living ancestor, or goneNS without one.
func (t *tree) inheritor(m *member, before map[int]*member) *int64 {
	for range len(before) + 1 { // reused numbers could form a cycle
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

// A Program is the CPU time of all descendants of one name.
type Program struct {
	Name string // of the executable, up to 15 bytes (proc_pid_comm(5)); "" for those that ended before they were seen
	NS   int64  // CPU time
}

// programs lists the programs by CPU time, highest first, and the unnamed rest last, without
// descendants that are measured in another way and used at least so many ns.
func (t *tree) programs(elsewhereNS int64) []Program {
	var list []Program
	rest := t.totalNS - max(elsewhereNS, t.elsewhereNS)
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
