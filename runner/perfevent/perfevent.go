// Package perfevent opens perf events of the Linux kernel, and says why it may not
// (perf_event_open(2)). Package perf counts energy with them, package stacks takes
// samples of stacks.
package perfevent

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"spell-lsp/spell/regularfile"
)

// A PermissionError says that events may not be opened.
type PermissionError struct {
	Setting  string // the file of the setting kernel.perf_event_paranoid
	Paranoid string // its value, "" if it cannot be read
	Needs    string // what the setting would have to be: energy events need 0 or less
	// Filtered is true if the system call itself is refused, as by a container
	// runtime; the setting does not matter then.
	Filtered bool
	Err      error // of the system
}

func (e *PermissionError) Error() string {
	switch {
	case e.Filtered:
		return e.Err.Error() + ": the system call is refused altogether, as in a container"
	case e.Paranoid == "":
		return e.Err.Error()
	}
	return fmt.Sprintf("%v (%s is %s; %s)", e.Err, e.Setting, e.Paranoid, e.Needs)
}

func (e *PermissionError) Unwrap() error { return e.Err }

// Level is the value of the setting; ok is false if it is not known.
func (e *PermissionError) Level() (level int, ok bool) {
	level, err := strconv.Atoi(e.Paranoid)
	return level, err == nil
}

// Denied makes a *PermissionError of an error of perf_event_open: EACCES comes from the
// setting or, for events of a process, from who its owner is, and EPERM from a filter
// (perf_event_open(2), ERRORS). It is nil for other errors.
func Denied(err error, setting, needs string) *PermissionError {
	if !errors.Is(err, fs.ErrPermission) {
		return nil
	}
	e := &PermissionError{Setting: setting, Needs: needs, Err: err, Filtered: errors.Is(err, syscall.EPERM)}
	if text, readErr := regularfile.Read(setting, regularfile.MaxValue); readErr == nil {
		e.Paranoid = strings.TrimSpace(string(text))
	}
	return e
}

// FilterRemedy is what to do where a filter refuses the system call, without what that
// opens up.
const FilterRemedy = "in a container, start it with --cap-add PERFMON (Docker), or measure outside."
