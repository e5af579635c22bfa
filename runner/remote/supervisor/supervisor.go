// Package supervisor runs the work for a client on another machine, and ends everything that the
// work started when the client is gone.
//
// Two processes of the same program run on the target. The supervisor passes the client's stream to
// the worker, and watches. The worker writes to the client directly, so nothing that it sends waits
// for the supervisor. All is over when
//
//   - the client's stream ends, or nothing has come for 3 s ([frame.Silence]): the client's machine
//     or the line may be gone, and sshd may not know;
//   - the worker ends, or takes nothing from its stream for 3 s;
//   - a signal asks the supervisor to end (SIGHUP, SIGTERM, SIGINT).
//
// Then the worker's stream is closed, which cancels its context, and it has a second to end. After
// that the supervisor kills all descendants, and removes the folder that was made for them. It is
// their subreaper (prctl(2), PR_SET_CHILD_SUBREAPER): daemons, which leave their parent, their session
// and their process group, become its children.
//
// If the supervisor is killed, the worker's stream ends, and the worker kills its descendants; it
// finds daemons by a variable in their environment. The folder stays then, and the next measurement
// removes it (package scratch).
package supervisor

import (
	"context"
	"time"

	"spell-lsp/runner/remote/frame"
)

// A Worker does the work for one client. The context is cancelled when the client is gone; the worker
// then has a second to return. TMPDIR and GOTMPDIR name the folder that is removed at the end.
type Worker func(ctx context.Context, c *frame.Conn) error

// Params is what a supervisor needs.
type Params struct {
	// Hash is the SHA-256 that the program must have, in hexadecimal. A copy that was damaged on its
	// way must not run.
	Hash string
	// Worker has the arguments with which this program calls [Work].
	Worker []string
}

const (
	// grace is how long a worker may take to return when its client is gone.
	grace = time.Second
	// killing is how long processes are killed, if they do not end at once.
	killing = 900 * time.Millisecond
	// markVariable is the variable by which the worker finds daemons that it started.
	markVariable = "SPELL_LSP_AGENT"
)
