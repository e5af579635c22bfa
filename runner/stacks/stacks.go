// Package stacks takes samples of the stacks of a process while it runs on a processor, with
// no help from the process: the kernel writes a sample whenever one of its threads has used a
// certain CPU time (perf_event_open(2), PERF_COUNT_SW_CPU_CLOCK). It needs no privilege for
// processes of the same user where kernel.perf_event_paranoid is 2 or less.
//
// Each thread has an event of its own, which counts the thread's CPU time, system calls
// included. A sample stands for the CPU time since the thread's sample before, so that the
// samples of a thread add up to its CPU time, also where some are lost. With
// perf_event_paranoid above 1 the kernel takes none in system calls; their time is then in the
// thread's next sample, wherever that is, and SystemCalls estimates whose it is.
//
// One descriptor and one ring buffer for each thread: an event that new threads inherit can
// only be mapped with one event for each processor, hence as many descriptors as threads times
// processors, and, up to Linux 6.11, without CPU time in samples (PERF_SAMPLE_READ).
// Instead the kernel reports new threads in the rings of those that started them. What they ran
// for until the next Read is known (Stats.MissedNS), but not where. So are processes that begin
// and end between two Reads.
//
// Stacks are found by frame pointers, which Go keeps on amd64 and arm64. A function without a
// frame hides its caller from them; Sample.Return has what is needed to find it.
package stacks

import (
	"io"
	"os"
	"time"
)

// Options are how samples are taken.
type Options struct {
	Period   time.Duration // CPU time of a thread from sample to sample, MinPeriod to MaxPeriod; 1 ms if 0
	Children bool          // child processes are sampled, too, and theirs
	Started  bool          // the process was started to be sampled: what it ran before is missed, and in Stats.MissedNS
}

// Limits of Options.Period: 10,000 samples a second, and one.
const (
	MinPeriod = 100 * time.Microsecond
	MaxPeriod = time.Second
)

// A Sample is the stack of a thread that was running.
type Sample struct {
	Process *Process
	TID     int
	CPU     int   // the processor that it ran on
	Time    int64 // ns of CLOCK_MONOTONIC
	NS      int64 // CPU time that the sample stands for
	Kernel  bool  // the thread was in a system call, a page fault or an interrupt
	// Stack has program counters in user space, the innermost first. All but the first are
	// return addresses. It is empty for threads of the kernel.
	Stack []uint64
	// Return is where the return address of the innermost function may be, which is not in Stack
	// as long as that function has no frame: on amd64 the two words at the stack pointer, on arm64
	// the link register and the word at the stack pointer. It is empty where they are not known.
	Return []uint64
	// Cut is true if Stack has as many entries as the kernel keeps (kernel.perf_event_max_stack).
	Cut bool
}

// A Process is a process that executes one program: exec makes another one of it.
type Process struct {
	PID      int
	Program  string    // the path of the executable; "" if it was not found out before the process ended
	Mappings []Mapping // of code, by address
	file     *os.File
}

// A Mapping is code in the memory of a process.
type Mapping struct {
	Start, End uint64
	Offset     uint64 // of Start, in the file
	File       string // "[vdso]" for the kernel's, "" for code that a program generated
}

// Executable is the executable's file, also if it was replaced or removed meanwhile; nil if
// it could not be opened. It is closed by Sampler.Close.
func (p *Process) Executable() io.ReaderAt {
	if p.file == nil {
		return nil
	}
	return p.file
}

// At finds the mapping of an address.
func (p *Process) At(address uint64) (Mapping, bool) {
	for _, m := range p.Mappings {
		if address >= m.Start && address < m.End {
			return m, true
		}
	}
	return Mapping{}, false
}

// Stats tells what was sampled so far.
type Stats struct {
	Samples   int
	Threads   int   // that were sampled
	Processes int   // that were sampled
	NS        int64 // CPU time that samples stand for
	// MissedNS is CPU time that no sample stands for: of threads before they were found, and after
	// their last sample, so far as they have ended or the sampler was closed.
	MissedNS int64
	// Lost counts samples that the kernel dropped because Read was not called in time. Their CPU
	// time is in later samples of the same threads.
	Lost uint64
	// Throttled counts how often the kernel stopped sampling for a tick because samples took too
	// much time (kernel.perf_cpu_time_max_percent).
	Throttled int
	// Kernel is true if system calls are sampled; else their time is in the samples after them.
	Kernel bool
	// UnseenNS is CPU time, a part of NS, of system calls that were not sampled: what samples stand
	// for beyond the period. Whose it is can only be estimated (SystemCalls).
	UnseenNS int64
	// Refused counts threads that were found later and could not be sampled, for the reason in
	// Refusal, which is the first.
	Refused int
	Refusal error
}
