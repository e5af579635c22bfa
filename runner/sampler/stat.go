package sampler

import (
	"bytes"
	"os"
	"strconv"
)

// A stat reads the CPU time of the machine: the first line of /proc/stat (proc(5): user,
// nice, system, idle, iowait, irq, softirq, steal, in hundredths of a second).
type stat struct {
	file        *os.File
	buf         [256]byte
	next        int64     // moment of the next read
	busy, steal int64     // ns, since the file was first read
	from        *[2]int64 // both at the first read
}

// statEvery is the interval of reads in ns: the file has a resolution of 10 ms.
const statEvery = 10_000_000

func newStat() *stat {
	s := &stat{}
	s.file, _ = os.Open("/proc/stat") // without it the usage of other processes is unknown
	return s
}

func (s *stat) update() {
	if t := now(); s.file != nil && t >= s.next {
		s.next = t + statEvery
		n, _ := s.file.ReadAt(s.buf[:], 0) // io.EOF is no problem: the first line is enough
		s.parse(s.buf[:n])
	}
}

// parse reads the first line; it ignores text of another form.
func (s *stat) parse(text []byte) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 9 || string(fields[0]) != "cpu" {
		return
	}
	hundredths := func(columns ...int) (sum int64) {
		for _, i := range columns {
			n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // the kernel writes numbers
			sum += n
		}
		return sum * 10_000_000
	}
	now := [2]int64{hundredths(1, 2, 3, 6, 7), hundredths(8)}
	if s.from == nil {
		s.from = &now
	}
	s.busy, s.steal = max(s.busy, now[0]-s.from[0]), max(s.steal, now[1]-s.from[1])
}
