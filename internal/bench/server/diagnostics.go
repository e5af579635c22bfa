package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
)

const (
	shownBar     = 100 * time.Millisecond
	loads        = 20
	measurements = 5
)

// diagnostics times how soon a result with thousands of functions is visible.
func (b *bench) diagnostics(ctx context.Context) (*harness.Table, error) {
	functions := b.middle.components()
	t := &harness.Table{
		Title: fmt.Sprintf("Diagnostics of %d functions in %d files", functions, len(b.middle.files)),
		About: "Until the last of them was read. After a measurement of one round: from the end of its progress. " +
			"After a load: from before the command is written; the record is in the file cache. " +
			"That has no bar: there is no result before the record is read, which takes the bench itself as long as the last row says. Milliseconds.",
		Header: []string{"after", "diagnostics", "times", "median", "p99", "longest"},
	}
	o, err := starter(b.spell).open(ctx, session{folders: []string{b.middle.dir}, watch: true})
	if err != nil {
		return nil, err
	}
	defer o.quit(ctx)
	name, err := b.middle.save()
	if err != nil {
		return nil, err
	}
	row := func(what string, times []time.Duration, shown int) {
		t.Row(append([]string{what, fmt.Sprint(shown)}, spread(times)...)...)
		t.Must(what+", diagnostics", fmt.Sprint(shown), fmt.Sprint(functions), shown == functions)
	}
	harness.Progress("diagnostics: measurements")
	times, shown, again, err := o.timeDiagnostics(ctx, measurements, func() (time.Time, error) { return o.measureToEnd(ctx, b.middle.dir) })
	if err != nil {
		return nil, err
	}
	row("measurement", times, shown)
	t.AtMost("measurement, p99, ms", "%.1f", inMS(p99(times)), inMS(shownBar))
	harness.Progress("diagnostics: loads")
	times, shown, more, err := o.timeDiagnostics(ctx, loads, func() (time.Time, error) {
		begun := time.Now()
		return begun, o.load(ctx, name)
	})
	if err != nil {
		return nil, err
	}
	row("load", times, shown)
	t.Notes = append(t.Notes, disturbed("results", again+more))
	reading, err := timeReading(name)
	if err != nil {
		return nil, err
	}
	t.Row(append([]string{"reading alone", ""}, spread(reading)...)...)
	return t, nil
}

// timeReading times reading and ranking a record, as often as it is loaded.
func timeReading(name string) ([]time.Duration, error) {
	var times []time.Duration
	for range loads {
		begun := time.Now()
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading a record: %w", err)
		}
		run, err := recordjson.Read(f)
		f.Close()
		if err != nil {
			return nil, err
		}
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
		times = append(times, time.Since(begun))
	}
	return times, nil
}

// A watcher records published diagnostics.
type watcher struct {
	mu        sync.Mutex
	published []notification
	timed     span // begins at the end of a measurement's progress, if there is one
}

func (w *watcher) hear(n notification) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case n.Method == "textDocument/publishDiagnostics":
		w.published = append(w.published, n)
	case stepOf(n).Kind == "end":
		w.timed = begin()
	}
}

// timeDiagnostics shows a result the given number of times. It returns the times until
// the last diagnostic had arrived, the smallest number of diagnostics, and the number
// of repetitions that leastStolen discarded.
func (o *connection) timeDiagnostics(ctx context.Context, times int, show func() (time.Time, error)) (took []time.Duration, fewest, again int, err error) {
	fewest = math.MaxInt
	for range times {
		made, n, err := leastStolen(func() (time.Duration, float64, error) {
			made, shown, part, err := o.timeOnce(ctx, show)
			fewest = min(fewest, shown)
			return made, part, err
		})
		if err != nil {
			return nil, 0, 0, err
		}
		took, again = append(took, made), again+n
	}
	return took, fewest, again, nil
}

// timeOnce shows a result once; part is the steal time until the answer, which comes
// after the diagnostics, as a fraction of one processor's time.
func (o *connection) timeOnce(ctx context.Context, show func() (time.Time, error)) (took time.Duration, shown int, part float64, err error) {
	if err := o.execute(ctx, "spell-lsp.clear", map[string]any{}); err != nil {
		return 0, 0, 0, err
	}
	w := watcher{timed: begin()}
	o.hear(w.hear)
	from, err := show()
	part = w.part()
	if err == nil {
		err = pause(ctx, time.Second) // late diagnostics may follow
	}
	o.hear(nil)
	if err != nil {
		return 0, 0, 0, err
	}
	last, shown, err := w.last()
	return last.Sub(from), shown, part, err
}

// part is the steal time of the timed span, as a fraction of one processor's time.
func (w *watcher) part() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.timed.part()
}

// last is the time of the last diagnostics, and the number that is shown then.
func (w *watcher) last() (at time.Time, shown int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	files := map[string]int{}
	for _, n := range w.published {
		var params struct {
			URI         string
			Diagnostics []json.RawMessage
		}
		if err := json.Unmarshal(n.Params, &params); err != nil {
			return at, 0, fmt.Errorf("reading diagnostics: %w", err)
		}
		at, files[params.URI] = n.At, len(params.Diagnostics)
	}
	for _, n := range files {
		shown += n
	}
	return at, shown, nil
}

// measureToEnd measures a folder for one round and returns when its progress
// ended.
func (o *connection) measureToEnd(ctx context.Context, dir string) (time.Time, error) {
	ended := make(chan time.Time, 1)
	o.mu.Lock()
	heard := o.heard
	o.heard = func(n notification) {
		heard(n)
		if stepOf(n).Kind == "end" {
			ended <- n.At
		}
	}
	o.mu.Unlock()
	made, err := o.measure(dir, 1)
	if err != nil {
		return time.Time{}, err
	}
	a, err := made.wait(ctx)
	if err == nil {
		err = a.failure("measuring")
	}
	if err != nil {
		return time.Time{}, err
	}
	return <-ended, nil // the end of the progress precedes the answer
}
