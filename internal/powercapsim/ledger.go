package powercapsim

import (
	"time"

	"spell-lsp/internal/powercapsim/burn"
)

// A ledger is the energy of all accounts: the energy that functions booked, and that
// of the programs' other running time.
type ledger struct {
	accounts *burn.Accounts
	cpu      func(pid int) (time.Duration, error) // running time of a process
	rests    [burn.MaxProcesses]rest
	joules   float64 // of all accounts, when they were last read
}

// A rest is the running time of a process that no function has booked.
type rest struct {
	pid      int64
	base     int64 // ns, before the process registered
	unbooked int64 // ns; never decreases
}

func newLedger(path string) (*ledger, error) {
	a, err := burn.Create(path)
	if err != nil {
		return nil, err
	}
	return &ledger{accounts: a, cpu: processCPU}, nil
}

// read brings the ledger up to date. A nil ledger has nothing to read.
func (l *ledger) read() {
	if l == nil {
		return
	}
	for i := range l.rests {
		if p := &l.accounts.Processes[i]; p.PID.Load() > 0 {
			l.book(p, &l.rests[i])
		}
	}
	l.joules = float64(l.accounts.PJ()) / 1e12
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
