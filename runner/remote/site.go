package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/runner"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A Link is a connection to a machine on which [Serve] runs.
type Link struct {
	Conn  *frame.Conn
	Arch  string                // of the machine, as GOARCH has it
	Close func()                // ends the connection, and what it needs
	Lost  func(err error) error // closes, and says what is known of why the connection ended; nil says only err
}

// Options say which machine measures, and what is asked of it.
type Options struct {
	Name    string // of the machine, for messages
	Dial    func(context.Context) (Link, error)
	Meter   string
	Meters  meter.Options
	Ignored bool // files that git ignores go along
}

// A Site is a machine that measures what is built here. It connects anew for each measurement but the first, for
// which Open has connected.
type Site struct {
	Options
	link  *Link // nil where none is open
	arch  string
	ready ready
}

// maxSkew is by how much two clocks may differ before the run says so.
const maxSkew = time.Minute

// Open connects with a machine, and asks whether it can measure. Errors are those of
// [runner.Measure] that concern the meter, or of the connection.
func Open(ctx context.Context, o Options) (*Site, error) {
	s := &Site{Options: o}
	return s, s.open(ctx)
}

// Close ends the connection.
func (s *Site) Close() {
	if s.link != nil {
		s.link.Close()
		s.link = nil
	}
}

func (s *Site) open(ctx context.Context) error {
	link, err := s.Dial(ctx)
	if err != nil {
		return err
	}
	s.link, s.arch = &link, link.Arch
	err = s.greet(ctx)
	if err != nil {
		s.Close()
	}
	return err
}

// greet says what is wanted, and waits until the machine is ready.
func (s *Site) greet(ctx context.Context) error {
	if err := s.link.Conn.Send(ctx, hello{Type: typeHello, Meter: s.Meter, Meters: s.Meters, Now: time.Now()}); err != nil {
		return s.lost(err)
	}
	for {
		f, err := s.link.Conn.Receive(ctx)
		if err != nil {
			return s.lost(err)
		}
		switch f.Type {
		case typeReady:
			s.ready, err = read[ready](f)
			return err
		case typeEnd:
			e, err := read[end](f)
			return errors.Join(err, s.said(e.Fault))
		default:
			return unexpected(f)
		}
	}
}

// waiting says for whom this measurement waits.
func (s *Site) waiting(b busy) runner.Step {
	return runner.Step{Doing: fmt.Sprintf("waiting for %s, where another measurement runs: %s", s.Name, b.Who), Fraction: -1}
}

// said is a fault with the machine's name.
func (s *Site) said(f *runner.Fault) error {
	if f == nil {
		return errors.New(s.Name + " ended the measurement and did not say why: run it again, and report it if it stays so")
	}
	if f.Kind == kindFull {
		return &fullError{s.Name + ": " + f.Text + "\nXDG_CACHE_HOME there names another place for the cache folder"}
	}
	return fmt.Errorf("%s: %w", s.Name, f.Err())
}

// ErrFull says that a machine has no space left for a measurement.
var ErrFull = errors.New("no space left")

// A fullError is ErrFull, with the words of the machine.
type fullError struct{ text string }

func (e *fullError) Error() string { return e.text }
func (e *fullError) Unwrap() error { return ErrFull }

// lost says why the connection ended.
func (s *Site) lost(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if s.link.Conn.Err() == nil {
		return err // it lasts
	}
	if s.link.Lost != nil {
		return s.link.Lost(err)
	}
	return fmt.Errorf("the connection to %s is lost: %w", s.Name, err)
}

// Platform is as of [runner.Site].
func (s *Site) Platform() gocmd.Platform { return gocmd.Platform{OS: "linux", Arch: s.arch} }

// Unsampled is as of [runner.Site].
func (s *Site) Unsampled() error {
	switch {
	case s.ready.Unsampled == "":
		return nil
	case s.ready.Forbidden:
		return &forbidden{s.ready.Unsampled}
	}
	return errors.New(s.ready.Unsampled)
}

// forbidden is a text that is fs.ErrPermission.
type forbidden struct{ text string }

func (e *forbidden) Error() string { return e.text }
func (e *forbidden) Unwrap() error { return fs.ErrPermission }

// Measure sends what the machine lacks, and waits for the end. It is as of [runner.Site]: of a measurement that
// ends early, complete rounds are returned.
func (s *Site) Measure(ctx context.Context, j runner.Job) (*record.Run, error) {
	if s.link == nil {
		if err := s.open(ctx); err != nil {
			return nil, err
		}
	}
	defer s.Close()
	m := &measurement{Site: s, conn: s.link.Conn, packing: packing{name: s.Name, ignored: s.Ignored}, job: j}
	message, err := m.pack(ctx, &m.job)
	if err != nil {
		return nil, err
	}
	if ahead := s.ready.Ahead; ahead > maxSkew || ahead < -maxSkew {
		message.Notes = append(message.Notes, note.ClockDiffers(s.Name, ahead.Round(time.Second).String()))
	}
	defer m.sending.Wait()
	err = sendPacked(ctx, m.conn, packed{Type: typeJob}, func(w io.Writer) error { return json.NewEncoder(w).Encode(message) })
	if err != nil {
		return nil, s.lost(err)
	}
	fault, err := m.follow(ctx)
	switch {
	case ctx.Err() != nil:
		return m.latest, ctx.Err()
	case err == nil && m.final:
		return m.latest, nil
	case err == nil:
		err = s.said(fault)
	}
	if m.latest == nil {
		return nil, err
	}
	m.latest.Notes = append(m.latest.Notes, note.EndedEarly(err.Error()))
	m.latest.Partial = true
	return m.latest, nil
}
