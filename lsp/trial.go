package lsp

import (
	"context"
	"fmt"
	"maps"
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

// trialRounds is how many rounds are measured before and after a change, unless the run before has
// enough.
const trialRounds = 10

// level is that of significance.
const level = 0.05

// A trial is a rewrite that is applied in the editor and measured. If it did not help, the user is
// asked whether to undo it.
type trial struct {
	*session
	result  *results.Result // with the advice
	mark    *view.Mark
	advised render.PlacedAdvice
	request Request // the tests that reach the function
}

// applyAndMeasure applies the rewrite of an advice in the editor, measures the tests that reach the
// function, and compares with the run before. The reply is sent when the verdict is shown.
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
	t.request = t.tests()
	t.request.Buffers = s.unsaved()
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
			default:
				return &trial{session: s, result: m.Result, mark: m, advised: a}, s.mayRunIn(m.Result.Dir)
			}
		}
	}
	return nil, fmt.Errorf("there is no advice %q in line %d of %s: it was edited since it was measured, or is not measured", args.Rule, args.Line+1, path)
}

// tests requests the tests that reached the function in the run with the advice.
func (t *trial) tests() Request {
	c, run := t.mark.Component(), t.result.Run
	r := Request{Dir: t.result.Dir, Scope: "function " + t.mark.Name + " of " + c.Package, Reach: c.ID, Rounds: trialRounds}
	benchmarks, others := []string{}, false
	for _, cell := range run.Matrix.Cells {
		if int(cell.Component) != t.mark.Index {
			continue
		}
		parts := goTest.FindStringSubmatch(run.Tests[cell.Test].Name)
		if parts == nil {
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
	return r
}

// run applies the rewrite, measures and gives the verdict.
func (t *trial) run(ctx context.Context, m *measurement) (any, error) {
	p := t.newProgress(ctx, m)
	p.begin(ctx, "Measuring a change")
	end := "failed"
	defer func() { p.end(ctx, end) }()
	step := func(what string) func(Progress) {
		return func(s Progress) {
			s.Message = what + ": " + s.Message
			p.report(ctx, s)
		}
	}
	rw, err := t.rewrite(ctx)
	if err != nil {
		return nil, t.failed(ctx, err)
	}
	before, err := t.before(ctx, step("before the change"))
	if err != nil {
		return nil, t.failed(ctx, err)
	}
	if err := t.apply(ctx, "Energy: "+t.advised.Rule, rw); err != nil {
		return nil, t.failed(ctx, err)
	}
	maps.Copy(t.request.Buffers, rw.texts())
	after, err := t.runOne(ctx, t.request, step("after the change"))
	if err == nil && after.Baseline == nil { // lenses and hovers say what changed, too
		compared := *after
		compared.Baseline, compared.Incomparable = after.CompareWith(results.TheRunBefore, before)
		after = &compared
	}
	if ctx.Err() != nil || err == nil && !t.display(ctx, m, []*results.Result{after}) {
		t.client.Show(ctx, protocol.MessageTypeInfo, "the change of "+t.mark.Name+" is made, but was not measured: undo it in the editor if you do not want it")
		return nil, context.Canceled
	}
	if err != nil {
		t.offerUndo(ctx, "the change of "+t.mark.Name+" is made, but cannot be measured: "+err.Error(), rw, nil)
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error(), Data: shownData}
	}
	verdict := t.judge(before, after)
	end = verdict.Text
	t.warn(ctx, after)
	if verdict.Better {
		t.client.Show(ctx, protocol.MessageTypeInfo, verdict.Text)
	} else {
		t.offerUndo(ctx, verdict.Text, rw, after)
	}
	return reply(applyReply{replyTo(after), verdict.Text, verdict.Better})
}

// rewrite finds the advice again in the code as it is now, and makes its edits.
func (t *trial) rewrite(ctx context.Context) (rewrite, error) {
	r := t.result
	found, err := t.Advise(ctx, AdviceRequest{
		Dir: r.Dir, Root: r.Root, Run: r.Run, Packages: []string{t.mark.Component().Package}, Buffers: t.request.Buffers, Settings: r.Settings,
	})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found, func(f advice.Finding) bool {
		return f.Rule == t.advised.Rule && f.File == t.advised.File && f.Line == t.advised.Line && f.Edits != nil
	})
	if i < 0 {
		return nil, fmt.Errorf("the code has changed: there is no rewrite of %s in line %d any more", t.advised.Rule, t.advised.Line)
	}
	return t.rewriteOf(t.result, found[i].Edits)
}

// before is the run to compare with: the one with the advice, if it has enough rounds and is of the
// code as it is now; else the same tests are measured first.
func (t *trial) before(ctx context.Context, progress func(Progress)) (*record.Run, error) {
	if run := t.result.Run; run.Rounds >= significance.PairsFor(level) && !t.result.Restored && !run.Partial && !t.edited() {
		t.request.Rounds = max(trialRounds, run.Rounds)
		return run, nil
	}
	r, err := t.runOne(ctx, t.request, progress)
	if err != nil {
		return nil, err
	}
	t.save(ctx, []*results.Result{r})
	return r.Run, nil
}

// edited reports whether a function of the result was edited since it was measured.
func (t *trial) edited() bool {
	for _, path := range (&results.Layers{List: []*results.Result{t.result}}).Paths() {
		v := t.views.View(path)
		if v != nil && slices.ContainsFunc(v.Marks, func(m view.Mark) bool { return m.Result == t.result && m.Stale }) {
			return true
		}
	}
	return false
}

// judge compares the runs before and after the change.
func (t *trial) judge(before *record.Run, after *results.Result) render.Verdict {
	id := t.mark.Component().ID
	c, err := comparison.Compare(results.Ranked(before, after.Settings), after.Run, comparison.Options{IncludeFailed: after.Settings.IncludeFailed, Level: level, Component: id})
	if err != nil {
		return render.Verdict{Text: "the change of " + t.mark.Name + " was measured, but there is no comparison: " + err.Error()}
	}
	return render.Judge(c, id, t.mark.Name, before, after.Run)
}

// offerUndo shows what came out, and takes the change and its result back if the user wants. It does
// not wait for the answer, which may never come.
func (t *trial) offerUndo(ctx context.Context, text string, rw rewrite, after *results.Result) {
	t.tasks.Go(ctx, "asking whether to undo a change", func(ctx context.Context) {
		const undo = "Undo"
		if t.client.Ask(ctx, protocol.MessageTypeWarning, text, undo, "Keep") != undo {
			return
		}
		if err := t.apply(ctx, "Undo: "+t.advised.Rule, rw.inverse()); err != nil {
			t.client.Show(ctx, protocol.MessageTypeError, "the change was not undone: "+err.Error())
			return
		}
		if after != nil {
			t.forget(ctx, after)
		}
	})
}

// forget removes the result of a change that was undone.
func (t *trial) forget(ctx context.Context, after *results.Result) {
	if t.Store != nil {
		if err := t.Store.Delete(after.Dir, after.Run.ID); err != nil {
			t.client.Log(ctx, protocol.MessageTypeWarning, "the run of the change stays saved: "+err.Error())
		}
	}
	t.update(func(next *snapshot.Snapshot) bool {
		kept := slices.DeleteFunc(slices.Clone(next.Results.List), func(r *results.Result) bool { return r.Run.ID == after.Run.ID })
		next.Show(&results.Layers{List: kept})
		return true
	})
	t.publisher.Flush(ctx)
}
