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
	// tokenTimeout is how long a client has to send the token.
	tokenTimeout = 10 * time.Second
	// maxUnauthenticated is how many clients may be connected that have not sent it. Each
	// costs a descriptor and the memory for what it has sent.
	maxUnauthenticated = 8
)

// How long Accept is not called after it failed because the machine is out of
// descriptors or memory: at first, and at most.
const (
	minBackoff = 5 * time.Millisecond
	maxBackoff = time.Second
)

// A listener lets one client in, for debugging. A port of this machine is open
// to all its users, so a client has to know a token, which only who started the
// server sees.
type listener struct {
	net.Listener
	options lsp.Options

	tokenTimeout  time.Duration
	slots         chan struct{}   // one element for each client without the token
	taken         atomic.Bool     // a client is in
	accepting     context.Context // ends when a client is in
	stopAccepting context.CancelFunc
	ended         chan error // how the client's session ended
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
	l := &listener{Listener: port, options: o, tokenTimeout: tokenTimeout, slots: make(chan struct{}, maxUnauthenticated), ended: make(chan error, 1)}
	l.accepting, l.stopAccepting = context.WithCancel(ctx)
	return l, nil
}

// serve returns when the one client that was let in is gone, or ctx ends.
func (l *listener) serve(ctx context.Context) error {
	defer l.stopAccepting()
	defer context.AfterFunc(l.accepting, func() { l.Close() })() //nolint:errcheck // it ends Accept
	var clients sync.WaitGroup
	backoff := minBackoff
	for {
		conn, err := l.Accept()
		if crowded(err) {
			select {
			case <-time.After(backoff):
				backoff = min(2*backoff, maxBackoff)
			case <-l.accepting.Done():
			}
			continue
		}
		if err != nil && l.accepting.Err() == nil {
			l.stopAccepting()
			clients.Wait()
			return fmt.Errorf("waiting for a client: %w", err)
		}
		if err != nil {
			break
		}
		backoff = minBackoff
		select {
		case l.slots <- struct{}{}:
			clients.Go(func() {
				defer func() { <-l.slots }()
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
// to do: it may have less soon. Others may be out of descriptors by no fault of eachCall.
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
	timeout := time.AfterFunc(l.tokenTimeout, func() {
		leave()
		_ = conn.Close() // it may not read the answers either
	})
	defer timeout.Stop()
	stay := context.AfterFunc(l.accepting, leave)
	defer stay()
	in := false
	o := l.options
	o.Accepted = func() bool {
		in = timeout.Stop() && stay() && l.taken.CompareAndSwap(false, true)
		if in {
			l.stopAccepting()
		}
		return in
	}
	if err := lsp.Serve(ctx, conn, o); in {
		l.ended <- err
	}
}
