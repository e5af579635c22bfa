//go:build !unix

package scenario

import "syscall"

// ending are the signals that end a program and have a number here.
var ending = map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGKILL": syscall.SIGKILL, "SIGQUIT": syscall.SIGQUIT, "SIGHUP": syscall.SIGHUP}

// signalNumber knows the signals that end a program; 0 if there is none of the name.
func signalNumber(name string) syscall.Signal { return ending[name] }

// StopName is the name of the signal that ends the program.
func (s *Scenario) StopName() string {
	for name, number := range ending {
		if number == s.Stop {
			return name
		}
	}
	return s.Stop.String()
}
