//go:build unix

package scenario

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalNumber is the signal of a name such as SIGTERM, 0 if there is none.
func signalNumber(name string) syscall.Signal { return unix.SignalNum(name) }

// StopName is the name of the signal that ends the program.
func (s *Scenario) StopName() string { return unix.SignalName(s.Stop) }
