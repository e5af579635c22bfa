package ssh

import (
	"fmt"
	"strings"
)

// A Cause is why there is no connection.
type Cause int

// The causes.
const (
	Other             Cause = iota // ssh failed in a way that is not known here: Said has its words
	NoProgram                      // there is no ssh on this machine, or it cannot be started
	BadHost                        // the name is none of a host
	UnknownHost                    // the name has no address
	Unreachable                    // nobody answers at the address, or refuses to
	HostKeyUnknown                 // the user has never accepted the key of the host
	HostKeyChanged                 // the host has another key than the one that the user accepted
	AccessDenied                   // no key of the user is accepted
	NoAnswer                       // the login shell there does not start sh
	NotLinux                       // the target has another system
	WrongArchitecture              // there is no program for the target's processor
	OldKernel                      // the target's Linux is too old
	NoBinary                       // this machine does not have the program for the target
	NoCache                        // the cache folder there cannot be written
	NoSpace                        // its file system is full
	NoExec                         // no program can be started in it
	Damaged                        // the program did not arrive as it was sent
	NoStart                        // the program there ended before it spoke
	Lost                           // the connection has ended
)

// An Error says why there is no connection to a host, or no longer, and what to do.
type Error struct {
	Cause Cause
	Host  string
	What  string // what is wrong, and the remedy
	Said  string // what ssh and the programs on the target wrote to standard error; may be ""
	Err   error  // may be nil

	folder string // on the target, that could not be made or written; "" for none
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Host, e.What)
	if e.Host == "" {
		text = e.What
	}
	if e.Err != nil {
		text += fmt.Sprintf(" (%v)", e.Err)
	}
	if e.Said != "" {
		text += "; ssh and the target say:\n" + e.Said
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// sshFailed is the exit status of ssh where the fault is its own and not the command's (ssh(1)).
const sshFailed = 255

// cannotExecute is that of a shell that could not start a command it found (POSIX, 2.8.2).
const cannotExecute = 126

// words are those of OpenSSH that tell a cause, in the order in which they are looked for. They are
// English wherever it runs.
var words = []struct {
	cause Cause
	text  []string
	what  string // may have %s for the host
}{
	{HostKeyChanged, []string{"HOST IDENTIFICATION HAS CHANGED", "has changed and you have requested strict checking"},
		"the host has another key than when you accepted it: find out why before you go on"},
	{HostKeyUnknown, []string{"Host key verification failed", "host key is known for"},
		"its host key is not known: connect once by hand (ssh %s), and accept the key if it is the right one"},
	{UnknownHost, []string{"Could not resolve hostname"},
		"ssh knows no host of that name: compare with ~/.ssh/config, or try ssh %s"},
	{AccessDenied, []string{"Permission denied (", "Too many authentication failures", "No supported authentication methods"},
		"it accepts none of your keys, and no password is asked for: ssh -o BatchMode=yes %s must work (ssh-copy-id, ssh-add)"},
	{Unreachable, []string{"Connection refused", "timed out", "No route to host", "unreachable", "Connection closed by", "Connection reset by", "kex_exchange_identification"},
		"it cannot be reached"},
}

// explain adds to an error what ssh said, given the exit status of ssh. Where ssh failed before the
// script spoke, its words are the error.
func explain(host string, err error, status int, said string) error {
	e, ok := err.(*Error) //nolint:errorlint // those of this package are not wrapped here
	if !ok {
		e = &Error{Cause: Other, What: "ssh failed", Err: err}
	}
	e.Host, e.Said = host, said
	switch {
	case status == sshFailed && e.Cause == NoAnswer:
		return explainSSH(e)
	case e.Cause == NoCache && strings.Contains(said, "No space left on device"), e.Cause == NoCache && strings.Contains(said, "quota exceeded"):
		e.Cause, e.What = NoSpace, fmt.Sprintf("there is no space left for the program in %s there: free some, or %s", e.folder, moveCache)
	case e.Cause == NoStart && status == cannotExecute && !strings.Contains(said, "Exec format error"):
		e.Cause, e.What = NoExec, "no program can be started in its cache folder (a file system mounted noexec?): "+moveCache
	}
	return e
}

func explainSSH(e *Error) error {
	e.Cause, e.What, e.Err = Other, "ssh failed", nil
	for _, w := range words {
		for _, text := range w.text {
			if strings.Contains(e.Said, text) {
				e.Cause, e.What = w.cause, strings.ReplaceAll(w.what, "%s", e.Host)
				return e
			}
		}
	}
	return e
}
