package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"spell-lsp/lsp"
)

const (
	// tokenWait is how long a client has to show the token.
	tokenWait = 10 * time.Second
	// mostStrangers is how many may be connected that have not shown it. Each costs a
	// descriptor and what it has sent.
	mostStrangers = 8
)

// The first wait after the machine had no room for another connection, and the longest.
const (
	firstPause = 5 * time.Millisecond
	mostPause  = time.Second
)

// A listener lets one client in, for debugging. A port of this machine is open
// to all its users, so a client has to know a token, which only who started the
// server sees.
type listener struct {
	net.Listener
	options lsp.Options

	patience  time.Duration   // tokenWait
	room      chan struct{}   // has one for each stranger
	taken     atomic.Bool     // a client is in
	strangers context.Context // ends then
	dismiss   context.CancelFunc
	ended     chan error // what became of the client
}

// listen opens a port for lsp.Serve with the given options and writes where it
// is, and the token, to notices.
func listen(ctx context.Context, address string, notices io.Writer, o lsp.Options) (*listener, error) {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("--listen %s: must be 127.0.0.1:PORT or [::1]:PORT; other machines are never let in", address)
	}
	var config net.ListenConfig
	port, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	o.Token = rand.Text()
	_, err = fmt.Fprintf(notices, "waiting for a client at %s that gives initializationOptions.token %s\n", port.Addr(), o.Token)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("writing the token: %w", err), port.Close())
	}
	l := &listener{Listener: port, options: o, patience: tokenWait, room: make(chan struct{}, mostStrangers), ended: make(chan error, 1)}
	l.strangers, l.dismiss = context.WithCancel(ctx)
	return l, nil
}

// serve returns when the one client that was let in is gone, or ctx ends.
func (l *listener) serve(ctx context.Context) error {
	defer l.dismiss()
	defer context.AfterFunc(l.strangers, func() { l.Close() })() //nolint:errcheck // it ends Accept
	var clients sync.WaitGroup
	pause := firstPause
	for {
		conn, err := l.Accept()
		if crowded(err) {
			select {
			case <-time.After(pause):
				pause = min(2*pause, mostPause)
			case <-l.strangers.Done():
			}
			continue
		}
		if err != nil && l.strangers.Err() == nil {
			l.dismiss()
			clients.Wait()
			return fmt.Errorf("waiting for a client: %w", err)
		}
		if err != nil {
			break
		}
		pause = firstPause
		select {
		case l.room <- struct{}{}:
			clients.Go(func() {
				defer func() { <-l.room }()
				l.client(ctx, conn)
			})
		default:
			_ = conn.Close() // nothing was said
		}
	}
	clients.Wait()
	select {
	case err := <-l.ended:
		return err
	default:
		return ctx.Err()
	}
}

// crowded reports whether an error of Accept is one of a machine that has too much
// to do: it may have less soon. Others may be out of descriptors by no fault of theirs.
func crowded(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// client serves one that knows the token until it is gone. Any other is sent
// away after a while, and at once when another one was let in.
func (l *listener) client(ctx context.Context, conn net.Conn) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	patience := time.AfterFunc(l.patience, func() {
		leave()
		_ = conn.Close() // it may not read the answers either
	})
	defer patience.Stop()
	stay := context.AfterFunc(l.strangers, leave)
	defer stay()
	in := false
	o := l.options
	o.Accepted = func() bool {
		in = patience.Stop() && stay() && l.taken.CompareAndSwap(false, true)
		if in {
			l.dismiss()
		}
		return in
	}
	if err := lsp.Serve(ctx, conn, o); in {
		l.ended <- err
	}
}
