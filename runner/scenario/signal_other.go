//go:build !unix

package scenario

import "syscall"

// signalNumber knows the signals that end a program; 0 if there is none of the name.
func signalNumber(name string) syscall.Signal {
	return map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGKILL": syscall.SIGKILL}[name]
}

// StopName is the name of the signal that ends the program.
func (s *Scenario) StopName() string { return s.Stop.String() }
