// Package sampler reads an energy meter in a process of its own, about once a
// millisecond, and shares the readings in memory. In a busy Go program a timer of one
// millisecond fires every 20 ms; and only this process needs the privilege that a counter
// may require. It does not know what runs.
//
// A counter is read at the moments of its updates, as far as these can be found: the
// energy between two readings then belongs to what ran between them.
package sampler

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"spell-lsp/runner/calibration"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/spell/capture"
)

// A Sampler is the parent's side of the process. It is not safe for concurrent use.
type Sampler struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	file    *os.File
	mem     *memory
	hello   hello
	next    uint64 // number of the next reading to take
	mu      sync.Mutex
	fault   error         // the latest; guarded by mu
	drained chan struct{} // closed at the end of the process's output
	exited  chan struct{} // closed when the process has ended
}

// Open starts the sampler with the meter of that name. Names and errors are those of
// meters.Open.
func Open(name string, o meter.Options) (*Sampler, error) {
	c := config{Meter: name, Options: calibrated(o)}
	copied, refused := installed(c)
	s, err := open(c, copied)
	if copied != "" && errors.Is(err, fs.ErrPermission) {
		refused = &meters.Reason{Name: Name, Why: fmt.Sprintf("%s may not be started by this user: %v", copied, err)}
		s, err = open(c, "")
	}
	if err == nil && refused != nil {
		s.hello.Reasons = append([]meters.Reason{*refused}, s.hello.Reasons...)
	}
	return s, err
}

// calibrated adds what is known of this machine for the meter model.
func calibrated(o meter.Options) meter.Options {
	o.Calibration = calibration.Usual().ForModel(o, time.Now())
	return o
}

// open starts that program as the sampler, or this program if it is "".
func open(c config, program string) (*Sampler, error) {
	cmd, err := command(c, program)
	if err != nil {
		return nil, err
	}
	s := &Sampler{cmd: cmd, next: 1, drained: make(chan struct{}), exited: make(chan struct{})}
	if s.file, err = create(); err != nil {
		return nil, err
	}
	if s.mem, err = openMemory(s.file); err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	s.cmd.ExtraFiles = []*os.File{s.file}
	// Its main thread sleeps unknown to the Go scheduler, which must not interrupt it.
	s.cmd.Env = append(os.Environ(), "GOMAXPROCS=2", "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	diesWithParent(s.cmd)
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// command makes the command of the sampler, with that program or this one.
func command(c config, program string) (*exec.Cmd, error) {
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("finding the sampler: %w", err)
		}
	}
	argument, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("starting the sampler: %w", err)
	}
	cmd := exec.CommandContext(context.Background(), program, string(argument))
	cmd.Args[0] = Name
	return cmd, nil
}

// Doctor is meters.Doctor, run by the sampler, which may have a privilege that this
// process lacks.
func Doctor(o meter.Options) []meters.Report {
	o = calibrated(o)
	c := config{Options: o, Doctor: true}
	copied, refused := installed(c)
	var first []meters.Report
	if refused != nil {
		first = []meters.Report{{Name: Name, Why: refused.Why, Remedy: refused.Remedy}}
	}
	if copied == "" {
		return append(first, meters.Doctor(o)...)
	}
	var d diagnosis
	cmd, err := command(c, copied)
	if err == nil {
		var out []byte
		if out, err = cmd.Output(); err == nil {
			err = json.Unmarshal(out, &d)
		}
	}
	if err == nil && d.Protocol != protocol {
		err = errors.New("it is of another version")
	}
	if err != nil {
		why := fmt.Sprintf("%s is installed and cannot be used: %v", copied, err)
		first = append(first, meters.Report{Name: Name, Why: why, Remedy: "put a copy of this spell-lsp in its place, or remove it"})
		return append(first, meters.Doctor(o)...)
	}
	return append(first, d.Reports...)
}

// startLimit bounds the time that opening the meter may take.
const startLimit = 15 * time.Second

// start runs the process and reads its first line.
func (s *Sampler) start() (err error) {
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return fmt.Errorf("starting the sampler: %w", err)
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting the sampler: %w", err)
	}
	var stderr capture.Output
	s.cmd.Stderr = &stderr
	if err := s.launch(); err != nil {
		return fmt.Errorf("starting the sampler: %w", err)
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	late := time.AfterFunc(startLimit, func() { s.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	defer late.Stop()
	if !lines.Scan() {
		close(s.drained)
		<-s.exited
		return fmt.Errorf("starting the sampler %s: it ended without output, or wrote nothing for %v: %s", s.cmd.Path, startLimit, strings.TrimSpace(stderr.String()))
	}
	err = json.Unmarshal(lines.Bytes(), &s.hello)
	if err != nil || s.hello.Protocol != protocol {
		err = fmt.Errorf("starting the sampler %s: it answers %.100q: it is of another version, remove it or put a copy of this spell-lsp in its place", s.cmd.Path, lines.Text())
	}
	go s.listen(lines)
	seal(s.file) // the process has it mapped
	return errors.Join(err, s.hello.err(), s.mem.hold(s.hello.Info))
}

// launch starts the process from a thread of its own, which lives as long as the
// process: the kernel kills the child when the thread that started it ends.
func (s *Sampler) launch() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			<-s.drained
			s.cmd.Wait() //nolint:errcheck // its exit code does not matter
		}
		close(s.exited)
	}()
	return <-started
}

// listen reads the further lines of the process, which are faults.
func (s *Sampler) listen(lines *bufio.Scanner) {
	defer close(s.drained)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err == nil {
			s.mu.Lock()
			s.fault = errors.New(text)
			s.mu.Unlock()
		}
	}
}

// err is the error with which the process answered.
func (h *hello) err() error {
	switch {
	case h.Error == "":
		return nil
	case h.Unknown:
		return unknown{h.Error}
	case h.Reason != nil:
		return &meters.OpenError{Reason: *h.Reason, Err: errors.New(h.Error)}
	}
	return errors.New(h.Error)
}

// unknown is meters.ErrUnknown with the text of the other process.
type unknown struct{ text string }

func (e unknown) Error() string { return e.text }
func (e unknown) Unwrap() error { return meters.ErrUnknown }

// Info describes the meter.
func (s *Sampler) Info() meter.Info { return s.hello.Info }

// Reasons say why other meters were passed over.
func (s *Sampler) Reasons() []meters.Reason { return s.hello.Reasons }

// PID is the number of the process.
func (s *Sampler) PID() int { return s.cmd.Process.Pid }

// File is the shared memory, for programs that need the number of readings: the first
// 64-bit word of its first page is 1 more than that number.
func (s *Sampler) File() *os.File { return s.file }

// Watch sets the process whose CPU time is read from now on; 0 is none.
func (s *Sampler) Watch(pid int) error {
	if _, err := fmt.Fprintln(s.in, pid); err != nil {
		return fmt.Errorf("the sampler has ended: %w", err)
	}
	return nil
}

// Pause has the meter read no more until the next call of Watch: nothing runs in this process then.
func (s *Sampler) Pause() error {
	if _, err := fmt.Fprintln(s.in, pause); err != nil {
		return fmt.Errorf("the sampler has ended: %w", err)
	}
	return nil
}

// Every sets the shortest time between readings from now on: updates of a counter in between are
// not read.
func (s *Sampler) Every(period time.Duration) error {
	if _, err := fmt.Fprintln(s.in, every+strconv.FormatInt(period.Nanoseconds(), 10)); err != nil {
		return fmt.Errorf("the sampler has ended: %w", err)
	}
	return nil
}

// ReadCores has the counters of cores read from now on, with each reading. Until then they are meter.Missing: to read them
// takes an interrupt of every core.
func (s *Sampler) ReadCores() error {
	if _, err := fmt.Fprintln(s.in, cores); err != nil {
		return fmt.Errorf("the sampler has ended: %w", err)
	}
	return nil
}

// ErrBehind says that readings were lost because Take was not called in time.
var ErrBehind = errors.New("readings of the meter were lost: spell-lsp did not collect them in time")

// Take returns the readings since it was last called.
func (s *Sampler) Take() ([]Reading, error) {
	end := s.mem.count()
	var list []Reading
	for ; s.next < end; s.next++ {
		r, ok := s.mem.get(s.next)
		if !ok {
			s.next = end
			return list, ErrBehind
		}
		list = append(list, r)
	}
	return list, nil
}

// Skip drops all readings so far except the latest.
func (s *Sampler) Skip() { s.next = max(s.next, s.mem.count()-1) }

// ReadSince says whether the meter was read after a moment of CLOCK_MONOTONIC, in ns.
func (s *Sampler) ReadSince(ns int64) bool {
	r, ok := s.mem.get(s.mem.count() - 1)
	return ok && r.PublishedNS > ns
}

// Ended reports whether the process has ended.
func (s *Sampler) Ended() bool {
	select {
	case <-s.drained:
		return true
	default:
		return false
	}
}

// Fault is the cause of the latest failed reading; later readings may have succeeded. It
// is never nil.
func (s *Sampler) Fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil { // the text travels through the pipe, and may come after the reading
		return errors.New("a reading failed")
	}
	return s.fault
}

// Clock describes the scheduling of the process: "real-time", "nice -10" or "normal".
func (s *Sampler) Clock() string { return s.hello.Clock }

// Close ends the process.
func (s *Sampler) Close() error {
	var errs []error
	if s.cmd.Process != nil {
		s.in.Close()                                                        //nolint:errcheck // it may have ended by itself
		end := time.AfterFunc(time.Second, func() { s.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
		<-s.exited
		end.Stop()
	}
	if s.mem != nil {
		errs = append(errs, s.mem.close())
	}
	return errors.Join(append(errs, s.file.Close())...)
}
