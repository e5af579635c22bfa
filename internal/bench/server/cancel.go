package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spell-lsp/internal/bench/harness"
)

const (
	cancelRounds = 2
	answerBar    = 100 * time.Millisecond
	goneBar      = 2 * time.Second
)

// A cancelMethod is a way to end a measurement before its time.
type cancelMethod struct {
	name    string
	answers bool // the server answers the measurement request
	stays   bool // the server keeps running
	end     func(ctx context.Context, m *runningMeasurement) (time.Duration, error)
}

var cancelMethods = []cancelMethod{
	{"$/cancelRequest", true, true, func(ctx context.Context, m *runningMeasurement) (time.Duration, error) {
		return m.answered(ctx, time.Now(), m.client.notify("$/cancelRequest", map[string]any{"id": m.call.id}))
	}},
	{"cancel of the progress", true, true, func(ctx context.Context, m *runningMeasurement) (time.Duration, error) {
		return m.answered(ctx, time.Now(), m.client.notify("window/workDoneProgress/cancel", map[string]any{"token": progressToken}))
	}},
	{"end of standard input", false, false, func(_ context.Context, m *runningMeasurement) (time.Duration, error) {
		return 0, m.client.in.Close()
	}},
	{"shutdown and exit", true, false, shutDown},
	{"kill -9 of the editor", false, false, func(_ context.Context, m *runningMeasurement) (time.Duration, error) {
		return 0, m.editor.kill()
	}},
}

// shutDown sends shutdown, and sends exit once shutdown and the measurement are
// answered.
func shutDown(ctx context.Context, m *runningMeasurement) (time.Duration, error) {
	begun := time.Now()
	made, err := m.client.call("shutdown", nil)
	if err != nil {
		return 0, err
	}
	took, err := m.answered(ctx, begun, nil)
	if err != nil {
		return 0, err
	}
	a, err := made.wait(ctx)
	if err != nil {
		return 0, err
	}
	return max(took, a.at.Sub(begun)), m.client.notify("exit", nil)
}

// A cancelResult describes a measurement that was ended before its time.
type cancelResult struct {
	phase     string // of the measurement when it was ended
	processes int    // number of its processes
	answer    time.Duration
	echo      time.Duration // round trip of the echo process, just before
	gone      time.Duration
	left      []string // processes and files that remained after goneBar
}

// cancel ends measurements by all methods, at moments that are spread evenly and at random
// over their length.
func (b *bench) cancel(ctx context.Context) (*harness.Table, error) {
	dir, err := b.parking()
	if err != nil {
		return nil, err
	}
	length, err := b.length(ctx, dir)
	if err != nil {
		return nil, err
	}
	t := &harness.Table{
		Title: "Ended measurements: what is left, and when the answer comes",
		About: fmt.Sprintf("Measurements of examples/parking that would take %.1f s (building, a warm-up and %d rounds), in a copy whose text is new each time, "+
			"so that it is built; each with a server and a temporary folder of its own. They are ended at moments spread by chance over that time. "+
			"Gone is when no process of them lives any more, but a server that is to stay, and the temporary folder is empty. Echo is cat, asked just before: the machine's part. Milliseconds.", length.Seconds(), cancelRounds),
		Header: []string{"ended by", "left nothing", "gone, median", "gone, longest", "answer, p99", "answer, longest", "echo, longest", "most processes"},
	}
	cat, err := startEcho(ctx)
	if err != nil {
		return nil, err
	}
	defer cat.stop()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	phases := map[string]int{}
	for _, w := range cancelMethods {
		var all []cancelResult
		for i := range b.cancels {
			if i%10 == 0 {
				harness.Progress("cancel: %s, %d of %d", w.name, i, b.cancels)
			}
			e, err := b.endOnce(ctx, cat, dir, w, func() time.Duration {
				return time.Duration((float64(i) + rng.Float64()) / float64(b.cancels) * float64(length))
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			phases[e.phase]++
			all = append(all, e)
		}
		w.row(t, all)
	}
	var told []string
	for _, phase := range slices.Sorted(maps.Keys(phases)) {
		told = append(told, fmt.Sprintf("%s %d", phase, phases[phase]))
	}
	t.Notes = append(t.Notes, "They were ended while: "+strings.Join(told, ", ")+".")
	return t, nil
}

// row adds the row of a method, its checks, and notes about remaining processes and
// files.
func (w *cancelMethod) row(t *harness.Table, all []cancelResult) {
	var gone, answers, echoes []time.Duration
	nothing, most := 0, 0
	for i, e := range all {
		gone, answers, echoes = append(gone, e.gone), append(answers, e.answer), append(echoes, e.echo)
		most = max(most, e.processes)
		if len(e.left) == 0 {
			nothing++
			continue
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s, number %d, in %q, left after %v: %s", w.name, i+1, e.phase, goneBar, strings.Join(e.left, "; ")))
	}
	all99, longest := "-", "-"
	if w.answers {
		all99, longest = ms(p99(answers)), ms(harness.Quantile(answers, 1))
	}
	t.Row(w.name, fmt.Sprintf("%d of %d", nothing, len(all)), ms(harness.Median(gone)), ms(harness.Quantile(gone, 1)), all99, longest, ms(harness.Quantile(echoes, 1)), fmt.Sprint(most))
	t.Must(w.name+", nothing left after "+goneBar.String(), fmt.Sprint(nothing), fmt.Sprint(len(all)), nothing == len(all))
	t.Must(w.name+", processes of a measurement were seen", fmt.Sprint(most), "3 or more", most >= 3)
	if w.answers {
		t.AtMost(w.name+", longest answer, ms", "%.1f", inMS(harness.Quantile(answers, 1)), inMS(answerBar))
	}
}

// length is how long a whole measurement of the folder takes: the shorter of two, as
// the first may build the standard library.
func (b *bench) length(ctx context.Context, dir string) (time.Duration, error) {
	harness.Progress("cancel: how long a measurement takes")
	var shortest time.Duration
	for range 2 {
		m, err := b.begin(ctx, dir, false)
		if err != nil {
			return 0, err
		}
		a, err := m.call.wait(ctx)
		m.client.quit(ctx)
		if err == nil {
			err = a.failure("measuring")
		}
		if err != nil {
			return 0, err
		}
		if took := a.at.Sub(m.call.sent); shortest == 0 || took < shortest {
			shortest = took
		}
	}
	return shortest, nil
}

// endOnce starts a measurement, ends it at a moment, and finds what is left. If the
// measurement finished before that moment, it tries again.
func (b *bench) endOnce(ctx context.Context, cat *echo, dir string, w cancelMethod, moment func() time.Duration) (cancelResult, error) {
	for range 10 {
		m, err := b.begin(ctx, dir, w.name == "kill -9 of the editor")
		if err != nil {
			return cancelResult{}, err
		}
		if err := pause(ctx, moment()); err != nil {
			return cancelResult{}, err
		}
		e := cancelResult{phase: m.phase(), processes: len(m.family())}
		if e.phase == "" {
			m.clear(ctx)
			continue
		}
		if e.echo, err = cat.time(); err != nil {
			m.clear(ctx)
			return cancelResult{}, err
		}
		begun := time.Now()
		if e.answer, err = w.end(ctx, m); err == nil {
			e.gone, e.left = m.gone(begun, w.stays)
		}
		m.clear(ctx)
		if !errors.Is(err, errDone) {
			return e, err
		}
	}
	return cancelResult{}, fmt.Errorf("ten times: %w", errDone)
}

// edit changes the text of the copied example, so that it is built again.
func edit(dir string) error {
	text := fmt.Sprintf("package parking\n\nconst edited = %d\n", time.Now().UnixNano())
	if err := os.WriteFile(filepath.Join(dir, "edited.go"), []byte(text), 0o644); err != nil {
		return fmt.Errorf("editing the example: %w", err)
	}
	return nil
}
