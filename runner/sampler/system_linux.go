package sampler

import (
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// base is an instant on two clocks: CLOCK_MONOTONIC, which other processes know
// too, and that of the Go runtime, which is the same and read without a system
// call.
var base = struct {
	ns int64
	at time.Time
}{clock(unix.CLOCK_MONOTONIC), time.Now()}

// now is CLOCK_MONOTONIC in ns.
func now() int64 { return base.ns + int64(time.Since(base.at)) }

// clock reads a clock. The Go scheduler is not told of the call: it is short.
func clock(id int32) int64 {
	var t unix.Timespec
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(id), uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0
	}
	return t.Nano()
}

func elapsed(ns int64) time.Duration { return time.Duration(ns) }

// sleepUntil sleeps until a moment of CLOCK_MONOTONIC. The Go scheduler is not told
// either: it would hand the processor over to another thread and back, which costs
// ten times what the sampler does.
func sleepUntil(ns int64) {
	t := unix.NsecToTimespec(ns)
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, uintptr(unsafe.Pointer(&t)), 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

// ownCPU is the CPU time of this process.
func ownCPU() int64 { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// processCPU reads the CPU time of all threads of a process, with a system call
// of its own (clock_getcpuclockid(3)).
func processCPU(pid int) (ns int64, ok bool) {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers.h
	ns = clock(int32(^pid<<3 | schedClock))
	return ns, ns > 0
}

// hurry asks for the thread to run as soon as its time has come, and says what was
// granted.
func hurry() string {
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

// privileged says whether the kernel gave the process a right that its user has not,
// as by a capability of its file (getauxval(3), AT_SECURE). What cannot be found out
// counts as such.
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

// diesWithParent has the kernel kill the child with the thread that started it.
// That does not hold for a child with privileges, which sees its input end.
func diesWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

func nameless(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// seal keeps f from being written other than where it is mapped already, and from
// being cut or grown: programs under test inherit it. It does what the system can:
// up to Linux 5.0 f can still be written.
func seal(f *os.File) {
	for _, seals := range []int{unix.F_SEAL_FUTURE_WRITE, unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL} {
		unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals) //nolint:errcheck // as said above
	}
}

func mapped(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmap(data []byte) error { return unix.Munmap(data) }
