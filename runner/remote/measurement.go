package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/runner"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// A measurement is one that a machine carries out for this side.
type measurement struct {
	*Site
	conn *frame.Conn
	packing
	job     runner.Job
	sending sync.WaitGroup
	coming  *unpacking // the run or output that is being received; nil for none
	needs   int        // how often content was asked for
	wanted  []string   // the kinds of programs that were built for the machine
	latest  *record.Run
	final   bool // latest is all that there will be
}

// endPatience is how long a machine may take to send what is complete, after it was told to end.
const endPatience = 3 * time.Second

// follow receives until the machine ends the measurement, or the connection is lost.
func (m *measurement) follow(ctx context.Context) (*runner.Fault, error) {
	receiving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	told := context.AfterFunc(ctx, func() {
		bounded, cancelled := context.WithTimeout(receiving, endPatience)
		defer cancelled()
		m.conn.Send(bounded, cancel{Type: typeCancel}) //nolint:errcheck // a connection that is lost says so itself
		<-bounded.Done()
		stop()
	})
	defer told()
	for {
		f, err := m.conn.Receive(receiving)
		if err != nil {
			return nil, m.lost(err)
		}
		if f.Type == typeEnd {
			e, err := read[end](f)
			return e.Fault, err
		}
		if err := m.handle(receiving, f); err != nil {
			return nil, err
		}
	}
}

// handle does what a message asks for.
func (m *measurement) handle(ctx context.Context, f frame.Frame) error {
	switch f.Type {
	case typeStep:
		said, err := read[step](f)
		if err == nil {
			m.job.Progress(said.Step)
		}
		return err
	case typeBusy:
		b, err := read[busy](f)
		if err == nil {
			m.job.Progress(m.waiting(b))
		}
		return err
	case typeNeed:
		asked, err := read[need](f)
		if err == nil && m.needs > len(m.wanted) {
			return unexpected(f) // one for the job, and one for the programs of each kind
		}
		if err == nil {
			m.needs++
			m.sending.Go(func() { m.send(ctx, asked.Hashes) })
		}
		return err
	case typeWant:
		asked, err := read[want](f)
		if err == nil && slices.Contains(m.wanted, asked.Kind) {
			return unexpected(f) // each kind is built once
		}
		if err == nil {
			m.wanted = append(m.wanted, asked.Kind)
			m.sending.Go(func() { m.supply(ctx, asked) })
		}
		return err
	case typeRun, typeOutput:
		announced, err := read[packed](f)
		if err == nil && m.coming != nil {
			return unexpected(f)
		}
		m.coming = &unpacking{packed: announced}
		return err
	case "":
		return m.receivePacked(ctx, f)
	}
	return unexpected(f)
}

// send sends content. Where that fails, the other side is told why, or the connection is lost.
func (m *measurement) send(ctx context.Context, hashes []string) {
	for _, text := range hashes {
		hash, err := hashOf(text)
		if err != nil {
			return // it will not come, and the machine waits for nothing that it did not ask for
		}
		r, _, err := m.read(text)
		if err != nil {
			r = io.NopCloser(failing{err})
		}
		_, err = m.conn.SendBlob(ctx, hash, r)
		r.Close() //nolint:errcheck // it was read
		if err != nil {
			return
		}
	}
}

// failing is content that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// supply builds programs and says which.
func (m *measurement) supply(ctx context.Context, w want) {
	answer := programs{Type: typePrograms}
	var pkgs []instrument.Package
	for _, p := range m.job.Programs {
		if slices.Contains(w.Packages, p.Path) {
			pkgs = append(pkgs, p.Package)
		}
	}
	var built []execution.Program
	var err error
	switch w.Kind {
	case kindPlain:
		built, err = m.job.Supply.Plain(ctx, pkgs)
	case kindCounting:
		built, answer.Said, err = m.job.Supply.Counting(ctx, pkgs)
	default:
		err = fmt.Errorf("there are no programs of the kind %q", w.Kind)
	}
	if err == nil {
		answer.Programs, err = m.add(ctx, built)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	m.conn.Send(ctx, answer) //nolint:errcheck // a connection that is lost says so itself
}

// receivePacked takes a piece of a run record, or of what programs printed.
func (m *measurement) receivePacked(ctx context.Context, f frame.Frame) error {
	if m.coming == nil {
		return unexpected(f)
	}
	text, err := m.coming.take(f.Chunk)
	if err != nil || text == nil {
		return err
	}
	came := m.coming.packed
	m.coming = nil
	if came.Type == typeOutput {
		return m.receiveOutput(ctx, text)
	}
	latest, err := recordjson.Read(text)
	if err != nil {
		return fmt.Errorf("reading the run of %s: %w", m.Name, err)
	}
	m.latest, m.final = latest, came.Final
	return m.conn.Send(ctx, got{Type: typeGot})
}

// receiveOutput shows what programs printed. Whoever shows it may wait, as a terminal that is held does: meanwhile the
// connection must be read.
func (m *measurement) receiveOutput(ctx context.Context, text io.Reader) error {
	var o output
	if err := json.NewDecoder(text).Decode(&o); err != nil {
		return fmt.Errorf("reading what programs printed on %s: %w", m.Name, err)
	}
	m.sending.Go(func() {
		m.print(&o)
		m.conn.Send(ctx, got{Type: typeGot}) //nolint:errcheck // a connection that is lost says so itself
	})
	return nil
}
