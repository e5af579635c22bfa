package sampler

import (
	"bytes"
	"os"
	"strconv"

	"spell-lsp/spell/regularfile"
)

// A stat reads the CPU time of the machine from /proc/stat (proc(5): user, nice, system, idle, iowait, irq, softirq, steal, in
// hundredths of a second). Processors are busy where they are not idle: kernels that stop their clock on an idle
// processor know exactly how long it was idle (CONFIG_NO_HZ_IDLE), while the columns of what ran are sampled at the ticks of that
// clock, which tasks that a timer wakes miss.
type stat struct {
	file        *os.File
	buf         [256]byte
	processors  int64
	next        int64 // moment of the next read
	busy, steal int64 // ns, since the file was first read
	from        *moment
}

// A moment is what the file says at one time, in ns.
type moment struct{ at, idle, steal int64 }

// statEvery is the interval of reads in ns: the file has a resolution of 10 ms.
const statEvery = 10_000_000

func newStat() *stat {
	s := &stat{}
	text, err := regularfile.Read("/proc/stat", regularfile.MaxSource)
	if err != nil {
		return s // the usage of other processes is unknown
	}
	s.processors = countProcessors(text)
	s.file, _ = os.Open("/proc/stat")
	return s
}

// countProcessors counts the lines of single processors that are online.
func countProcessors(text []byte) (n int64) {
	for line := range bytes.Lines(text) {
		if number, ok := bytes.CutPrefix(line, []byte("cpu")); ok && len(number) > 0 && number[0] >= '0' && number[0] <= '9' {
			n++
		}
	}
	return n
}

func (s *stat) update() {
	if t := now(); s.file != nil && t >= s.next {
		s.next = t + statEvery
		n, _ := s.file.ReadAt(s.buf[:], 0) // io.EOF is no problem: the first line is enough
		s.parse(t, s.buf[:n])
	}
}

// parse reads the first line; it ignores text of another form.
func (s *stat) parse(at int64, text []byte) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 9 || string(fields[0]) != "cpu" {
		return
	}
	ns := func(column int) int64 {
		n, _ := strconv.ParseInt(string(fields[column]), 10, 64) // the kernel writes numbers
		return n * 10_000_000
	}
	now := moment{at, ns(4) + ns(5), ns(8)}
	if s.from == nil {
		s.from = &now
	}
	steal := now.steal - s.from.steal
	s.busy = max(s.busy, s.processors*(at-s.from.at)-(now.idle-s.from.idle)-steal)
	s.steal = max(s.steal, steal)
}
