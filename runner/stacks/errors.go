package stacks

import (
	"errors"
	"fmt"
)

// ErrEnded says that there is no such process, or no longer.
var ErrEnded = errors.New("it has ended, or there was none")

// A ForeignError says that a process may not be sampled because of whose it is.
type ForeignError struct {
	PID   int
	Owner int // its user; root also for programs of this user that have privileges
	Err   error
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("process %d is not this user's, but that of user %d, or has privileges: %v", e.PID, e.Owner, e.Err)
}

func (e *ForeignError) Unwrap() error { return e.Err }

// A LimitError says that a process has more threads than can be sampled.
type LimitError struct {
	Threads int    // that were sampled when it was reached
	Limit   string // what there is not enough of
	Raise   string // how its owner raises it
	Err     error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("after %d threads there are no more %s: %v", e.Threads, e.Limit, e.Err)
}

func (e *LimitError) Unwrap() error { return e.Err }
