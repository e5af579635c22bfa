package children

import (
	"bytes"
	"strconv"
)

const (
	tickNS = 1e9 / 100 // USER_HZ is 100 on all Linux architectures that Go supports
	// sumPrecisionNS is by how much cutime and cstime together may be rounded down.
	sumPrecisionNS = 2 * tickNS
)

// A process is the state of one process in procfs at one moment.
type process struct {
	pid      int
	start    uint64 // in clock ticks since boot; numbers are reused, the pair with pid is not
	parent   int
	group    int
	name     string
	ownNS    int64 // CPU time of all its threads
	waitedNS int64 // CPU time of the descendants that were waited for, as shown: rounded down
}

// parse reads the content of a stat file (proc_pid_stat(5)). It reports false for a thread
// other than the first of its process, and for text of another form.
func parse(text []byte) (p process, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')') // a name may contain both
	if open < 0 || end < open {
		return p, false
	}
	fields := bytes.Fields(text[end+1:])
	const first = 3 // number of the first field after the name
	if len(fields) <= 38-first {
		return p, false
	}
	ok = true
	number := func(field int) int64 {
		n, err := strconv.ParseInt(string(fields[field-first]), 10, 64)
		ok = ok && err == nil
		return n
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(text[:open])))
	p = process{
		pid: pid, parent: int(number(4)), group: int(number(5)), name: string(text[open+1 : end]),
		ownNS: (number(14) + number(15)) * tickNS, waitedNS: (number(16) + number(17)) * tickNS, start: uint64(number(22)),
	}
	isThread := number(38) == -1 // it sends no signal when it ends
	return p, ok && err == nil && !isThread
}

// lastCreated reads the number of the process that was created last: the last field of
// loadavg.
func lastCreated(text []byte) (pid int, ok bool) {
	fields := bytes.Fields(text)
	if len(fields) != 5 {
		return 0, false
	}
	pid, err := strconv.Atoi(string(fields[4]))
	return pid, err == nil && pid > 0
}
