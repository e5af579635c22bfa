//go:build linux && (amd64 || arm64)

package stacks

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/runner/perfevent"
	"spell-lsp/spell/regularfile"
)

// hasLink says that return addresses of functions without a frame are in a register.
const hasLink = runtime.GOARCH == "arm64"

// sampleType is what is in a sample, in the order in which the kernel writes it:
// parseSample reads it.
const sampleType = unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CPU | unix.PERF_SAMPLE_READ |
	unix.PERF_SAMPLE_CALLCHAIN | unix.PERF_SAMPLE_STACK_USER

// openEvent opens the event of a thread, which begins to count.
func (s *Sampler) openEvent(t task) (int, error) {
	attr := unix.PerfEventAttr{
		Type:        unix.PERF_TYPE_SOFTWARE,
		Config:      unix.PERF_COUNT_SW_CPU_CLOCK,
		Sample:      uint64(s.o.Period),
		Sample_type: sampleType,
		Bits: unix.PerfBitExcludeHv | unix.PerfBitExcludeCallchainKernel | unix.PerfBitTask | unix.PerfBitComm | unix.PerfBitCommExec |
			unix.PerfBitUseClockID | unix.PerfBitWatermark,
		Wakeup:            uint32(s.bytes), // nobody waits
		Clockid:           unix.CLOCK_MONOTONIC,
		Sample_stack_user: sampledBytes,
	}
	if hasLink {
		const linkRegister = 30 // PERF_REG_ARM64_LR
		attr.Sample_type |= unix.PERF_SAMPLE_REGS_USER
		attr.Sample_regs_user = 1 << linkRegister
	}
	if !s.kernel {
		attr.Bits |= unix.PerfBitExcludeKernel
	}
	event, err := perfevent.Open(&attr, t.tid, perfevent.Every)
	if errors.Is(err, unix.EACCES) && s.kernel && len(s.threads) == 0 {
		s.kernel = false
		return s.openEvent(t)
	}
	return event, s.explain(t, err)
}

// explain gives an error of the kernel its type.
func (s *Sampler) explain(t task, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ESRCH):
		return fmt.Errorf("%w (%w)", ErrEnded, err)
	case errors.Is(err, unix.EMFILE):
		return s.limit(descriptors, raiseDescriptors, err)
	case errors.Is(err, unix.ENFILE):
		return s.limit(systemDescriptors, raiseSystemDescriptors, err)
	}
	denied := perfevent.Denied(err, s.setting("perf_event_paranoid"), "samples of the user's own processes need 2 or less, or the right cap_perfmon")
	if denied == nil {
		return err
	}
	if level, known := denied.Level(); denied.Filtered || known && level > mostParanoid {
		return denied
	}
	return &ForeignError{PID: t.pid, Owner: s.owner(t.pid), Err: err}
}

// mostParanoid is the highest value of the setting with which own processes can be sampled.
// Values above it are Debian's, Ubuntu's and Android's.
const mostParanoid = 2

// owner is the user to whom the kernel gives the files of a process.
func (s *Sampler) owner(pid int) int {
	info, err := os.Stat(s.proc.path(pid))
	stat, ok := sysStat(info)
	if err != nil || !ok {
		return -1
	}
	return int(stat.Uid)
}

func (s *Sampler) setting(name string) string { return string(s.proc) + "/sys/kernel/" + name }

// deepest is how many entries a stack has at most.
func (s *Sampler) deepest() int {
	if s.depth == 0 {
		s.depth = 127
		if text, err := regularfile.Read(s.setting("perf_event_max_stack"), regularfile.MaxValue); err == nil {
			if n, err := strconv.Atoi(string(bytes.TrimSpace(text))); err == nil && n > 0 {
				s.depth = n
			}
		}
	}
	return s.depth
}

// ringBytes is the size of a ring that holds what a thread writes in a tenth of a second, if
// stacks are not unusually deep: a power of two.
func ringBytes(period time.Duration) int {
	const usual = 600 // bytes of a sample
	size := 32 << 10
	for size < int(100*time.Millisecond/period)*usual {
		size *= 2
	}
	return size
}

// What may be exhausted, and how its owner raises it.
const (
	descriptors            = "descriptors (RLIMIT_NOFILE)"
	raiseDescriptors       = "start spell-lsp with more descriptors: ulimit -n 65536. Each thread of the process needs one."
	systemDescriptors      = "descriptors of the whole system (fs.file-max)"
	raiseSystemDescriptors = "sudo sysctl fs.file-max=1000000"
	lockedMemory           = "pages for their rings (kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK)"
	raiseMemory            = "one of these:\n1. in this shell: ulimit -l 65536\n2. until the next boot, as the machine's owner: sudo sysctl kernel.perf_event_mlock_kb=65536"
)

func (s *Sampler) limit(what, raise string, err error) error {
	return &LimitError{Threads: len(s.threads), Limit: what, Raise: raise, Err: err}
}

// Remedy says what to do after Open failed, or for Stats.Refusal; "" where nothing helps.
// Commands are for the owner of the machine: nothing here runs them.
func Remedy(err error) string {
	var denied *perfevent.PermissionError
	var foreign *ForeignError
	var limit *LimitError
	switch {
	case errors.As(err, &denied) && denied.Filtered:
		return perfevent.FilterRemedy
	case errors.As(err, &denied):
		return "as the machine's owner, until the next boot: sudo sysctl kernel.perf_event_paranoid=2\n" +
			"From then on every user can sample and count what the user's own programs do in user space; nobody sees the programs of others,\nor the kernel."
	case errors.As(err, &foreign):
		return fmt.Sprintf("run spell-lsp as the user of process %d", foreign.PID)
	case errors.As(err, &limit):
		return limit.Raise
	}
	return ""
}
