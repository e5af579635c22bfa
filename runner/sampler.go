package runner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"

	"spell-lsp/runner/meter"
)

// tickLength is how often the meter is read: counters are updated once in a
// millisecond.
const tickLength = time.Millisecond

// ticks are the readings during one execution, in the order of time.
type ticks struct {
	times   []int64   // monotonic, ns
	cpu     []int64   // CPU time of the program, ns
	joules  []float64 // by tick and domain, since the meter was opened
	domains int
	others  time.Duration // CPU time of all other processes between the first tick and the last
	fault   error         // a *meterFault if a reading failed
}

// A meterFault makes a round invalid.
type meterFault struct{ err error }

func (f *meterFault) Error() string { return "reading the meter: " + f.err.Error() }
func (f *meterFault) Unwrap() error { return f.err }

// at returns CPU time and energy at an instant, by linear interpolation.
func (k *ticks) at(t int64) (cpu float64, joules []float64) {
	joules = make([]float64, k.domains)
	n := len(k.times)
	if n == 0 {
		return 0, joules
	}
	i := sort.Search(n, func(i int) bool { return k.times[i] >= t })
	switch {
	case i == n:
		i = n - 1
		fallthrough
	case i == 0 || k.times[i] == t:
		copy(joules, k.joules[i*k.domains:])
		return float64(k.cpu[i]), joules
	}
	part := float64(t-k.times[i-1]) / float64(k.times[i]-k.times[i-1])
	for d := range joules {
		a, b := k.joules[(i-1)*k.domains+d], k.joules[i*k.domains+d]
		joules[d] = a + part*(b-a)
	}
	return float64(k.cpu[i-1]) + part*float64(k.cpu[i]-k.cpu[i-1]), joules
}

// length is the time between the first tick and the last, in ns.
func (k *ticks) length() float64 {
	if len(k.times) == 0 {
		return 0
	}
	return float64(k.times[len(k.times)-1] - k.times[0])
}

// programNS is the program's CPU time.
func (k *ticks) programNS() float64 {
	if len(k.cpu) == 0 {
		return 0
	}
	return float64(k.cpu[len(k.cpu)-1])
}

// last is the time of the last tick, 0 if there is none.
func (k *ticks) last() int64 {
	if len(k.times) == 0 {
		return 0
	}
	return k.times[len(k.times)-1]
}

// A sampler reads the meter in the background while a program runs.
type sampler struct {
	m    *measurement
	pid  chan int
	quit chan struct{}
	done sync.WaitGroup
	ticks
}

func startSampler(m *measurement) *sampler {
	s := &sampler{m: m, pid: make(chan int, 1), quit: make(chan struct{})}
	s.domains = len(m.meter.Info().Domains)
	s.done.Go(s.loop)
	return s
}

// watch names the process whose CPU time is read.
func (s *sampler) watch(pid int) { s.pid <- pid }

func (s *sampler) stop() ticks {
	close(s.quit)
	s.done.Wait()
	return s.ticks
}

func (s *sampler) loop() {
	s.m.skip()
	busy := machineBusy()
	ticker := time.NewTicker(tickLength)
	defer ticker.Stop()
	pid := 0
	for {
		s.tick(pid)
		select {
		case pid = <-s.pid:
		case <-ticker.C:
		case <-s.quit:
			s.tick(pid)
			s.finish(machineBusy() - busy)
			return
		}
	}
}

func (s *sampler) tick(pid int) {
	cpu := s.lastCPU()
	if pid != 0 {
		if now, err := programCPU(pid); err == nil {
			cpu = max(cpu, now)
		}
	}
	joules := make([]float64, s.domains)
	if err := s.m.read(cpu, joules); err != nil {
		s.fault = &meterFault{err}
		return
	}
	s.times = append(s.times, monotonic())
	s.cpu = append(s.cpu, int64(cpu))
	s.joules = append(s.joules, joules...)
}

func (s *sampler) lastCPU() time.Duration {
	if len(s.cpu) == 0 {
		return 0
	}
	return time.Duration(s.cpu[len(s.cpu)-1])
}

func (s *sampler) finish(busy time.Duration) {
	s.others = max(0, busy-s.lastCPU())
	s.m.cpuBefore += s.lastCPU()
}

// read reads the meter; cpu is what the program that runs has used.
func (m *measurement) read(cpu time.Duration, joules []float64) error {
	return m.meter.Read(meter.Usage{Elapsed: time.Since(m.opened), CPU: m.cpuBefore + cpu}, joules)
}

// skip forgets the time since the last reading, in which nothing was measured:
// it may be longer than what the meter can account for.
func (m *measurement) skip() {
	m.read(0, make([]float64, len(m.meter.Info().Domains))) //nolint:errcheck // the interval is not used
}

const (
	idleWindows = 5
	idleTicks   = 100 // of a window
)

// idlePower is the power of the machine while nothing is measured, in watts by
// domain: the least of a few windows, because other processes only add to it.
func (m *measurement) idlePower(ctx context.Context) ([]float64, error) {
	info := m.meter.Info()
	if info.IdleW != nil || len(info.Domains) == 0 {
		return info.IdleW, nil
	}
	m.skip()
	var idle []float64
	for range idleWindows {
		watts, err := m.power(ctx, idleTicks)
		if err != nil {
			return nil, fmt.Errorf("measuring the idle machine: %w", err)
		}
		if idle == nil {
			idle = watts
		}
		for d := range idle {
			idle[d] = min(idle[d], watts[d])
		}
	}
	return idle, nil
}

// power is the mean over a number of ticks from now on, in watts by domain.
func (m *measurement) power(ctx context.Context, n int) ([]float64, error) {
	domains := len(m.meter.Info().Domains)
	before, now := make([]float64, domains), make([]float64, domains)
	if err := m.read(0, before); err != nil {
		return nil, err
	}
	start := time.Now()
	for range n {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(tickLength):
		}
		if err := m.read(0, now); err != nil {
			return nil, err
		}
	}
	seconds := time.Since(start).Seconds()
	for d := range now {
		now[d] = (now[d] - before[d]) / seconds
	}
	return now, nil
}

// machineBusy is the time that all processors together have spent on
// processes, from /proc/stat (proc(5): user, nice, system, idle, iowait, irq,
// softirq, in ticks of 10 ms).
func machineBusy() time.Duration {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	fields := bytes.Fields(line)
	var sum int64
	for _, i := range []int{1, 2, 3, 6, 7} {
		if i < len(fields) {
			n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // the kernel writes numbers
			sum += n
		}
	}
	return time.Duration(sum) * 10 * time.Millisecond
}
