package remote

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/runner"
	"spell-lsp/runner/content"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// keptContent is how much content of earlier measurements stays, in bytes.
const keptContent = 4 << 30

// A Machine is one that measures.
type Machine struct {
	Cache string // a folder of this user, for what later measurements can use again
	Turn  string // the name by which measurements wait for each other; "" is that of all on this machine
}

// Serve carries out one measurement that the other side of the connection asks for. Its error is one of the
// connection: those of the measurement are sent.
func Serve(ctx context.Context, conn *frame.Conn, on Machine) error {
	life, over := context.WithCancel(ctx)
	defer over()
	work, stop := context.WithCancelCause(life)
	a := &agent{
		conn: conn, on: on, life: life, stop: stop, content: make(map[frame.Hash]*incoming),
		hellos: make(chan hello, 1), jobs: make(chan job, 1), answers: make(chan programs, 1), gots: make(chan got, 1),
	}
	go func() { stop(a.receive(life)) }()
	err := a.serve(work)
	if cause := context.Cause(work); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
	if lost := conn.Err(); lost != nil {
		return lost
	}
	bounded, done := a.sending(work)
	defer done()
	return conn.Send(bounded, end{Type: typeEnd, Fault: faultOf(err)})
}

// sending is the context of what is sent last: also a measurement that was cancelled sends it, but not for long.
func (a *agent) sending(work context.Context) (context.Context, context.CancelFunc) {
	if work.Err() == nil {
		return a.life, func() {}
	}
	return context.WithTimeout(a.life, endPatience)
}

// An agent is one call of Serve.
type agent struct {
	conn *frame.Conn
	on   Machine
	life context.Context // of the connection
	stop context.CancelCauseFunc

	hellos  chan hello
	jobs    chan job
	answers chan programs
	gots    chan got
	packed  *unpacking // the job, while it is being received

	mu      sync.Mutex
	content map[frame.Hash]*incoming // what was asked for

	workplace
	printed *printed // nil if nobody wants what programs print
}

// receive gives what comes to whoever waits for it, until the connection ends or what comes is not understood.
func (a *agent) receive(ctx context.Context) error {
	for {
		f, err := a.conn.Receive(ctx)
		if err == nil {
			err = a.handle(f)
		}
		if err != nil {
			return err
		}
	}
}

func (a *agent) handle(f frame.Frame) error {
	switch f.Type {
	case typeHello:
		return pass(f, a.hellos)
	case typeJob:
		announced, err := read[packed](f)
		if err == nil && a.packed != nil {
			return unexpected(f)
		}
		a.packed = &unpacking{packed: announced}
		return err
	case typePrograms:
		return pass(f, a.answers)
	case typeGot:
		return pass(f, a.gots)
	case typeCancel:
		a.stop(context.Canceled)
		return nil
	case "":
		if a.packed != nil && hex.EncodeToString(f.Chunk.Hash[:]) == a.packed.Hash {
			return a.receiveJob(f.Chunk)
		}
		return a.receiveContent(f.Chunk)
	}
	return unexpected(f)
}

// receiveJob takes a piece of the job.
func (a *agent) receiveJob(c *frame.Chunk) error {
	text, err := a.packed.take(c)
	if err != nil || text == nil {
		return err
	}
	var j job
	if err := json.NewDecoder(text).Decode(&j); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	select {
	case a.jobs <- j:
		return nil
	default:
		return errors.New("a second job came")
	}
}

// pass gives a message to a channel. A message that nobody waits for is a fault of the other side.
func pass[T any](f frame.Frame, to chan T) error {
	m, err := read[T](f)
	if err != nil {
		return err
	}
	select {
	case to <- m:
		return nil
	default:
		return unexpected(f)
	}
}

// await waits for a message.
func await[T any](ctx context.Context, from chan T) (m T, err error) {
	select {
	case m = <-from:
		return m, nil
	case <-ctx.Done():
		return m, ctx.Err()
	}
}

func (a *agent) serve(ctx context.Context) error {
	h, err := await(ctx, a.hellos)
	if err != nil {
		return err
	}
	if err := a.introduce(ctx, h, time.Since(h.Now)); err != nil {
		return err
	}
	if a.job, err = await(ctx, a.jobs); err != nil {
		return err
	}
	kept := filepath.Join(a.on.Cache, "content")
	if err := a.open(ctx, kept); err != nil {
		return err
	}
	defer func() {
		a.close()
		content.Trim(kept, keptContent) //nolint:errcheck // the next measurement tries again
	}()
	if err := a.lay(ctx); err != nil {
		return err
	}
	turn, err := waitForTurn(ctx, a.turnName(), func(who string) error { return a.conn.Send(ctx, busy{Type: typeBusy, Who: who}) })
	if err != nil {
		return err
	}
	defer turn.end()
	return a.measure(ctx)
}

func (a *agent) turnName() string { return cmp.Or(a.on.Turn, turnName) }

// introduce says what this machine can do. It tries the meter that was named, so that nothing is built for one that
// does not work, but not while somebody measures: that keeps processors busy.
func (a *agent) introduce(ctx context.Context, h hello, ahead time.Duration) error {
	if turn, err := takeTurn(ctx, a.turnName()); err == nil {
		m, err := execution.OpenMeter(h.Meter, h.Meters)
		turn.end()
		if err != nil {
			return err
		}
		m.Close()
	}
	r := ready{Type: typeReady, Ahead: ahead}
	if err := runner.TrySampling(); err != nil {
		r.Unsampled, r.Forbidden = err.Error(), errors.Is(err, fs.ErrPermission)
	}
	return a.conn.Send(ctx, r)
}

// lay gets what is missing, and lays out the files.
func (a *agent) lay(ctx context.Context) error {
	if a.job.Task == nil {
		return errors.New("the job has no task: the two sides are of different versions")
	}
	var hashes []string
	sizes := make(map[string]int64)
	for _, f := range a.job.Folders {
		for _, e := range f.Tree.Entries {
			if e.Kind == content.File {
				sizes[e.Hash] = e.Size
			}
		}
		hashes = append(hashes, f.Tree.Hashes()...)
	}
	for _, p := range a.job.Programs {
		hashes, sizes[p.Hash] = append(hashes, p.Hash), p.Size
	}
	if err := a.get(ctx, hashes, sizes); err != nil {
		return err
	}
	return a.layTree()
}

// get has content sent that this machine lacks.
func (a *agent) get(ctx context.Context, hashes []string, sizes map[string]int64) error {
	missing := a.store.Missing(hashes)
	if len(missing) == 0 {
		return nil
	}
	var bytes int64
	waiting := make([]*incoming, 0, len(missing))
	for _, text := range missing {
		hash, err := hashOf(text)
		if err != nil {
			return err
		}
		in := newIncoming(a.store, text, sizes[text])
		waiting, bytes = append(waiting, in), bytes+sizes[text]
		a.mu.Lock()
		a.content[hash] = in
		a.mu.Unlock()
	}
	a.tell(ctx, fmt.Sprintf("receiving %d files, %.1f MB", len(missing), float64(bytes)/1e6))
	if err := a.conn.Send(ctx, need{Type: typeNeed, Hashes: missing}); err != nil {
		return err
	}
	defer func() {
		for _, in := range waiting {
			in.end()
		}
	}()
	for _, in := range waiting {
		if err := in.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// receiveContent takes a piece of content that was asked for.
func (a *agent) receiveContent(c *frame.Chunk) error {
	a.mu.Lock()
	in := a.content[c.Hash]
	if c.End || c.Abandoned != "" {
		delete(a.content, c.Hash)
	}
	a.mu.Unlock()
	if in == nil {
		return fmt.Errorf("content %s came that was not asked for", hex.EncodeToString(c.Hash[:]))
	}
	in.take(c)
	return nil
}

func (a *agent) tell(ctx context.Context, doing string) {
	a.progress(ctx, runner.Step{Doing: doing, Fraction: -1})
}

func (a *agent) progress(ctx context.Context, s runner.Step) {
	a.conn.Send(ctx, step{Type: typeStep, Step: s}) //nolint:errcheck // the measurement ends when the connection has
}

// measure measures, and sends the run after each round.
func (a *agent) measure(ctx context.Context) error {
	params := &a.job.Task.Params
	params.Progress = func(s runner.Step) {
		if s.Live == nil { // no program runs now
			a.between(ctx, a.sendPrinted)
		}
		a.progress(ctx, s)
	}
	params.Others = sampler.Others
	if a.job.Prints {
		a.printed = newPrinted()
		params.Stdout, params.Stderr = stream{of: a.printed}, stream{of: a.printed, error: true}
	}
	r, err := a.job.Task.Measure(ctx, a.base, a, func(r *record.Run) {
		a.between(ctx, a.sendPrinted)
		a.between(ctx, func(ctx context.Context) error { return a.sendRun(ctx, r, false) })
	})
	bounded, done := a.sending(ctx)
	defer done()
	if lost := a.sendPrinted(bounded); r == nil || lost != nil {
		return errors.Join(err, lost)
	}
	return errors.Join(err, a.sendRun(bounded, r, err == nil))
}

// between sends something between rounds. Who cancels then waits for it: it is not cut off.
func (a *agent) between(ctx context.Context, send func(context.Context) error) {
	bounded, done := a.sending(ctx)
	defer done()
	if err := send(bounded); err != nil {
		a.stop(err)
	}
}

// sendRun sends a run record.
func (a *agent) sendRun(ctx context.Context, r *record.Run, final bool) error {
	return a.deliver(ctx, packed{Type: typeRun, Final: final}, func(w io.Writer) error { return recordjson.Write(w, r) })
}

// deliver sends what is packed, and waits until it has arrived: what is on the wire while the next round runs would be
// measured with it.
func (a *agent) deliver(ctx context.Context, m packed, write func(io.Writer) error) error {
	if err := sendPacked(ctx, a.conn, m, write); err != nil {
		return err
	}
	_, err := await(ctx, a.gots)
	return err
}

// Compile hands out the programs that came with the job.
func (a *agent) Compile(context.Context) ([]execution.Program, []note.Note, error) {
	built, err := a.executable("main", a.job.Programs)
	return built, a.job.Notes, err
}

// Plain is as of [runner.Supply].
func (a *agent) Plain(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, error) {
	built, _, err := a.want(ctx, kindPlain, pkgs)
	return built, err
}

// Counting is as of [runner.Supply].
func (a *agent) Counting(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, string, error) {
	return a.want(ctx, kindCounting, pkgs)
}

// want has programs built by the other side.
func (a *agent) want(ctx context.Context, kind string, pkgs []instrument.Package) ([]execution.Program, string, error) {
	w := want{Type: typeWant, Kind: kind}
	for _, p := range pkgs {
		w.Packages = append(w.Packages, p.Path)
	}
	if err := a.conn.Send(ctx, w); err != nil {
		return nil, "", err
	}
	answer, err := await(ctx, a.answers)
	if err != nil {
		return nil, "", err
	}
	if answer.Error != "" {
		return nil, answer.Said, errors.New(answer.Error)
	}
	var hashes []string
	sizes := make(map[string]int64)
	for _, p := range answer.Programs {
		hashes, sizes[p.Hash] = append(hashes, p.Hash), p.Size
	}
	if err := a.get(ctx, hashes, sizes); err != nil {
		return nil, answer.Said, err
	}
	built, err := a.executable(kind, answer.Programs)
	return built, answer.Said, err
}
