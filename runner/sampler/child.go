package sampler

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/model"
	"spell-lsp/runner/model/frequency"
)

// Name is the name of the sampler's process: the same program under another name, so
// that a copy of it can have a privilege that the program itself lacks.
const Name = "spell-lsp-sampler"

// Called reports whether this process is the sampler: it was started as such, or has a
// privilege that its user lacks, whatever its name. It must then call Main and nothing
// else: a copy of the program that may read every file must not read the files that its
// user names.
func Called() bool {
	program, err := os.Executable()
	return filepath.Base(os.Args[0]) == Name || privileged() || err == nil && filepath.Base(program) == Name
}

// protocol is the version of what the two processes exchange.
const protocol = 8

// memoryFD is the descriptor of the shared memory in the child.
const memoryFD = 3

// A config is the child's argument.
type config struct {
	Meter   string        `json:"meter"`
	Options meter.Options `json:"options"`
	Doctor  bool          `json:"doctor"` // write the reports of meters.Doctor and exit
}

// A diagnosis is what the child writes instead of a hello when config.Doctor is set.
type diagnosis struct {
	Protocol int             `json:"protocol"`
	Reports  []meters.Report `json:"reports"`
}

// A hello is the first line that the child writes: the meter that it opened, or why it
// could not. All further lines are faults, as text.
type hello struct {
	Protocol int             `json:"protocol"`
	Info     meter.Info      `json:"info"`
	Reasons  []meters.Reason `json:"reasons"`
	Error    string          `json:"error"`
	Unknown  bool            `json:"unknown"` // the error is meters.ErrUnknown
	Reason   *meters.Reason  `json:"reason"`  // if the error is a *meters.OpenError
	Clock    string          `json:"clock"`   // scheduling of the process: real-time, nice -10 or normal
}

// Main runs the sampler: it reads the meter until its standard input is closed, as
// happens when its parent ends. It returns the exit code. More are drivers for tests, as in meters.Open.
func Main(more ...meter.Driver) int {
	err := serve(more)
	if err != nil {
		fmt.Fprintln(os.Stderr, Name+":", err)
		return 1
	}
	return 0
}

func serve(more []meter.Driver) error {
	if len(os.Args) != 2 {
		return errors.New("this program reads energy counters for spell-lsp, which starts it: it has no use on its own")
	}
	var c config
	if err := json.Unmarshal([]byte(os.Args[1]), &c); err != nil {
		return fmt.Errorf("reading its settings: %w", err)
	}
	if privileged() && !c.Options.UsualRoots() {
		return errors.New("with a privilege it reads only the system's own counters: measure without --powercap-root")
	}
	out := json.NewEncoder(os.Stdout)
	if c.Doctor {
		showAs("spell-lsp-doctor") // it measures nothing
		return out.Encode(diagnosis{protocol, meters.Doctor(c.Options)})
	}
	showAs(Name) // for Others
	m, reasons, err := meters.Open(c.Meter, c.Options, more...)
	if err != nil {
		return out.Encode(refusal(err))
	}
	defer m.Close() //nolint:errcheck // nothing was written
	mem, err := openMemory(os.NewFile(memoryFD, "readings"))
	if err != nil {
		return out.Encode(refusal(err))
	}
	if err := mem.hold(m.Info()); err != nil {
		return out.Encode(refusal(err))
	}
	runtime.LockOSThread()
	if err := out.Encode(hello{Protocol: protocol, Info: m.Info(), Reasons: reasons, Clock: raisePriority()}); err != nil {
		return err
	}
	// From here on it allocates next to nothing, so it does without garbage collection.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(64 << 20)
	rd := newReader(m, mem, func(fault error) { out.Encode(fault.Error()) }) //nolint:errcheck // without a parent it ends
	rd.weigher = openWeigher(m.Info(), c.Options)
	go rd.takeOrders(os.Stdin)
	rd.run()
	return nil
}

func refusal(err error) hello {
	h := hello{Protocol: protocol, Error: err.Error(), Unknown: errors.Is(err, meters.ErrUnknown)}
	if failed := (*meters.OpenError)(nil); errors.As(err, &failed) {
		h.Reason = &failed.Reason
	}
	return h
}

// A reader reads the meter in a loop and publishes the readings.
type reader struct {
	meter   meter.Meter
	info    meter.Info
	mem     *memory
	fault   func(error)
	pid     atomic.Int64
	paused  atomic.Bool
	cores   atomic.Bool  // counters of cores are read
	period  atomic.Int64 // ns between readings, at least
	watched int          // pid as the loop has taken it over
	cpu     int64        // CPU time of the watched program, ns
	before  int64        // of all programs that were watched before, ns
	started int64        // CLOCK_MONOTONIC, ns
	stat    *stat
	now     []float64 // joules of the present reading
	last    []float64 // joules of the latest reading that succeeded
	faulty  bool      // a reading has failed since the latest one that was published
	missing []bool    // the same of single separate counters
	told    bool      // the present fault was reported
	reading Reading
	weigher *frequency.Weigher // nil where no frequency can be read
}

func newReader(m meter.Meter, mem *memory, fault func(error)) *reader {
	info := m.Info()
	return &reader{
		meter: m, info: info, mem: mem, fault: fault, stat: newStat(), started: now(),
		now: make([]float64, info.Values()), last: make([]float64, info.Values()), missing: make([]bool, len(info.Separate)),
		reading: Reading{Separate: make([]float64, len(info.Separate)), CoreJ: slices.Repeat([]float64{meter.Missing()}, len(info.CoreCPUs))},
	}
}

// openWeigher reads frequencies beside a counter. Estimates have the frequency in them already.
func openWeigher(info meter.Info, o meter.Options) *frequency.Weigher {
	if !info.Counter {
		return nil
	}
	cpu, err := model.ReadCPU(o.ProcRoot)
	if err != nil {
		return nil
	}
	w, err := frequency.Open(o, cpu.Name, 0)
	if err != nil {
		return nil
	}
	return w
}

// takeOrders reads lines with the number of the process to watch, with the word to pause until that
// comes, or with the time between readings. At the end of input it exits.
func (rd *reader) takeOrders(in io.Reader) {
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
				rd.pid.Store(int64(pid))
				rd.paused.Store(false)
			} else if line.String() == pause {
				rd.paused.Store(true)
			} else if line.String() == cores {
				rd.cores.Store(true)
			} else if period, ok := strings.CutPrefix(line.String(), every); ok {
				ns, _ := strconv.ParseInt(period, 10, 64) // the parent writes numbers
				rd.period.Store(ns)
			}
			line.Reset()
		}
		if err != nil {
			os.Exit(0)
		}
	}
}

func (rd *reader) run() {
	l := newPhaseLock(now())
	locked := locks(rd.info)
	for {
		if rd.paused.Load() {
			for rd.paused.Load() {
				sleepUntil(now() + pausedNS)
			}
			l = newPhaseLock(now())
		}
		tick := max(tickNS, rd.period.Load())
		if locked {
			l.every(rd.period.Load(), rd.info.Resolution.Nanoseconds())
			sleepUntil(l.next())
		} else {
			sleepUntil(l.emitted + tick)
		}
		changed := rd.read()
		end := now()
		if !locked {
			l.emitted = max(l.emitted+tick, end-tick/2)
			rd.emit(end, 0)
			continue
		}
		if updated, uncertain, ok := l.observe(end, changed); ok {
			rd.emit(updated, uncertain)
		}
	}
}

// pause is the order not to read the meter for a while.
const pause = "pause"

// cores is the order to read the counters of cores.
const cores = "cores"

// every is the order to leave that many ns between readings.
const every = "every "

// locks says whether a meter is read at its updates.
func locks(info meter.Info) bool { return info.Counter && info.Resolution <= maxLockedResolution }

// Finest is the shortest time between readings of a meter.
func Finest(info meter.Info) time.Duration {
	if locks(info) {
		return info.Resolution
	}
	return Tick
}

// pausedNS is how long it takes to notice that a pause is over.
const pausedNS = 10_000_000

// read reads the meter, and reports whether a domain changed or the reading failed. Separate
// counters are updated at moments of their own, which say nothing of the domains.
func (rd *reader) read() (changed bool) {
	rd.usage()
	err := rd.meter.Read(meter.Usage{PID: rd.watched, Elapsed: elapsed(now() - rd.started), CPU: elapsed(rd.before + rd.cpu)}, rd.now)
	if err != nil {
		rd.faulty = true
		if !rd.told {
			rd.fault(err)
		}
		rd.told = true
		return true
	}
	rd.told = false
	for d := range rd.info.Domains {
		if rd.now[d] != rd.last[d] {
			changed = true
			break
		}
	}
	copy(rd.last, rd.now)
	for i, joules := range rd.now[len(rd.info.Domains):] {
		rd.missing[i] = rd.missing[i] || math.IsNaN(joules)
	}
	return changed
}

// usage reads the CPU time of the watched program.
func (rd *reader) usage() {
	if pid := int(rd.pid.Load()); pid != rd.watched {
		rd.watched, rd.before, rd.cpu = pid, rd.before+rd.cpu, 0
	}
	if rd.watched != 0 {
		if cpu, ok := ProcessCPU(rd.watched); ok {
			rd.cpu = max(rd.cpu, cpu)
		}
	}
}

func (rd *reader) emit(updated, uncertain int64) {
	r := &rd.reading
	rd.stat.update()
	r.UpdatedNS, r.UncertainNS = updated, uncertain
	r.BusyNS, r.StealNS, r.OwnNS, r.Faulty = rd.stat.busy, rd.stat.steal, OwnCPU(), rd.faulty
	r.Joules = rd.last[:len(rd.info.Domains)]
	for i, joules := range rd.last[len(rd.info.Domains):] {
		if r.Separate[i] = joules; rd.missing[i] {
			r.Separate[i] = meter.Missing()
		}
	}
	if rd.cores.Load() {
		meter.ReadCores(rd.meter, r.CoreJ)
	}
	rd.faulty = false
	clear(rd.missing)
	// Read last, so that CPU time covers the same tick as what ran, to a few microseconds.
	rd.usage()
	r.PID, r.CPUNS, r.PublishedNS = rd.watched, rd.cpu, now()
	rd.mem.put(r)
	if rd.weigher != nil { // for the next reading: it takes a while now and then
		r.Weight = rd.weigher.Weight(elapsed(now() - rd.started))
	}
}
