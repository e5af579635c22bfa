// Package ssh connects to another machine through the user's own OpenSSH, puts this program there if
// it is not there yet, and starts it.
//
// One process of ssh carries everything, as Windows' ssh cannot share a connection. The user's
// configuration, agents, jump hosts and known hosts decide how it connects; nothing is asked: what
// would need an answer is an error that says what to do by hand.
//
// The command on the target is a short POSIX shell script (bootstrap.go). It says what machine it is
// on, takes the program if the cache folder has none with that hash, and replaces itself by it. The
// target needs a shell, coreutils or busybox, and nothing else.
package ssh

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"spell-lsp/runner/remote/frame"
	"spell-lsp/spell/capture"
)

const (
	// connectSeconds limits how long ssh tries to connect.
	connectSeconds = 15
	// answerTime limits how long ssh and the login shell may take until the script answers: a key may
	// want to be touched, and a jump host come first.
	answerTime = time.Minute
	// endTime is how long ssh may take to end when its input is closed: the target needs up to 2 s.
	endTime = 5 * time.Second
)

// A Target is a machine to connect to.
type Target struct {
	// Host is its name, as the user's ssh knows it: an alias, a host, user@host or ssh://user@host:port.
	Host string
	// Binary returns the program to run there, for a GOARCH. Its process is started with the arguments
	// "agent" and the SHA-256 of the file.
	Binary func(arch string) (path string, err error)
	// Sending is told how many bytes of the program have been sent, if any have to be. It may be nil.
	Sending func(sent, size int64)
	// Program is the name or path of ssh, "ssh" if "".
	Program string
	// Config is a file to use instead of the user's configuration; the user's if "".
	Config string
}

// Facts is what is known of the target before the program runs there.
type Facts struct {
	System  string // uname -s: Linux
	Machine string // uname -m
	Arch    string // the same as a GOARCH
	Kernel  string // uname -r
	Cache   string // the folder below which everything is, absolute
	Sent    int64  // bytes of the program that were sent; 0 if it was there
}

// A Link is a connection to the program on the target.
type Link struct {
	Conn  *frame.Conn
	Facts Facts

	host string
	ssh  *process
}

// Dial connects, and returns when the program on the target runs and speaks the protocol of package
// frame. The context limits Dial only; Close ends the link. The error is a [*Error], or that of the
// context.
func Dial(ctx context.Context, t Target) (*Link, error) {
	if err := checkHost(t.Host); err != nil {
		return nil, err
	}
	p, err := start(t)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, p.kill)
	l := &Link{host: t.Host, ssh: p}
	err = l.boot(ctx, t)
	stop()
	if ctx.Err() != nil {
		l.Close()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, l.failure(err)
	}
	return l, nil
}

// checkHost refuses what ssh would take for an option, and what no host is called.
func checkHost(host string) error {
	bad := func(r rune) bool { return r <= ' ' || r == 0x7f }
	if host == "" || strings.HasPrefix(host, "-") || strings.ContainsFunc(host, bad) {
		return &Error{Cause: BadHost, Host: host, What: "that is no name of a host"}
	}
	return nil
}

// Close ends the program on the target and everything that it started, and then ssh.
func (l *Link) Close() {
	if l.Conn != nil {
		l.Conn.Close()
	}
	l.ssh.end()
}

// Lost closes the link, and returns an error with what ssh and the target said, for an error of Conn.
func (l *Link) Lost(err error) error {
	return l.failure(&Error{Cause: Lost, What: "the connection has ended", Err: err})
}

// failure closes the link, and adds to an error what ssh said, or replaces it by what that means.
func (l *Link) failure(err error) error {
	l.Close()
	status := l.ssh.cmd.ProcessState.ExitCode()
	return explain(l.host, err, status, strings.TrimSpace(l.ssh.stderr.String()))
}

// A process is ssh.
type process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *bufio.Reader
	outEnd *os.File
	stderr capture.Output // complete when ended is closed
	ended  chan struct{}
}

func start(t Target) (*process, error) {
	program := t.Program
	if program == "" {
		program = "ssh"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, &Error{Cause: NoProgram, Host: t.Host, What: "there is no program ssh on this machine: install OpenSSH's client", Err: err}
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	p := &process{cmd: exec.Command(path, arguments(t)...), in: in, out: bufio.NewReader(out), outEnd: out, ended: make(chan struct{})} //nolint:noctx // end ends it in order
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, &p.stderr
	p.cmd.WaitDelay = time.Second // a process of ssh that shares connections may keep standard error open
	withoutTerminal(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(&Error{Cause: NoProgram, Host: t.Host, What: "ssh cannot be started", Err: err}, in.Close(), out.Close())
	}
	go func() {
		p.cmd.Wait() //nolint:errcheck // its state says it
		close(p.ended)
	}()
	return p, nil
}

// arguments makes ssh ask nothing and forward nothing, and leaves the rest to the user's configuration.
// Host keys are checked as it says.
func arguments(t Target) []string {
	args := []string{"-T"}
	if t.Config != "" {
		args = append(args, "-F", t.Config)
	}
	for _, option := range []string{
		"BatchMode=yes", // no password, passphrase or host key is asked for
		fmt.Sprintf("ConnectTimeout=%d", connectSeconds),
		"ServerAliveInterval=5", "ServerAliveCountMax=3", // while the program is sent; then heartbeats end it earlier
		"LogLevel=INFO", // under QUIET it would not say why it failed
		// What a configuration has for sessions by hand would fail, or start something, here.
		"RemoteCommand=none", "PermitLocalCommand=no", "ClearAllForwardings=yes", "Tunnel=no",
		"ForwardX11=no", "ForwardAgent=no",
		"ControlMaster=no", // a shared connection is used, but this one ends with its process
	} {
		args = append(args, "-o", option)
	}
	return append(args, "--", t.Host, command)
}

func (p *process) kill() {
	p.cmd.Process.Kill() //nolint:errcheck // it may have ended
}

// end closes the input of ssh, and waits until it has ended.
func (p *process) end() {
	p.in.Close() // whoever wrote to it knows
	timer := time.AfterFunc(endTime, p.kill)
	defer timer.Stop()
	<-p.ended
	p.outEnd.Close()
}
