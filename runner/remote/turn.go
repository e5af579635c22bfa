package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"strings"
	"syscall"
	"time"
)

// The turn to measure is a name in the abstract namespace of Unix sockets (unix(7)): one process of the machine,
// of whatever user, can listen there, and the kernel gives the name back however that process ends. Others connect,
// are told whose turn it is, and wait until the connection ends.

// A turn is the right to measure on this machine.
type turn struct{ listener net.Listener }

// turnName is the name that measurements of all users share.
const turnName = "spell-lsp/turn"

const turnPause = 100 * time.Millisecond

// waitForTurn waits until no other measurement has the turn. told is called with whose it is, each time that
// another one has got it.
func waitForTurn(ctx context.Context, name string, told func(who string) error) (*turn, error) {
	last := ""
	changed := func(who string) error {
		if who == last {
			return nil
		}
		last = who
		return told(who)
	}
	for {
		t, err := takeTurn(ctx, name)
		if err == nil {
			return t, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("waiting for the turn to measure: %w", err)
		}
		if err := waitForEnd(ctx, name, changed); err != nil {
			return nil, err
		}
		select { // whoever ends at once must not keep this process busy
		case <-time.After(turnPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// takeTurn takes the turn, if no other measurement has it; EADDRINUSE if one has.
func takeTurn(ctx context.Context, name string) (*turn, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "unix", "@"+name)
	if err != nil {
		return nil, err
	}
	t := &turn{l}
	go t.answer(whoMeasures())
	return t, nil
}

// answer tells everybody who waits whose turn it is, until it ends.
func (t *turn) answer(who string) {
	var waiting []net.Conn
	for {
		c, err := t.listener.Accept()
		if err != nil {
			for _, c := range waiting {
				c.Close() //nolint:errcheck // that is the message
			}
			return
		}
		c.SetWriteDeadline(time.Now().Add(time.Second)) //nolint:errcheck // a line is shorter than what the kernel buffers
		fmt.Fprintln(c, who)                            //nolint:errcheck // it has gone
		waiting = append(waiting, c)
	}
}

func (t *turn) end() { t.listener.Close() } //nolint:errcheck // nothing can be done

// waitForEnd waits until another measurement ends.
func waitForEnd(ctx context.Context, name string, told func(who string) error) error {
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", "@"+name)
	if err != nil {
		return ctx.Err() // it has just ended
	}
	defer c.Close()                                      //nolint:errcheck // it was only read
	stop := context.AfterFunc(ctx, func() { c.Close() }) //nolint:errcheck // it was only read
	defer stop()
	const longest = 200
	r := bufio.NewReader(io.LimitReader(c, longest))
	who, err := r.ReadString('\n')
	if err != nil {
		return ctx.Err()
	}
	who = strings.ToValidUTF8(strings.TrimSpace(who), "?")
	if err := told(who); err != nil {
		return err
	}
	c.Read(make([]byte, 1)) //nolint:errcheck // it ends with the turn
	return ctx.Err()
}

// whoMeasures names the user, from where, and since when.
func whoMeasures() string {
	who := "another user"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	if from, _, _ := strings.Cut(os.Getenv("SSH_CONNECTION"), " "); from != "" {
		who += " from " + from
	}
	return who + " since " + time.Now().Format("15:04:05")
}
