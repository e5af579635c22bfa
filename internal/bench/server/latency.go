package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spell-lsp/internal/bench/harness"
)

const (
	latencyBar = 10 * time.Millisecond
	passes     = 5
	// openFiles is how many files the editor has open, each of a different package, and
	// each together with its package's tests.
	openFiles = 8
	// The pauses between an answer and the next request are shorter than any user's, and
	// keep requests from coinciding.
	pauseBetween = 5 * time.Millisecond
	typingPause  = 20 * time.Millisecond
)

// A state is the activity during which requests are timed.
type state struct {
	name              string
	typing, measuring bool
}

var states = []state{
	{name: "idle"},
	{name: "typing", typing: true},
	{name: "measuring", measuring: true},
	{name: "typing, measuring", typing: true, measuring: true},
}

// A request is a kind of request that is timed.
type request struct {
	name string
	// ask makes the request for a function of a document and waits for all answers.
	// seen is the number of visible items. since is the start of the timed interval;
	// zero means before the typing.
	ask func(ctx context.Context, d *document, function int) (seen int, since time.Time, err error)
}

var (
	hoverRequest = request{"hover", func(ctx context.Context, d *document, function int) (int, time.Time, error) {
		return 1, time.Time{}, d.hover(ctx, function)
	}}
	lensRequest = request{"code lens", func(ctx context.Context, d *document, _ int) (int, time.Time, error) {
		lenses, err := d.editor.lenses(ctx, d.path)
		return len(lenses), time.Time{}, err
	}}
	resolveRequest = request{"code lens, the visible resolved", func(ctx context.Context, d *document, function int) (int, time.Time, error) {
		lenses, err := d.editor.lenses(ctx, d.path)
		if err != nil {
			return 0, time.Time{}, err
		}
		from := min(function, max(0, len(lenses)-visible))
		seen := lenses[from:min(from+visible, len(lenses))]
		since := time.Now()
		return len(seen), since, d.editor.resolve(ctx, seen)
	}}
	testLensRequest = request{"code lens of the tests", func(ctx context.Context, d *document, _ int) (int, time.Time, error) {
		lenses, err := d.editor.lenses(ctx, d.test.path)
		return len(lenses), time.Time{}, err
	}}
	actionRequest = request{"code action", func(ctx context.Context, d *document, function int) (int, time.Time, error) {
		seen, err := d.codeActions(ctx, function)
		return seen, time.Time{}, err
	}}
)

// latency times requests with results of all functions of the large module.
func (b *bench) latency(ctx context.Context) (*harness.Table, error) {
	t := &harness.Table{
		Title: fmt.Sprintf("Answers: %d components in %d lines", b.large.components(), b.large.lines),
		About: fmt.Sprintf("From before a request is written to after its answer was read, in an editor with %d files and their tests open, functions by chance, %v apart; milliseconds. "+
			"The visible are the %d lenses in sight, which come without commands: those are asked for all at once, and all of them make one time. "+
			"Typing: a character is typed into the file just before each request, and counts; each fourth breaks the syntax until the next takes it back; then %v of rest. "+
			"Measuring: the same server measures another folder, examples/parking, round after round. "+
			"Echo is cat, asked in turn with the server: the machine's part. All kinds are asked for in turn in %d passes; the bar is for the median of the passes' 99th percentiles. "+
			"gopls is asked the same of the same files; it has lenses above tests only, and knows nothing of energy.", openFiles, pauseBetween, visible, typingPause, passes),
		Header: []string{"server, state, request", "seen", "requests", "median", "p99, median of passes", "p99 of all", "longest", "echo, p99"},
	}
	if err := b.ownLatency(ctx, t); err != nil {
		return nil, err
	}
	if b.gopls == "" {
		return t, nil
	}
	return t, b.peerLatency(ctx, t)
}

func (b *bench) ownLatency(ctx context.Context, t *harness.Table) error {
	parking, err := b.parking()
	if err != nil {
		return err
	}
	o, err := starter(b.spell).open(ctx, session{folders: []string{b.large.dir, parking}, watch: true})
	if err != nil {
		return err
	}
	defer o.quit(ctx)
	name, err := b.large.save()
	if err != nil {
		return err
	}
	harness.Progress("latency: loading %d components", b.large.components())
	if err := o.load(ctx, name); err != nil {
		return err
	}
	requests := []request{hoverRequest, lensRequest, resolveRequest, testLensRequest}
	if o.actions {
		requests = append(requests, actionRequest)
	} else {
		t.Missed("spell-lsp offers no code actions")
	}
	return b.timeRequests(ctx, t, "spell-lsp", o, states, requests, parking)
}

func (b *bench) peerLatency(ctx context.Context, t *harness.Table) error {
	o, err := starter(b.peer).open(ctx, session{folders: []string{b.large.dir}, watch: true})
	if err != nil {
		return err
	}
	defer o.quit(ctx)
	return b.timeRequests(ctx, t, "gopls", o, states[:2], []request{hoverRequest, testLensRequest, actionRequest}, "")
}

// timeRequests adds the rows of a server. Only the times of spell-lsp have a
// bar.
func (b *bench) timeRequests(ctx context.Context, t *harness.Table, server string, o *connection, states []state, requests []request, parking string) error {
	var documents []*document
	for i := range openFiles {
		d, err := o.openFile(b.large.files[i*len(b.large.files)/openFiles])
		if err != nil {
			return err
		}
		if err := d.hover(ctx, 0); err != nil { // gopls loads the workspace first
			return err
		}
		documents = append(documents, d)
	}
	thrown := 0
	for _, st := range states {
		end := func() (bool, error) { return true, nil }
		if st.measuring {
			var err error
			if end, err = o.measuring(ctx, parking); err != nil {
				return err
			}
		}
		timed, err := b.timeState(ctx, documents, st, requests)
		if err != nil {
			return err
		}
		for i, r := range requests {
			what := fmt.Sprintf("%s, %s, %s", server, st.name, r.name)
			timed[i].row(t, what)
			thrown += timed[i].again
			if o.cmd.Path == b.server {
				t.AtMost(what+", p99, median of passes, ms", "%.2f", inMS(timed[i].usual()), inMS(latencyBar))
			}
		}
		if running, err := end(); err != nil {
			return err
		} else if !running {
			t.Missed(st.name + ": the measurement ended before the last request")
		}
	}
	t.Notes = append(t.Notes, server+": "+disturbed("passes", thrown))
	return nil
}

// A timing is how long requests of a kind took in a state, pass by pass.
type timing struct {
	seen          int // largest number of visible items
	times, echoes [][]time.Duration
	again         int // number of discarded passes
}

type onePass struct {
	seen          int
	times, echoes []time.Duration
}

func (g *timing) add(p onePass, again int) {
	g.seen, g.again = max(g.seen, p.seen), g.again+again
	g.times, g.echoes = append(g.times, p.times), append(g.echoes, p.echoes)
}

// usual is the median of the passes' 99th percentiles, because a machine that stalls for a
// moment disturbs only one or two of the passes.
func (g *timing) usual() time.Duration {
	var p []time.Duration
	for _, times := range g.times {
		p = append(p, p99(times))
	}
	return harness.Median(p)
}

func (g *timing) row(t *harness.Table, what string) {
	all := slices.Concat(g.times...)
	columns := slices.Insert(spread(all), 2, ms(g.usual()))
	t.Row(slices.Concat([]string{what, fmt.Sprint(g.seen)}, columns, []string{ms(p99(slices.Concat(g.echoes...)))})...)
}

// timeState times requests in several passes through all of them.
func (b *bench) timeState(ctx context.Context, documents []*document, st state, requests []request) ([]timing, error) {
	timed := make([]timing, len(requests))
	for pass := range passes {
		for i, r := range requests {
			harness.Progress("latency: %s, %s, %d of %d", st.name, r.name, pass+1, passes)
			made, again, err := leastStolen(func() (onePass, float64, error) {
				whole := begin()
				made, err := b.timeRequest(ctx, documents, st, r, pass)
				return made, whole.part(), err
			})
			if err != nil {
				return nil, err
			}
			timed[i].add(made, again)
		}
	}
	return timed, nil
}

// timeRequest alternates a request with an echo. The functions are chosen at random,
// with the same seed each time the bench runs.
func (b *bench) timeRequest(ctx context.Context, documents []*document, st state, r request, pass int) (made onePass, err error) {
	cat, err := startEcho(ctx)
	if err != nil {
		return made, err
	}
	defer cat.stop()
	rng := rand.New(rand.NewPCG(1, uint64(pass)))
	for i := range b.samples {
		d := documents[i/2%len(documents)] // two requests each: the second deletes what the first typed
		function := rng.IntN(len(d.functions))
		begun := time.Now()
		if st.typing {
			if err := d.edit(function); err != nil {
				return made, err
			}
		}
		n, since, err := r.ask(ctx, d, function)
		if err != nil {
			return made, err
		}
		if since.IsZero() {
			since = begun
		}
		made.times, made.seen = append(made.times, time.Since(since)), max(made.seen, n)
		if st.typing {
			time.Sleep(typingPause)
		} else {
			time.Sleep(pauseBetween)
		}
		took, err := cat.time()
		if err != nil {
			return made, err
		}
		made.echoes = append(made.echoes, took)
	}
	for _, d := range documents {
		if d.pending {
			err = errors.Join(err, d.edit(0))
		}
	}
	return made, err
}

// parking copies the example to a folder of its own.
func (b *bench) parking() (string, error) {
	dir, err := b.folder("parking")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("examples", "parking"))); err != nil {
		return "", fmt.Errorf("copying the example (the bench runs at the top of the module): %w", err)
	}
	return dir, nil
}

// lastingRounds is more rounds than a measurement can finish while it is needed.
const lastingRounds = 1000

// measuring starts a long measurement of a folder, and returns when the first round
// runs. The returned function cancels the measurement, waits for its end, and reports
// whether it was still running.
func (o *connection) measuring(ctx context.Context, dir string) (end func() (bool, error), err error) {
	rounds := make(chan struct{})
	o.hear(untilRound(func() { close(rounds) }))
	made, err := o.measure(dir, lastingRounds)
	if err != nil {
		return nil, err
	}
	select {
	case <-rounds:
	case a := <-made.answer:
		return nil, errors.Join(fmt.Errorf("the measurement of %d rounds ended at once: %s", lastingRounds, a.result), a.failure(made.method))
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(answerTimeout):
		return nil, fmt.Errorf("no round of the measurement began within %v", answerTimeout)
	}
	return func() (bool, error) {
		if err := o.notify("$/cancelRequest", map[string]any{"id": made.id}); err != nil {
			return false, err
		}
		a, err := made.wait(ctx)
		return err == nil && a.err != nil, err
	}, nil
}
