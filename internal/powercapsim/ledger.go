package powercapsim

import (
	"math"
	"time"

	"spell-lsp/internal/powercapsim/burn"
)

// A ledger is the energy of all accounts: the energy that functions booked, and that
// of the programs' other running time.
type ledger struct {
	accounts *burn.Accounts
	cpu      func(pid int) (time.Duration, error) // running time of a process
	rests    [burn.MaxProcesses]rest
	others   others
	joules   float64 // of all accounts that counters show, when they were last read
	delay    delay
}

// A rest is the running time of a process that no function has booked.
type rest struct {
	pid      int64
	base     int64 // ns, before the process registered
	unbooked int64 // ns; never decreases
}

func newLedger(path string, delay delay, othersW float64) (*ledger, error) {
	a, err := burn.Create(path)
	if err != nil {
		return nil, err
	}
	return &ledger{accounts: a, cpu: processCPU, others: others{watts: othersW, cpu: processCPU, list: processes}, delay: delay}, nil
}

// read brings the ledger up to date, now. A nil ledger has nothing to read.
func (l *ledger) read(now int64) {
	if l == nil {
		return
	}
	for i := range l.rests {
		if p := &l.accounts.Processes[i]; p.PID.Load() > 0 {
			l.book(p, &l.rests[i])
		}
	}
	more := l.others.ran(l.takesPart, now)
	l.accounts.UnbookedPJ.Add(uint64(1e3 * l.others.watts * float64(more)))
	l.joules = l.delay.shown(float64(l.accounts.PJ())/1e12, now)
}

// book books the running time of a process that its functions have not booked. Time
// between the last reading and the end of the process is lost.
func (l *ledger) book(p *burn.Process, r *rest) {
	pid := p.PID.Load()
	booked := int64(p.BookedNS.Load()) // read before the clock, so that the rest is not negative
	cpu, err := l.cpu(int(pid))
	if err != nil { // the process is gone
		*r = rest{}
		p.PID.Store(0)
		return
	}
	now := int64(cpu) - booked
	if r.pid != pid {
		*r = rest{pid: pid, base: now}
	}
	if more := now - r.base - r.unbooked; more > 0 {
		r.unbooked += more
		l.accounts.UnbookedPJ.Add(p.MilliWatts.Load() * uint64(more))
	}
}

// takesPart says whether a process has an entry.
func (l *ledger) takesPart(pid int) bool {
	for i := range l.rests {
		if l.accounts.Processes[i].PID.Load() == int64(pid) {
			return true
		}
	}
	return false
}

// A delay is a low-pass filter that a share of all energy passes before counters show it.
type delay struct {
	share float64
	by    time.Duration // time constant
	last  int64         // ns, of the clock
	total float64       // J, until then
	held  float64       // J, not shown yet
}

// shown is how much of a total counters show. What was used since the last call was used evenly.
func (d *delay) shown(total float64, now int64) float64 {
	if d.share == 0 {
		return total
	}
	if x := float64(now-d.last) / float64(d.by); x > 0 {
		decay := math.Exp(-x)
		d.held = d.held*decay + d.share*(total-d.total)*(1-decay)/x
		d.last, d.total = now, total
	}
	return d.total - d.held
}
