package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A runningMeasurement has everything needed to end a measurement and to find what
// remains of it.
type runningMeasurement struct {
	mark string // text in the environment of all its processes
	dir  string // what is measured
	temp string // its temporary folder
	// The editor is either the bench itself or a separate process.
	client *connection
	call   *call
	editor *editor

	mu   sync.Mutex
	last string // last message of its progress
	over bool
}

// begin starts a server and a measurement of the folder. With apart, the editor is a
// separate process.
func (b *bench) begin(ctx context.Context, dir string, apart bool) (*runningMeasurement, error) {
	temp, err := b.folder("temp")
	if err != nil {
		return nil, err
	}
	m := &runningMeasurement{mark: fmt.Sprintf("SPELL_LSP_BENCH=%d-%d", os.Getpid(), time.Now().UnixNano()), dir: dir, temp: temp}
	env := []string{"TMPDIR=" + temp, m.mark}
	if err := edit(dir); err != nil {
		return nil, err
	}
	if apart {
		m.editor, err = startEditor(ctx, env, b.server, dir, m.tell)
		return m, err
	}
	start := func(ctx context.Context, s session) (*connection, error) { return b.spellWith(ctx, s, env...) }
	if m.client, err = starter(start).open(ctx, session{folders: []string{dir}, watch: true}); err != nil {
		return nil, err
	}
	m.client.hear(func(n notification) { m.tell(stepOf(n)) })
	m.call, err = m.client.measure(dir, cancelRounds)
	return m, err
}

// tell records a step of the measurement.
func (m *runningMeasurement) tell(s step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.Kind == "end" {
		m.over = true
	}
	if s.Message != "" {
		m.last, _, _ = strings.Cut(s.Message, ":")
	}
}

// phase is the last message of the progress; "" when the measurement is over.
func (m *runningMeasurement) phase() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return ""
	}
	if m.last == "" {
		return "starting"
	}
	return m.last
}

func (m *runningMeasurement) family() []process { return family(m.mark, m.temp, m.dir) }

var errDone = errors.New("the measurement was done before it was ended")

// answered waits for the answer to the measurement request, and returns the time since
// begun, which is just before the message that ended the measurement was written. err
// is the error of writing that.
func (m *runningMeasurement) answered(ctx context.Context, begun time.Time, err error) (time.Duration, error) {
	if err != nil {
		return 0, err
	}
	a, err := m.call.wait(ctx)
	if err != nil {
		return 0, err
	}
	if a.err == nil {
		return 0, errDone
	}
	if a.err.Code != requestCancelled {
		return 0, fmt.Errorf("the ended measurement is answered with %d, %s; it must be %d", a.err.Code, a.err.Message, requestCancelled)
	}
	return a.at.Sub(begun), nil
}

const requestCancelled = -32800 // LSP 3.17, ErrorCodes.RequestCancelled

// gone waits until nothing of the measurement is left, at most for goneBar after
// begun, and returns how long that took and what is left. With stays, the server must
// still be running.
func (m *runningMeasurement) gone(begun time.Time, stays bool) (took time.Duration, left []string) {
	for {
		left = m.left(stays)
		took = time.Since(begun)
		if len(left) == 0 {
			time.Sleep(secondLook)
			left = m.left(stays)
		}
		if len(left) == 0 || time.Since(begun) > goneBar {
			return took, left
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// secondLook is the delay after which gone checks again if nothing was left, because a
// missed process may start others.
const secondLook = 250 * time.Millisecond

func (m *runningMeasurement) left(stays bool) []string {
	var left []string
	server := false
	for _, p := range m.family() {
		if stays && p.pid == m.client.cmd.Process.Pid {
			server = true
			continue
		}
		left = append(left, "process "+p.line)
	}
	if stays && !server {
		left = append(left, "not the server")
	}
	entries, err := os.ReadDir(m.temp)
	if err != nil {
		left = append(left, err.Error())
	}
	for _, e := range entries {
		left = append(left, "file "+e.Name())
	}
	return left
}

// clear ends all remaining processes and removes the files.
func (m *runningMeasurement) clear(ctx context.Context) {
	if m.client != nil {
		m.client.quit(ctx)
	}
	if m.editor != nil {
		m.editor.kill() //nolint:errcheck // it may be gone
	}
	for _, p := range m.family() {
		if left, err := os.FindProcess(p.pid); err == nil {
			left.Kill() //nolint:errcheck // it may have just ended
		}
	}
	os.RemoveAll(m.temp) //nolint:errcheck // the scratch folder is removed as a whole
}

// An editor is a separate process that has started a server.
type editor struct{ cmd *exec.Cmd }

// startEditor starts this program as an editor, and waits until the editor has
// requested the measurement. tell is called for each step of the measurement.
func startEditor(ctx context.Context, env []string, server, dir string, tell func(step)) (*editor, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, "-server", server, "-editor", dir)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting an editor: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting an editor: %w", err)
	}
	e, lines := &editor{cmd}, bufio.NewScanner(out)
	if !lines.Scan() {
		return nil, errors.Join(errors.New("the editor could not start a measurement"), lines.Err(), e.kill())
	}
	go func() {
		for lines.Scan() {
			kind, message, _ := strings.Cut(lines.Text(), " ")
			tell(step{kind, message})
		}
	}()
	return e, nil
}

// kill kills the editor and waits for its end.
func (e *editor) kill() error {
	if err := e.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing the editor: %w", err)
	}
	e.cmd.Wait() //nolint:errcheck // it was killed
	return nil
}

// beEditor is the program of startEditor's process: it measures a folder, and writes a
// line when it has requested that, and one for each step, until it is killed.
func beEditor(ctx context.Context, server, dir string) error {
	b := bench{server: server}
	o, err := starter(b.spell).open(ctx, session{folders: []string{dir}, watch: true})
	if err != nil {
		return err
	}
	o.hear(func(n notification) {
		if s := stepOf(n); s.Kind != "" {
			io.WriteString(os.Stdout, s.Kind+" "+s.Message+"\n") //nolint:errcheck // if nobody reads, this process is about to be killed
		}
	})
	if _, err := o.measure(dir, cancelRounds); err != nil {
		return err
	}
	fmt.Println("measuring")
	<-ctx.Done()
	return ctx.Err()
}
