package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/render"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

const applyCommand = "spell-lsp.applyAndMeasure"

type applyArguments struct {
	URI  string `json:"uri"`
	Line int    `json:"line"` // of the advice, from 0 as in the protocol
	Rule string `json:"rule"`
}

// An applyReply is a measureReply with what came out.
type applyReply struct {
	measureReply
	Verdict string `json:"verdict"`
	Better  bool   `json:"better"` // significantly less energy, and no test that failed
}

// A change is measured in trialRounds at least. In more, up to maxTrialRounds, where the function ran for
// less than trialMS in them all: its time may rest on samples. But not for more than trialLength ms.
const (
	trialRounds    = 10
	maxTrialRounds = 100
	trialMS        = 100
	trialLength    = 30_000
)

// A trial is a rewrite that is applied in the editor and measured. If it did not help, the user is
// asked whether to undo it.
type trial struct {
	*session
	result  *results.Result // with the advice
	mark    *view.Mark
	path    string // of the function's file
	advised render.PlacedAdvice
	request Request // the tests that reach the function, or the programs that ran it

	rewrite rewrite
	before  *record.Run       // the run to compare with
	sources results.Sources   // what it is of
	hidden  []*results.Result // results that the one after the change replaced
}

// applyAndMeasure applies the rewrite of an advice in the editor, measures the tests that reach the
// function or the programs that ran it, and compares with the run before. The reply is sent when the verdict is shown.
func (s *session) applyAndMeasure(raw protocol.LSPAny, token protocol.ProgressToken) (work, error) {
	args, err := arguments[applyArguments](raw)
	if err != nil {
		return nil, err
	}
	if err := s.mayRun(); err != nil {
		return nil, err
	}
	t, err := s.trialOf(args)
	if err != nil {
		return nil, err
	}
	return s.occupy(token, "a change of "+t.mark.Name, t.run)
}

// trialOf finds the advice in a line of a file.
func (s *session) trialOf(args applyArguments) (*trial, error) {
	path, err := s.pathOf(uri.URI(args.URI))
	if err != nil {
		return nil, err
	}
	v := s.views.View(path)
	if v == nil {
		return nil, fmt.Errorf("%s cannot be read", path)
	}
	for _, m := range v.Visible() {
		for _, a := range render.AdviceOn(v, m) {
			switch {
			case a.Line != args.Line+1 || a.Rule != args.Rule:
			case a.Edits == nil:
				return nil, fmt.Errorf("there is no rewrite of %s in line %d that keeps the meaning of the program for certain", a.Rule, a.Line)
			case !s.client.Capabilities().Apply:
				return nil, errNoEdits
			default:
				return &trial{session: s, result: m.Result, mark: m, path: path, advised: a}, s.mayRunIn(m.Result.Dir)
			}
		}
	}
	return nil, fmt.Errorf("there is no advice %q in line %d of %s: it was edited since it was measured, or is not measured", args.Rule, args.Line+1, path)
}

// run applies the rewrite, measures and gives the verdict.
func (t *trial) run(ctx context.Context, m *measurement) (any, error) {
	p := t.newProgress(ctx, m)
	p.begin(ctx, "Measuring a change")
	end := "failed"
	defer func() {
		if ctx.Err() != nil {
			end = "cancelled"
		}
		p.end(ctx, end)
	}()
	step := func(what string) func(Progress) {
		return func(s Progress) {
			s.Message = what + ": " + s.Message
			p.report(ctx, s)
		}
	}
	if err := t.prepare(ctx, step("before the change")); err != nil {
		return nil, t.failed(ctx, err)
	}
	if err := t.apply(ctx, "Energy: "+t.advised.Rule, t.rewrite); err != nil {
		return nil, t.refused(ctx, err)
	}
	after, err := t.measureAfter(ctx, m, step("after the change"))
	if ctx.Err() != nil {
		t.client.Show(ctx, protocol.MessageTypeInfo, "the change of "+t.mark.Name+" is made, but was not measured: undo it in the editor if you do not want it")
		return nil, ctx.Err()
	}
	if err != nil {
		t.offerUndo(ctx, "the change of "+t.mark.Name+" is made, but cannot be measured: "+err.Error(), nil)
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error(), Data: shownData}
	}
	verdict := t.judge(after)
	if end = verdict.Text; verdict.Better {
		t.client.Show(ctx, protocol.MessageTypeInfo, verdict.Text)
		t.warn(ctx, after)
	} else {
		t.offerUndo(ctx, verdict.Text, after)
	}
	return reply(applyReply{replyTo(after), verdict.Text, verdict.Better})
}

// prepare finds the rewrite in the code as it is now, and the run to compare with.
func (t *trial) prepare(ctx context.Context, progress func(Progress)) error {
	n := t.snapshots.Current()
	found, err := t.findings(ctx, n, t.result, []string{t.mark.Component().Package})
	if err != nil {
		return err
	}
	a := &t.advised
	i := slices.IndexFunc(found, func(f advice.Finding) bool {
		return f.Rule == a.Rule && f.Line == a.Line && f.Column == a.Column && f.Message == a.Message && t.result.Path(f.File) == t.path && f.Edits != nil
	})
	if i < 0 {
		return fmt.Errorf("the code has changed: there is no rewrite of %s in line %d any more", a.Rule, a.Line)
	}
	if t.rewrite, err = rewriteOf(n, t.result, found[i].Edits); err != nil {
		return err
	}
	if t.request, err = t.rerun(); err != nil {
		return err
	}
	t.request.Buffers = unsaved(n)
	return t.measureBefore(ctx, n, progress)
}

// rerun requests the programs or tests that ran the function in the run with the advice.
func (t *trial) rerun() (Request, error) {
	pattern := packageOf(filepath.Dir(t.path), t.result.Dir)
	r := Request{Dir: t.result.Dir, Rounds: t.rounds()}
	if results.OfPrograms(t.result.Run) {
		ran, err := t.again(t.result, t.result.Ran(t.mark.Index))
		r.setScenarios(ran)
		return r, err
	}
	r.Scope, r.Reach = "function "+t.mark.Name+" of "+pattern, t.mark.Component().ID
	t.chooseTests(&r)
	if r.Patterns == nil {
		r.Patterns = []string{pattern}
	}
	return r, nil
}

// rounds is how many rounds a change is measured in.
func (t *trial) rounds() int {
	run, round, ran := t.result.Run, 1.0, 0.0
	for _, cell := range run.Matrix.Cells {
		if int(cell.Component) != t.mark.Index {
			continue
		}
		test, operations := &run.Tests[cell.Test], 1.0
		if test.PerOperation {
			operations = max(1, test.Repeats)
		}
		round, ran = round+operations*test.TimeMS, ran+operations*cell.TimeMS
	}
	if ran > 0 {
		return max(trialRounds, int(min(trialMS/ran+1, trialLength/round, maxTrialRounds)))
	}
	return trialRounds
}

// chooseTests restricts a request to the tests that ran the function.
func (t *trial) chooseTests(r *Request) {
	run, ran := t.result.Run, t.result.Ran(t.mark.Index)
	benchmarks, others := []string{}, false
	for i := range run.Tests {
		parts := goTest.FindStringSubmatch(run.Tests[i].Name)
		if !ran(i) || parts == nil {
			continue
		}
		if !slices.Contains(r.Patterns, parts[1]) {
			r.Patterns = append(r.Patterns, parts[1])
		}
		if name := regexp.QuoteMeta(parts[3]); !strings.HasPrefix(name, "Benchmark") {
			others = true
		} else if !slices.Contains(benchmarks, name) {
			benchmarks = append(benchmarks, name)
		}
	}
	if len(benchmarks) > 0 {
		r.Bench = "^(" + strings.Join(benchmarks, "|") + ")$"
		if !others {
			r.Run = "^$"
		}
	}
}

// measureBefore takes the run with the advice to compare with, if it has enough rounds and is of the
// same code and settings; else it measures the same tests first.
func (t *trial) measureBefore(ctx context.Context, n *snapshot.Snapshot, progress func(Progress)) error {
	run := t.result.Run
	settings, err := t.settingsOf(t.result.Dir)
	if err != nil {
		return err
	}
	now := t.result.Sources.In(n)
	enough := run.Rounds >= t.request.Rounds || t.request.Rounds == trialRounds && run.Rounds >= significance.PairsFor(comparison.DefaultLevel)
	if enough && !run.Partial && reflect.DeepEqual(settings, t.result.MeasuredWith) &&
		now.Same(t.result.Sources) {
		t.request.Rounds = max(t.request.Rounds, run.Rounds)
		t.before, t.sources = run, now
		return nil
	}
	r, err := t.runOne(ctx, t.request, progress)
	if err != nil {
		return err
	}
	t.save(ctx, []*results.Result{r})
	t.before, t.sources = r.Run, r.Sources
	return nil
}

// refused says that the editor did not make the change, or may have made it after all.
func (t *trial) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		t.client.Show(ctx, protocol.MessageTypeInfo, "the change of "+t.mark.Name+" was cancelled: if the editor has made it, undo it there")
	}
	return t.failed(ctx, err)
}

// measureAfter measures the changed texts, whether or not the editor has reported the change yet, and
// shows the result.
func (t *trial) measureAfter(ctx context.Context, m *measurement, progress func(Progress)) (*results.Result, error) {
	maps.Copy(t.request.Buffers, t.rewrite.texts())
	after, err := t.runOne(ctx, t.request, progress)
	if err != nil {
		return nil, err
	}
	if after.Baseline == nil && after.Incomparable == nil { // lenses and hovers say what changed, too
		compared := *after
		compared.Baseline, compared.Incomparable = after.CompareWith(results.TheRunBefore, t.before)
		after = &compared
	}
	shown := t.snapshots.Current().Results
	if !t.display(ctx, m, []*results.Result{after}) {
		return nil, context.Canceled
	}
	for _, r := range shown.List {
		if !t.shows(r) {
			t.hidden = append(t.hidden, r)
		}
	}
	return after, nil
}

// shows reports whether the run of a result is shown.
func (s *session) shows(r *results.Result) bool {
	return s.snapshots.Current().Results.First(func(other *results.Result) bool { return other.Run.ID == r.Run.ID }) != nil
}

// judge compares the runs before and after the change.
func (t *trial) judge(after *results.Result) render.Verdict {
	id := t.mark.Component().ID
	c, err := comparison.Compare(results.Ranked(t.before, after.Settings), after.Run, comparison.Options{IncludeFailed: after.Settings.IncludeFailed, Component: id})
	if err != nil {
		why := render.WhyIncomparable(&results.Incomparable{Name: results.TheRunBefore, Why: err})
		return render.Verdict{Text: "the change of " + t.mark.Name + " was measured, but " + why}
	}
	v := render.Judge(c, id, t.mark.Name, t.before, after.Run)
	if now := t.sources.In(t.snapshots.Current()); !now.Same(t.sources, t.rewrite.paths()...) || t.rewrite.isEdited(t.session) {
		v.Better = false
		v.Text += "; but code was edited meanwhile, so that the runs differ by more than the change"
	}
	return v
}

// offerUndo shows what came out, and takes the change and its result back if the user wants. It does
// not wait for the answer, which may never come.
func (t *trial) offerUndo(ctx context.Context, text string, after *results.Result) {
	t.tasks.Go(ctx, "asking whether to undo a change", func(ctx context.Context) {
		const undo = "Undo"
		if t.client.Ask(ctx, protocol.MessageTypeWarning, text, undo, "Keep") != undo {
			return
		}
		if err := t.apply(ctx, "Undo: "+t.advised.Rule, t.rewrite.inverse()); err != nil {
			t.client.Show(ctx, protocol.MessageTypeError, "the change was not undone: "+err.Error())
			return
		}
		if after != nil {
			t.forget(ctx, after)
		}
	})
}

// forget removes the result of a change that was undone, and shows those again that it replaced.
func (t *trial) forget(ctx context.Context, after *results.Result) {
	if t.Store != nil {
		if err := t.Store.Delete(after.Dir, after.Run.ID); err != nil {
			t.client.Show(ctx, protocol.MessageTypeWarning, "the change was undone, but its run stays saved: "+err.Error())
		}
	}
	t.update(func(next *snapshot.Snapshot) bool {
		rest := &results.Layers{}
		for _, r := range next.Results.List {
			if r.Run.ID == after.Run.ID {
				rest.List = append(rest.List, next.StillOpen(t.hidden)...)
			} else {
				rest.List = append(rest.List, r)
			}
		}
		next.Show(rest)
		return true
	})
	t.reconfigure(ctx) // settings may have changed since
	t.publisher.Flush(ctx)
}
