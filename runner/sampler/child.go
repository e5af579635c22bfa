package sampler

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
)

// Name is what a process is called that is to be the sampler: the same program
// under another name, so that a copy of it can have a privilege which the program
// itself has not.
const Name = "spell-lsp-sampler"

// Called says whether this process is the sampler: it was started as such, or has
// a privilege that its user has not, under whatever name. It is then to call Main
// and nothing else: a copy of the program that may read every file must not read
// what its user says.
func Called() bool {
	program, err := os.Executable()
	return filepath.Base(os.Args[0]) == Name || privileged() || err == nil && filepath.Base(program) == Name
}

// protocol changes with what the two processes share.
const protocol = 2

// memoryFD is the descriptor of the shared memory in the child.
const memoryFD = 3

// A config is the child's argument.
type config struct {
	Meter   string        `json:"meter"`
	Options meter.Options `json:"options"`
	Doctor  bool          `json:"doctor"` // write the reports of meters.Doctor and end
}

// A diagnosis is what the child writes in place of a hello where it is to be the
// doctor.
type diagnosis struct {
	Protocol int             `json:"protocol"`
	Reports  []meters.Report `json:"reports"`
}

// A hello is the first line that the child writes: what it opened, or why nothing
// could be opened. Those that follow are faults, as text.
type hello struct {
	Protocol int             `json:"protocol"`
	Info     meter.Info      `json:"info"`
	Reasons  []meters.Reason `json:"reasons"`
	Error    string          `json:"error"`
	Unknown  bool            `json:"unknown"` // the error is meters.ErrUnknown
	Reason   *meters.Reason  `json:"reason"`  // of a *meters.OpenError
	Clock    string          `json:"clock"`   // how the process is scheduled
}

// Main is the sampler: it reads the meter until its standard input ends, as it
// does when its parent does. It returns the exit code.
func Main() int {
	err := serve()
	if err != nil {
		fmt.Fprintln(os.Stderr, Name+":", err)
		return 1
	}
	return 0
}

func serve() error {
	if len(os.Args) != 2 {
		return errors.New("this program reads energy counters for spell-lsp, which starts it: it is of no use by itself")
	}
	var c config
	if err := json.Unmarshal([]byte(os.Args[1]), &c); err != nil {
		return fmt.Errorf("reading its settings: %w", err)
	}
	if privileged() && c.Options != (meter.Options{}) {
		return errors.New("with a privilege it reads the system's own counters only: measure without --powercap-root")
	}
	out := json.NewEncoder(os.Stdout)
	if c.Doctor {
		return out.Encode(diagnosis{protocol, meters.Doctor(c.Options)})
	}
	m, reasons, err := meters.Open(c.Meter, c.Options)
	if err != nil {
		return out.Encode(refusal(err))
	}
	defer m.Close() //nolint:errcheck // it was only read
	mem, err := openMemory(os.NewFile(memoryFD, "readings"))
	if err != nil {
		return out.Encode(refusal(err))
	}
	if n := len(m.Info().Domains); n > maxDomains {
		return out.Encode(refusal(fmt.Errorf("the meter has %d domains, more than %d", n, maxDomains)))
	}
	runtime.LockOSThread()
	if err := out.Encode(hello{Protocol: protocol, Info: m.Info(), Reasons: reasons, Clock: hurry()}); err != nil {
		return err
	}
	// Nothing is allocated from here on, or so little that it does not matter.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(64 << 20)
	w := newWatcher(m, mem, func(fault error) { out.Encode(fault.Error()) }) //nolint:errcheck // without a parent it ends
	go w.obey(os.Stdin)
	w.run()
	return nil
}

func refusal(err error) hello {
	h := hello{Protocol: protocol, Error: err.Error(), Unknown: errors.Is(err, meters.ErrUnknown)}
	if failed := (*meters.OpenError)(nil); errors.As(err, &failed) {
		h.Reason = &failed.Reason
	}
	return h
}

// A watcher reads the meter.
type watcher struct {
	meter   meter.Meter
	info    meter.Info
	mem     *memory
	fault   func(error)
	pid     atomic.Int64
	watched int   // as far as the loop knows
	cpu     int64 // of the program that is watched
	before  int64 // of all that were watched before it
	started int64
	stat    *stat
	now     []float64 // joules
	last    []float64
	faulty  bool
	told    bool // of the fault under way
	reading Reading
}

func newWatcher(m meter.Meter, mem *memory, fault func(error)) *watcher {
	domains := len(m.Info().Domains)
	return &watcher{
		meter: m, info: m.Info(), mem: mem, fault: fault, stat: newStat(), started: now(),
		now: make([]float64, domains), last: make([]float64, domains),
		reading: Reading{Joules: make([]float64, domains)},
	}
}

// obey takes lines with the number of the process to watch. It ends the process
// where they end.
func (w *watcher) obey(in io.Reader) {
	var line strings.Builder
	buf := make([]byte, 64)
	for {
		n, err := in.Read(buf)
		for _, c := range buf[:n] {
			if c != '\n' {
				line.WriteByte(c)
				continue
			}
			if pid, err := strconv.Atoi(line.String()); err == nil {
				w.pid.Store(int64(pid))
			}
			line.Reset()
		}
		if err != nil {
			os.Exit(0)
		}
	}
}

func (w *watcher) run() {
	l := newLock(now())
	locked := w.info.Counter && w.info.Resolution <= finest
	for {
		if locked {
			sleepUntil(l.next())
		} else {
			sleepUntil(l.emitted + tickNS)
		}
		changed := w.read()
		end := now()
		if !locked {
			l.emitted = max(l.emitted+tickNS, end-tickNS/2)
			w.emit(end, 0)
			continue
		}
		if updated, uncertain, ok := l.look(end, changed); ok {
			w.emit(updated, uncertain)
		}
	}
}

// read reads the meter, and says whether it shows something new.
func (w *watcher) read() (changed bool) {
	w.usage()
	err := w.meter.Read(meter.Usage{PID: w.watched, Elapsed: elapsed(now() - w.started), CPU: elapsed(w.before + w.cpu)}, w.now)
	if err != nil {
		w.faulty = true
		if !w.told {
			w.fault(err)
		}
		w.told = true
		return true
	}
	w.told = false
	for d := range w.now {
		if w.now[d] != w.last[d] {
			changed = true
			break
		}
	}
	copy(w.last, w.now)
	return changed
}

// usage reads the CPU time of the program that is watched.
func (w *watcher) usage() {
	if pid := int(w.pid.Load()); pid != w.watched {
		w.watched, w.before, w.cpu = pid, w.before+w.cpu, 0
	}
	if w.watched != 0 {
		if cpu, ok := processCPU(w.watched); ok {
			w.cpu = max(w.cpu, cpu)
		}
	}
}

func (w *watcher) emit(updated, uncertain int64) {
	r := &w.reading
	w.stat.update()
	r.UpdatedNS, r.UncertainNS = updated, uncertain
	r.BusyNS, r.StealNS, r.OwnNS, r.Faulty = w.stat.busy, w.stat.steal, ownCPU(), w.faulty
	copy(r.Joules, w.last)
	w.faulty = false
	// CPU time and what ran are of the same ticks, to a few microseconds.
	w.usage()
	r.PID, r.CPUNS, r.PublishedNS = w.watched, w.cpu, now()
	w.mem.put(r)
}
