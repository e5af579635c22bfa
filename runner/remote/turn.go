package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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

// waitForTurn waits until no other measurement has the turn. told is called with whose it is, each time that
// another one has got it.
func waitForTurn(ctx context.Context, name string, told func(who string) error) (*turn, error) {
	for {
		l, err := new(net.ListenConfig).Listen(ctx, "unix", "@"+name)
		if err == nil {
			t := &turn{l}
			go t.answer(whoMeasures())
			return t, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("waiting for the turn to measure: %w", err)
		}
		if err := waitForEnd(ctx, name, told); err != nil {
			return nil, err
		}
	}
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
	r := bufio.NewReader(c)
	who, err := r.ReadString('\n')
	if err != nil {
		return ctx.Err()
	}
	const longest = 200
	who = strings.ToValidUTF8(strings.TrimSpace(who), "?")
	if err := told(who[:min(len(who), longest)]); err != nil {
		return err
	}
	r.ReadByte() //nolint:errcheck // it ends with the turn
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
