package remote

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/runner"
	"spell-lsp/runner/content"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/runner/sampler"
	"spell-lsp/runner/scratch"
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
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	a := &agent{conn: conn, on: on, stop: stop, content: make(map[frame.Hash]*incoming), answers: make(chan programs, 1), jobs: make(chan job, 1), hellos: make(chan hello, 1)}
	received := make(chan error, 1)
	go func() {
		received <- a.receive(ctx)
		stop()
	}()
	err := a.serve(ctx)
	if lost := conn.Err(); lost != nil {
		return lost
	}
	// The context may have ended by a cancel: the last message is sent all the same.
	bounded, cancelled := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancelled()
	return conn.Send(bounded, end{Type: typeEnd, Fault: runner.FaultOf(err)})
}

// An agent is one call of Serve.
type agent struct {
	conn *frame.Conn
	on   Machine
	stop context.CancelFunc

	hellos  chan hello
	jobs    chan job
	answers chan programs

	mu      sync.Mutex
	content map[frame.Hash]*incoming // what was asked for

	store   *content.Store
	base    string // of the tree
	scratch string
	job     job
}

// receive gives what comes to whoever waits for it, until the connection ends.
func (a *agent) receive(ctx context.Context) error {
	for {
		f, err := a.conn.Receive(ctx)
		if err != nil {
			return err
		}
		switch f.Type {
		case typeHello:
			err = pass(f, a.hellos)
		case typeJob:
			err = pass(f, a.jobs)
		case typePrograms:
			err = pass(f, a.answers)
		case typeCancel:
			a.stop()
		case "":
			err = a.receiveContent(f.Chunk)
		default:
			err = unexpected(f)
		}
		if err != nil {
			a.conn.Close()
			return err
		}
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
	turn, err := waitForTurn(ctx, cmp.Or(a.on.Turn, turnName), func(who string) error { return a.conn.Send(ctx, busy{Type: typeBusy, Who: who}) })
	if err != nil {
		return err
	}
	defer turn.end()
	if err := a.introduce(ctx, h); err != nil {
		return err
	}
	if a.job, err = await(ctx, a.jobs); err != nil {
		return err
	}
	folder, err := scratch.New()
	if err != nil {
		return err
	}
	defer folder.Remove()
	a.scratch = folder.Dir
	kept := filepath.Join(a.on.Cache, "content")
	if a.store, err = content.OpenStore(ctx, kept); err != nil {
		return err
	}
	defer func() {
		a.store.Close()
		content.Trim(kept, keptContent) //nolint:errcheck // the next measurement tries again
	}()
	if err := a.lay(ctx); err != nil {
		return err
	}
	return a.measure(ctx)
}

// introduce checks the meter that was named, and says what this machine can do.
func (a *agent) introduce(ctx context.Context, h hello) error {
	m, err := execution.OpenMeter(h.Meter, h.Meters)
	if err != nil {
		return err
	}
	m.Close()
	r := ready{Type: typeReady, Ahead: time.Since(h.Now)}
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
	var err error
	if a.base, err = scratch.Sub(a.scratch, "tree"); err != nil {
		return err
	}
	for _, f := range a.job.Folders {
		if !filepath.IsLocal(filepath.FromSlash(f.Dir)) {
			return fmt.Errorf("the job names the folder %q, which is outside of its files", f.Dir)
		}
		dir := filepath.Join(a.base, filepath.FromSlash(f.Dir))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := a.store.Lay(f.Tree, dir); err != nil {
			return err
		}
	}
	return nil
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
	a.job.Task.Params.Progress = func(s runner.Step) { a.progress(ctx, s) }
	a.job.Task.Params.Others = sampler.Others
	kept := func(r *record.Run) {
		if err := a.sendRun(ctx, r); err != nil {
			a.stop()
		}
	}
	run, err := a.job.Task.Measure(ctx, a.base, a, kept)
	if run == nil {
		return err
	}
	bounded, cancelled := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancelled()
	return errors.Join(err, a.sendRun(bounded, run))
}

// sendRun sends a run record.
func (a *agent) sendRun(ctx context.Context, r *record.Run) error {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := errors.Join(recordjson.Write(w, r), w.Close()); err != nil {
		return fmt.Errorf("packing the run: %w", err)
	}
	hash := frame.Hash(sha256.Sum256(packed.Bytes()))
	if err := a.conn.Send(ctx, run{Type: typeRun, Hash: hex.EncodeToString(hash[:])}); err != nil {
		return err
	}
	_, err := a.conn.SendBlob(ctx, hash, &packed)
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

// executable lays programs out in a folder of their own.
func (a *agent) executable(kind string, list []program) (built []execution.Program, err error) {
	dir, err := scratch.Sub(a.scratch, kind)
	if err != nil {
		return nil, err
	}
	for i, p := range list {
		at := slices.IndexFunc(a.job.Task.Build.Tests, func(q instrument.Package) bool { return q.Path == p.Path })
		if at < 0 {
			return nil, fmt.Errorf("the job has a program of %s, which is none of its packages", p.Path)
		}
		own, err := scratch.Sub(dir, fmt.Sprint(i))
		if err != nil {
			return nil, err
		}
		file, err := a.store.Executable(p.Hash, execution.ProgramName(p.Path), own)
		if err != nil {
			return nil, err
		}
		pkg := a.job.Task.Build.Tests[at]
		pkg.Dir = filepath.Join(a.base, filepath.FromSlash(pkg.Dir))
		built = append(built, execution.Built(pkg, file))
	}
	return built, nil
}
