package sampler

import (
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// base is one instant on two clocks: CLOCK_MONOTONIC, which other processes share, and
// the clock of the Go runtime, which runs alike and is read without a system call.
var base = struct {
	ns int64
	at time.Time
}{clock(unix.CLOCK_MONOTONIC), time.Now()}

// now is CLOCK_MONOTONIC in ns.
func now() int64 { return base.ns + int64(time.Since(base.at)) }

// clock reads a clock. The call is short, so the Go scheduler is not told of it.
func clock(id int32) int64 {
	var t unix.Timespec
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(id), uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0
	}
	return t.Nano()
}

func elapsed(ns int64) time.Duration { return time.Duration(ns) }

// sleepUntil sleeps until a moment of CLOCK_MONOTONIC. The Go scheduler is not told of
// this call either: handing the processor over to another thread and back would cost ten
// times as much as the rest of the sampler.
func sleepUntil(ns int64) {
	t := unix.NsecToTimespec(ns)
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, uintptr(unsafe.Pointer(&t)), 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

// OwnCPU is the CPU time of this process so far, in ns; 0 where that is not known.
func OwnCPU() int64 { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// ProcessCPU reads the CPU time of all threads of a process through its CPU clock
// (clock_getcpuclockid(3)).
func ProcessCPU(pid int) (ns int64, ok bool) {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers.h
	ns = clock(int32(^pid<<3 | schedClock))
	return ns, ns > 0
}

// raisePriority requests that the thread runs as soon as its timer expires, and returns
// what was granted.
func raisePriority() string {
	unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) //nolint:errcheck // without it sleeps are 50 µs longer
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	if unix.SchedSetAttr(0, &attr, 0) == nil {
		return "real-time"
	}
	const nice = -10
	if unix.Setpriority(unix.PRIO_PROCESS, 0, nice) == nil {
		return "nice -10"
	}
	return "normal"
}

// privileged reports whether the kernel gave the process a right that its user lacks, as
// by a capability of its file (getauxval(3), AT_SECURE), or this cannot be found out.
func privileged() bool {
	const secure = 23
	vector, err := unix.Auxv()
	for _, v := range vector {
		if v[0] == secure {
			return v[1] != 0
		}
	}
	return err != nil
}

// diesWithParent has the kernel kill the child when the thread that started it ends.
// That does not work for a child with privileges, which exits at the end of its input.
func diesWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

func anonymousFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// seal prevents writes to f except through existing mappings, and changes of its size:
// programs under test inherit f. Up to Linux 5.0 writes cannot be prevented.
func seal(f *os.File) {
	for _, seals := range []int{unix.F_SEAL_FUTURE_WRITE, unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL} {
		unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals) //nolint:errcheck // as said above
	}
}

func mapped(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmap(data []byte) error { return unix.Munmap(data) }
