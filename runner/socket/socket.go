// Package socket tells the programs of this user what the meter says, over a Unix socket: each
// connection gets one reading and is closed. Nobody else can open the socket, and the kernel says
// whose a connection is. The package does not know what the programs do with the readings:
// /debug/pprof/energy (instrument/goroot/energy) divides them.
package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/filelock"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
)

// Variable names the environment variable that says where the socket is, for those who read
// and for those who serve.
const Variable = "SPELL_LSP_SOCKET"

// Path is where the socket is: what Variable says, else in the user's folder for the time of
// his session, else in his cache folder.
func Path() (string, error) {
	if name := os.Getenv(Variable); name != "" {
		return filepath.Abs(name)
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("finding a place for the socket: %w: name one in %s", err, Variable)
		}
	}
	return filepath.Join(dir, "spell-lsp", "meter.sock"), nil
}

var (
	// ErrRuns says that another process serves the socket.
	ErrRuns = errors.New("another `spell-lsp meter` serves it")
	// ErrMeter says that no energy is known, or no longer.
	ErrMeter = errors.New("the meter gives no energy")
)

// Params say what is served.
type Params struct {
	Meter   string // its name; "" is the automatic choice
	Options meter.Options
	Path    string // of the socket, absolute
	// Ready is called when the socket is open. idle says whether the power of the idle machine is
	// known.
	Ready func(info meter.Info, idle bool)
}

// Serve opens the meter, watches it for a second, and then serves its readings until ctx ends,
// which is no error. It fails with ErrRuns where the socket is served already, with ErrMeter
// where no energy is known, and when the sampler ends.
func Serve(ctx context.Context, p Params) error {
	unlock, err := claim(p.Path)
	if err != nil {
		return fmt.Errorf("opening %s: %w", p.Path, err)
	}
	defer unlock()
	s, err := sampler.Open(p.Meter, p.Options)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // it only reads
	if s.Info().Source == record.NoEnergy {
		return fmt.Errorf("%w: nothing is known about this processor, and no counter can be read: `spell-lsp doctor` says what helps", ErrMeter)
	}
	if slices.Contains(s.Info().Whole, true) {
		return fmt.Errorf("%w: the counter is the host's share, which says nothing of functions: use --meter model", ErrMeter)
	}
	m := newMachine(s.Info())
	if err := m.watch(ctx, s); err != nil || ctx.Err() != nil {
		return err
	}
	l, err := listen(p.Path)
	if err != nil {
		return fmt.Errorf("opening %s: %w", p.Path, err)
	}
	defer l.Close()     //nolint:errcheck // it removes the socket
	s.Every(meterEvery) //nolint:errcheck // a sampler that has ended is noticed by the next take
	p.Ready(s.Info(), m.idleW != nil)
	return serve(ctx, l, s, m)
}

// claim makes the folder of the socket, and locks the socket against others.
func claim(path string) (unlock func(), err error) {
	if err := ownership.Make(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(f); err != nil {
		f.Close()
		if errors.Is(err, filelock.ErrHeld) {
			err = ErrRuns
		}
		return nil, err
	}
	return func() { f.Close() }, nil
}

// maxPath is the length of the address of a socket in Linux (unix(7)), less the final zero.
const maxPath = 107

// listen opens the socket, in place of one that a killed process left.
func listen(path string) (*net.UnixListener, error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("the path has %d bytes, and that of a socket at most %d: name a shorter one in %s", len(path), maxPath, Variable)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, errors.New("it is there, and is no socket: remove it")
	default:
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// meterEvery is the shortest time between two readings of the meter: `spell-lsp meter` runs for days, and the
// profiles that ask it last for seconds, so that more readings would cost more than they tell.
const meterEvery = 16 * time.Millisecond

// readEvery is how often readings are taken although nobody asks.
const readEvery = 250 * time.Millisecond

// serve answers one connection after the other: an answer is shorter than what the kernel
// buffers, so that no client can delay it.
func serve(ctx context.Context, l *net.UnixListener, s *sampler.Sampler, m *machine) error {
	clients, refused := accept(ctx, l)
	for {
		var client *net.UnixConn
		select {
		case <-ctx.Done():
			return nil
		case err := <-refused:
			return fmt.Errorf("waiting for programs: %w", err)
		case client = <-clients:
		case <-time.After(readEvery):
		}
		if err := m.take(s); err != nil {
			return err
		}
		if client != nil {
			answer(client, m)
		}
	}
}

// accept accepts connections until the listener is closed or ctx ends.
func accept(ctx context.Context, l *net.UnixListener) (<-chan *net.UnixConn, <-chan error) {
	clients, refused := make(chan *net.UnixConn), make(chan error, 1)
	go func() {
		for {
			c, err := l.AcceptUnix()
			if passing := (net.Error)(nil); errors.As(err, &passing) && passing.Temporary() { //nolint:staticcheck // as net/http: out of descriptors or memory
				time.Sleep(readEvery)
				continue
			}
			if err != nil {
				refused <- err
				return
			}
			select {
			case clients <- c:
			case <-ctx.Done():
				c.Close() //nolint:errcheck // nothing was written
				return
			}
		}
	}()
	return clients, refused
}

const answerTimeout = time.Second

// answer writes a reading, or why there is none, and closes the connection.
func answer(c *net.UnixConn, m *machine) {
	defer c.Close() //nolint:errcheck // whoever has gone needs no answer
	r := m.reading()
	user, pid, err := peer(c)
	switch cpu, known := sampler.ProcessCPU(pid); {
	case err != nil:
		r = refusal(fmt.Sprintf("it cannot tell who asks: %v", err))
	case user != os.Geteuid():
		r = refusal(fmt.Sprintf("it serves user %d, and user %d asks", os.Geteuid(), user))
	case pid <= 0 || !known:
		r = refusal("it does not see the process that asks: run `spell-lsp meter` where all processes are seen, not in a container")
	default:
		r.CPU = cpu
	}
	c.SetWriteDeadline(time.Now().Add(answerTimeout)) //nolint:errcheck // the answer fits into the buffer
	json.NewEncoder(c).Encode(r)                      //nolint:errcheck // whoever has gone needs no answer
}
