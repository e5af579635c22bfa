//go:build linux && (amd64 || arm64)

package frames

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/runner/stacks"
	"spell-lsp/runner/stacks/owner"
)

// Threads that start while the program is sampled are found, each with all of its CPU time but
// for what it ran before it was found.
func TestThreadsThatStartLater(t *testing.T) {
	const threads = 20
	m := measure(t, truthProgram(t), stacks.Options{}, "threads", fmt.Sprint(threads))
	if m.stats.Threads < threads {
		t.Errorf("%d threads were sampled, want %d and those of the runtime", m.stats.Threads, threads)
	}
	var compute, all float64
	busy := 0
	for _, ns := range m.threads {
		all += ns
	}
	for _, ns := range m.threads {
		if ns > all/threads/4 { // a busy machine finds a thread late
			busy++
			compute += ns
		}
	}
	if busy != threads || compute < 0.9*all {
		t.Errorf("%d threads computed, for %.2f of the CPU time, want %d for all of it", busy, compute/all, threads)
	}
	if share := m.ns["example.com/truth.Thread"] / float64(m.stats.NS); share < 0.95 {
		t.Errorf("Thread has %.2f of the CPU time", share)
	}
	checkTime(t, m)
	for _, err := range m.errs {
		t.Error(err)
	}
}

// Why: a thread that was just found had started others before it was sampled, and no record told of
// them. A server whose load began with it lost half of its samples.
func TestThreadsThatThreadsStart(t *testing.T) {
	p := start(t, truthProgram(t), "chain", "16")
	s, err := stacks.Open(p.Process.Pid, stacks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.WriteString(p.In, "\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := p.Out.ReadString('\n'); err != nil || line != "chained\n" {
		t.Fatalf("%q, %v", line, err)
	}
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	s.Read(func(*stacks.Sample) {})
	if n := s.Stats().Threads; n < len(threads) {
		t.Errorf("%d threads are sampled, there are %d", n, len(threads))
	}
	p.wait(t)
}

// A function that only calls a library has the library's time, down to assembly, and the collector
// has its own. What goroutines of the program do for the collector is known.
func TestCollector(t *testing.T) {
	m := measure(t, truthProgram(t), stacks.Options{}, "collect")
	samples := float64(m.stats.Samples)
	if m.kinds[owner.Collector] == 0 || m.samples["example.com/truth.Grow"] == 0 || m.assists == 0 {
		t.Errorf("of %v samples, %d are the collector's, %d Grow's, %d assist", samples, m.kinds[owner.Collector], m.samples["example.com/truth.Grow"], m.assists)
	}
	if others := m.kinds[owner.Other]; float64(others) > 0.05*samples {
		t.Errorf("%d of %v samples are nobody's: %v", others, samples, m.others)
	}
	if m.callees["example.com/truth.Grow > runtime.newobject"] == 0 {
		t.Errorf("Grow called %v", m.callees)
	}
}

// Children are sampled where they are wanted, and only there; of both, the program's own
// functions are found.
func TestChildren(t *testing.T) {
	program := truthProgram(t)
	for _, children := range []bool{true, false} {
		m := follow(t, program, stacks.Options{Children: children}, "child")
		if children && (m.stats.Processes != 2 || m.samples["example.com/truth.Three"] == 0) {
			t.Errorf("with children, %d processes were sampled, %d samples are of Three", m.stats.Processes, m.samples["example.com/truth.Three"])
		}
		if !children && (m.stats.Processes != 1 || m.samples["example.com/truth.Three"] != 0) {
			t.Errorf("without children, %d processes were sampled, %d samples are of Three", m.stats.Processes, m.samples["example.com/truth.Three"])
		}
	}
}

// follow samples a program which prints that it is ready when its child is.
func follow(t *testing.T, program string, o stacks.Options, args ...string) *measured {
	t.Helper()
	p := start(t, program, args...)
	s, err := stacks.Open(p.Process.Pid, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := newMeasured()
	_, _ = io.WriteString(p.In, "\n")
	m.follow(t, s)
	p.wait(t)
	m.stats = s.Stats()
	return m
}

// A shell that becomes another program is that program from then on.
func TestExec(t *testing.T) {
	m := follow(t, "/bin/sh", stacks.Options{}, "-c", "echo ready; read line; echo go | exec "+truthProgram(t)+" shares 20")
	if m.samples["example.com/truth.Three"] != 0 {
		t.Error("a child of the shell was sampled")
	}
	m = follow(t, "/bin/sh", stacks.Options{}, "-c", "echo ready; read line; exec "+truthProgram(t)+" shares 20 < /dev/null")
	if m.samples["example.com/truth.Three"] == 0 || m.stats.Processes != 1 {
		t.Errorf("%d samples are of Three, %+v; others %v", m.samples["example.com/truth.Three"], m.stats, m.others)
	}
}

// A program that is killed while it is sampled ends the samples. What was sampled stays, and
// nothing stays open.
func TestKilledInTheMiddle(t *testing.T) {
	before := openFiles(t)
	p := start(t, truthProgram(t), "forever")
	s, err := stacks.Open(p.Process.Pid, stacks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.In, "\n"); err != nil {
		t.Fatal(err)
	}
	m := newMeasured()
	names := New()
	rule, list := rule(t)
	one := func() int { return m.samples["example.com/truth.One"] }
	for alive := true; alive; time.Sleep(s.Pause()) {
		alive = s.Read(func(k *stacks.Sample) { m.add(k, names, rule, list) })
		if one() > 50 && alive {
			if err := p.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if one() < 50 {
		t.Errorf("%d samples are of One: %+v", one(), s.Stats())
	}
	if s.Read(func(*stacks.Sample) { t.Error("a sample after the end") }) {
		t.Error("the killed program is alive")
	}
	_ = p.Wait()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	p.In.Close()
	if after := openFiles(t); after != before {
		t.Errorf("%d files are open, before there were %d", after, before)
	}
	if s.Read(nil) {
		t.Error("a closed sampler has samples")
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A program whose file was replaced since it started, as by the next build, is named by the file
// that it runs.
func TestReplacedExecutable(t *testing.T) {
	program := build(t, t.TempDir())
	p := start(t, program, "shares", "20")
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := stacks.Open(p.Process.Pid, stacks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, _ = io.WriteString(p.In, "\n")
	m := newMeasured()
	m.follow(t, s)
	p.wait(t)
	if m.samples["example.com/truth.Three"] == 0 {
		t.Errorf("no sample is of Three: %v", m.others)
	}
}

// The functions of a program in C cannot be named, and the reason says so. Its code and the
// kernel's are kept as such.
func TestProgramWithoutFunctionsOfGo(t *testing.T) {
	p := start(t, "/bin/sh", "-c", "echo ready; read line; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
	s, err := stacks.Open(p.Process.Pid, stacks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, _ = io.WriteString(p.In, "\n")
	names := New()
	modules := make(map[string]int)
	var why error
	for alive := true; alive; time.Sleep(s.Pause()) {
		alive = s.Read(func(k *stacks.Sample) {
			why = names.Err(k.Process)
			for _, f := range names.Frames(nil, k) {
				modules[f.Module]++
			}
		})
	}
	p.wait(t)
	shell, err := exec.LookPath("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	if why == nil || !strings.Contains(why.Error(), "not made by Go") || modules[""] > 0 || len(modules) == 0 {
		t.Errorf("%s: %v, modules %v", shell, why, modules)
	}
}

// System calls are the time of the function that makes them, where the kernel lets them be
// sampled, and where it does not and their time is in later samples.
func TestSystemCalls(t *testing.T) {
	m := measure(t, truthProgram(t), stacks.Options{Period: 500 * time.Microsecond}, "calls")
	var calls, one float64
	if _, err := fmt.Sscan(m.printed, &calls, &one); err != nil {
		t.Fatal(err)
	}
	checkTime(t, m)
	// While the virtual processor is stopped, there is no sample; the clock of the thread stands still.
	ns, by, more := m.ns, "sampled", m.lateNS/float64(m.stats.NS)
	if !m.stats.Kernel {
		ns, by, more = m.chargedNS, "charged", 0.1 // it is an estimate; without it, Calls has a third of its time
	}
	samples := float64(m.samples["example.com/truth.Calls"] + m.samples["example.com/truth.One"])
	want, got := calls/(calls+one), ns["example.com/truth.Calls"]/(ns["example.com/truth.Calls"]+ns["example.com/truth.One"])
	t.Logf("Calls has %.3f of the CPU time, as %s, and %.3f by the thread's clock", got, by, want)
	// In the kernel, few samples stand for much time.
	if limit := more + 1.5*bound(want, samples); math.Abs(got-want) > limit {
		t.Errorf("Calls has %.3f of the CPU time of %v samples, as %s, want %.3f +- %.3f", got, samples, by, want, limit)
	}
	if unseen := float64(m.stats.UnseenNS) / float64(m.stats.NS); m.stats.Kernel && unseen != 0 || !m.stats.Kernel && (unseen < want/2 || unseen > want+0.3) {
		t.Errorf("%.3f of the CPU time was in the kernel and not sampled, Calls had %.3f; samples in the kernel: %t", unseen, want, m.stats.Kernel)
	}
	if all := float64(m.stats.NS); math.Abs(sum(m.chargedNS)-all) > 1 {
		t.Errorf("%v ns were charged, the samples stand for %v", sum(m.chargedNS), all)
	}
}

func sum(ns map[string]float64) (all float64) {
	for _, v := range ns {
		all += v
	}
	return all
}

// Samples come by CPU time, never more often than was asked for, and less often the longer the
// period is. A machine that stops the virtual processor delays them, so they may be rarer.
func TestPeriod(t *testing.T) {
	program := truthProgram(t)
	before := math.Inf(1)
	for _, period := range []time.Duration{250 * time.Microsecond, time.Millisecond, 4 * time.Millisecond} {
		m := measure(t, program, stacks.Options{Period: period}, "shares", "40")
		n := float64(m.stats.Samples)
		// The last sample of each thread may stand for less than a period.
		most := float64(m.stats.NS)/float64(period) + float64(m.stats.Threads)
		if m.stats.Lost > 0 || m.stats.Throttled > 0 || n == 0 || n > 1.05*most || n >= before {
			t.Errorf("a sample each %v: %v samples, want at most %.0f and fewer than %.0f; %+v", period, n, most, before, m.stats)
		}
		before = n
	}
	for _, period := range []time.Duration{-1, stacks.MinPeriod - 1, stacks.MaxPeriod + 1} {
		if _, err := stacks.Open(os.Getpid(), stacks.Options{Period: period}); err == nil || !strings.Contains(err.Error(), "the period is") {
			t.Errorf("a period of %v: %v", period, err)
		}
	}
}

// Whoever reads too late is told how many samples that cost; their CPU time is in the next ones.
func TestLateReads(t *testing.T) {
	p := start(t, truthProgram(t), "forever")
	begun := p.used(t)
	s, err := stacks.Open(p.Process.Pid, stacks.Options{Period: stacks.MinPeriod})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, _ = io.WriteString(p.In, "\n")
	// The ring has a megabyte, and a sample more than 100 bytes: it is full after 1.1 s, or later where
	// the virtual processor is stopped now and then. The kernel tells of lost samples when there is room.
	for s.Stats().Lost == 0 {
		for before := p.used(t); p.used(t) < before+1.5e9; {
			time.Sleep(50 * time.Millisecond)
		}
		for range 10 {
			s.Read(func(*stacks.Sample) {})
			time.Sleep(s.Pause())
		}
	}
	used := p.used(t) - begun
	_ = unix.Kill(p.Process.Pid, unix.SIGKILL)
	for s.Read(func(*stacks.Sample) {}) {
		time.Sleep(s.Pause())
	}
	if all := float64(s.Stats().NS + s.Stats().MissedNS); all < 0.9*used {
		t.Errorf("samples were lost, and the later ones do not have their time: %.4g ns of %.4g; %+v", all, used, s.Stats())
	}
}
