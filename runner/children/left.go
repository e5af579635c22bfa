package children

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EndLeft kills what a program left running after [Watch.Finish]: the descendants that are known,
// also where they left the process group, and every process whose environment has the variable
// mark (NAME=VALUE), which none but descendants of the program may have: a daemon has no parent
// that leads to the program. It returns their names.
func (w *Watch) EndLeft(mark string) []string {
	type process struct{ pid, start uint64 }
	ended := make(map[process]string)
	const tries, pause = 100, time.Millisecond // a process that is killed may have started another
	for range tries {
		again := false
		for pid, m := range w.left(mark) {
			name, start, ok := w.end(pid, m, mark)
			again = again || ok
			if ok {
				ended[process{uint64(pid), start}] = name
			}
		}
		if !again {
			break
		}
		time.Sleep(pause)
	}
	var names []string
	for _, name := range ended {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// left lists processes that may have to be ended: members, and nil for others that have the mark.
func (w *Watch) left(mark string) map[int]*member {
	list := make(map[int]*member)
	for _, pid := range w.all() {
		if pid != w.tree.root && w.marked(pid, mark) {
			list[pid] = nil
		}
	}
	for pid, m := range w.tree.members {
		list[pid] = m
	}
	return list
}

// marked says whether the environment with which a process was started has the mark. That of a
// process of another user cannot be read, and that of one that has ended is empty.
func (w *Watch) marked(pid int, mark string) bool {
	text, err := os.ReadFile(filepath.Join(w.proc, strconv.Itoa(pid), "environ"))
	return err == nil && mark != "" && slices.Contains(strings.Split(string(text), "\x00"), mark)
}

// end kills a process if it is still the one that is meant, and says whether it was running.
func (w *Watch) end(pid int, m *member, mark string) (name string, start uint64, ok bool) {
	kill, err := killer(pid)
	if err != nil {
		return "", 0, false
	}
	defer kill.close()
	// Read when the descriptor is there: from now on the number cannot stand for another process.
	text, err := os.ReadFile(filepath.Join(w.proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", 0, false
	}
	p, known := parse(text)
	same := m != nil && p.start == m.start || w.marked(pid, mark)
	if !known || !same || isZombie(text) {
		return "", 0, false
	}
	if p.name == "" { // it is just becoming another program
		p.name = "process " + strconv.Itoa(pid)
	}
	return p.name, p.start, kill.kill() == nil
}

// Ends says whether a process has ended or is about to: nothing can keep it from that. Its files,
// and so its connections, are closed only when it is.
func Ends(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil || isZombie(text) {
		return true
	}
	const flags, exiting = 6, 0x4 // of the fields after the name; PF_EXITING of the kernel's sched.h
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= flags {
		return false
	}
	n, err := strconv.ParseUint(string(fields[flags]), 10, 64)
	return err == nil && n&exiting != 0
}

// isZombie says whether a stat file is of a process that has ended.
func isZombie(text []byte) bool {
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	return len(fields) > 0 && (fields[0][0] == 'Z' || fields[0][0] == 'X')
}
