package execution

import (
	"os"

	"golang.org/x/sys/unix"
)

// socketPair is two ends of one connection: for a program that is started, and for this process, which
// can set deadlines on its own.
func socketPair() (program, own *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	program = os.NewFile(uintptr(pair[0]), "program")
	if err := unix.SetNonblock(pair[1], true); err != nil { // so that it has deadlines
		program.Close()
		return nil, nil, err
	}
	return program, os.NewFile(uintptr(pair[1]), "asked"), nil
}
