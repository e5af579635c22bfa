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
	busy, steal int64 // ns, since the file was first read; busy may fall by the resolution
	last        *moment
	refused     int // looks since last
}

// A moment is what the file says at one time, in ns.
type moment struct{ at, all, idle, steal int64 }

const (
	resolution = 10_000_000 // of the file, in ns
	statEvery  = resolution // interval of reads
	// mostRefused looks in a row are those of late reads; after that a processor is gone.
	mostRefused = 3
)

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
	now := moment{at: at}
	for i, field := range fields[1:9] {
		n, _ := strconv.ParseInt(string(field), 10, 64) // the kernel writes numbers
		n *= resolution
		now.all += n
		switch i + 1 {
		case 4, 5:
			now.idle += n
		case 8:
			now.steal = n
		}
	}
	s.step(now)
}

// step adds what ran since the last look. Sums that do not change are those of systems that do not know them, and idle time
// falls where a processor is gone. An error of one look, by a late read, or by idle and iowait that are read one after the other, is
// taken back by the next, so all of them count: one that is too large to be true waits for the next.
func (s *stat) step(now moment) {
	if s.last == nil {
		s.last = &now
		return
	}
	last := *s.last
	if now.all == last.all {
		return
	}
	steal, there := max(0, now.steal-last.steal), s.processors*(now.at-last.at)
	ran := there - (now.idle - last.idle) - steal
	if now.idle < last.idle || ran < -there || ran > 2*there {
		if s.refused++; s.refused <= mostRefused {
			return
		}
		ran = 0
	}
	s.last, s.refused = &now, 0
	s.busy, s.steal = s.busy+ran, s.steal+steal
}
