package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
)

// An adviser stands for the analysers: it finds that Add grows its slice, and another line without
// a rewrite.
type adviser struct {
	requests chan lsp.AdviceRequest
	fail     error
	calls    int
	found    func(ctx context.Context, call int) // if not nil, is called at the end of each analysis, from 1
}

const (
	grows   = "append(p.cars, c)"
	reusing = "append(p.cars[:0], c)"
)

func (a *adviser) advise(ctx context.Context, r lsp.AdviceRequest) ([]advice.Finding, error) {
	a.requests <- r
	a.calls++
	if a.found != nil {
		defer a.found(ctx, a.calls)
	}
	if a.fail != nil {
		return nil, a.fail
	}
	text, ok := r.Buffers[filepath.Join(r.Root, "park.go")]
	if !ok {
		text, _ = os.ReadFile(filepath.Join(r.Root, "park.go")) // a missing file has no findings
	}
	at := strings.Index(string(text), grows)
	if at < 0 {
		return nil, nil
	}
	line := strings.Count(string(text[:at]), "\n") + 1
	return []advice.Finding{
		{
			Rule: "append-without-capacity", File: "park.go", Line: line, Column: 11, EndLine: line, EndColumn: 11 + len("append"), Message: "the slice grows with each call", Help: "use its memory again",
			Callees: []string{"runtime.growslice*"}, Edits: []advice.Edit{{File: "park.go", Start: at, End: at + len(grows), Text: reusing}},
		},
		{Rule: "defer-in-loop", File: "park.go", Line: line + 1, Column: 1, EndLine: line + 1, Message: "it ends"},
	}, nil
}

// applies lets an editor apply edits.
func applies(e *lsptest.Editor) {
	modern(e)
	can(map[string]map[string]any{"workspace": {"applyEdit": true}})(e)
}

// A workshop is an editor that shows a measured park with advice.
type workshop struct {
	t      *testing.T
	e      *lsptest.Editor
	l      *lab
	a      *adviser
	parkGo string
	helps  bool // the rewrite takes two thirds of the energy away
	store  *store.Store
	edits  int         // that the server asked for, and that were made
	made   chan bool   // receives a value when the editor has made one
	answer chan string // to the server's question
}

// openWorkshop measures the park in a number of rounds.
func openWorkshop(t *testing.T, rounds int, setUp func(*lsptest.Editor), more ...func(*workshop)) *workshop {
	t.Helper()
	w := &workshop{
		t: t, l: newLab(parkCosts), a: &adviser{requests: make(chan lsp.AdviceRequest, 100)},
		made: make(chan bool, 10), answer: make(chan string, 10),
	}
	dir := module(t, maps.Clone(park))
	w.parkGo = filepath.Join(dir, "park.go")
	w.l.rounds, w.l.alter = rounds, withLines
	w.store = store.Open(t.TempDir())
	for _, f := range more {
		f(w)
	}
	w.e, _ = serve(t, lsp.Options{Measure: w.measure, Advise: w.a.advise, Store: w.store})
	w.e.Folders = []string{dir}
	setUp(w.e)
	w.e.AnswerLater("workspace/applyEdit", func() { <-w.made }, map[string]any{"applied": true})
	chosen := new(map[string]string) // null for none
	w.e.AnswerLater("window/showMessageRequest", func() {
		if title := <-w.answer; title != "" {
			*chosen = map[string]string{"title": title}
		}
	}, chosen)
	w.e.Start()
	w.e.Open(w.parkGo)
	measure(t, w.e)
	return w
}

// shown are the diagnostics of advice in a file, with the code that they are about.
func (w *workshop) shown() []string {
	var list []string
	for _, d := range w.e.Diagnostics(w.parkGo) {
		if d.Code == "energy-advice" {
			list = append(list, d.Range.Of(w.e.Text(w.parkGo))+": "+d.Message)
		}
	}
	return list
}

// await waits for the first advice, and returns all.
func (w *workshop) await() []string {
	w.t.Helper()
	var list []string
	w.e.Eventually("advice", func() bool { list = w.shown(); return len(list) > 0 })
	return list
}

// applyAndMeasure makes the editor do the first action at a place, and returns the call.
func (w *workshop) applyAndMeasure() *lsptest.Call {
	w.t.Helper()
	w.await()
	list := actionsAt(w.t, w.e, w.parkGo, grows)
	if len(list) == 0 || !strings.HasPrefix(list[0].Title, "Apply and measure") {
		w.t.Fatalf("the actions are %q", titles(list))
	}
	command := into[struct {
		Command   string
		Arguments []json.RawMessage
	}](w.t, list[0].Command)
	return w.e.Execute(command.Command, command.Arguments[0])
}

// apply makes the edit that the server asks for.
func (w *workshop) apply() {
	w.t.Helper()
	w.edits++
	edit := into[struct{ Edit *lsptest.WorkspaceEdit }](w.t, w.e.AwaitMessage("workspace/applyEdit", w.edits).Params).Edit
	if err := w.e.Apply(edit); err != nil {
		w.t.Fatal(err)
	}
	w.made <- true
}

// asksForEdits reports whether the server asked for more edits than were made.
func (w *workshop) asksForEdits() bool {
	return len(w.e.Messages("workspace/applyEdit")) > w.edits
}

// asked waits for the server's question.
func (w *workshop) asked() string {
	w.t.Helper()
	return into[struct{ Message string }](w.t, w.e.AwaitMessage("window/showMessageRequest", 1).Params).Message
}

// told are the messages that the server showed.
func (w *workshop) told() string {
	var list []string
	for _, m := range w.e.Messages("window/showMessage") {
		list = append(list, into[struct{ Message string }](w.t, m.Params).Message)
	}
	return strings.Join(list, "\n")
}

// measure invents a measurement in which the rewrite helps, if it is to.
func (w *workshop) measure(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
	if r.Found != nil {
		r.Found([]string{w.parkGo})
	}
	if w.helps && strings.Contains(string(r.Buffers[w.parkGo]), reusing) {
		w.l.costs = maps.Clone(parkCosts)
		w.l.costs["(*Park).Add"] = cost{n: 600, ms: 20, joules: 0.2}
	}
	return w.l.measure(ctx, r, progress)
}

const adviceOnAdd = `append: A change here saves at most an estimated 360 mJ of the 600 mJ that (*Park).Add uses in a round: the slice grows with each call; use its memory again (append-without-capacity)`

// Why: whoever sees a costly function asks what to change. The advice is at its line, follows its
// function, and goes when the function is edited.
func TestAdviceIsShownWhereItIs(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	want := []string{adviceOnAdd, "}: A change here saves at most an estimated 120 mJ of the 600 mJ that (*Park).Add uses in a round: it ends (defer-in-loop)"}
	if diff := cmp.Diff(want, w.await()); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	w.e.Edit(w.parkGo, "package park\n", "package park\n\n// Cars.\n")
	w.e.AwaitDiagnostics(w.parkGo)
	if diff := cmp.Diff(want, w.shown()); diff != "" {
		t.Errorf("after an edit above (-want +got):\n%s", diff)
	}
	if got, want := w.e.Hover(w.parkGo, "Add(c").Contents.Value, "A change in line 8 saves at most an estimated 360 mJ of the 600 mJ that it uses in a round: the slice grows with each call; use its memory again."; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
	const action = "Apply and measure: use its memory again (saves at most an estimated 360 mJ of the 600 mJ that (*Park).Add uses in a round)"
	for _, at := range []string{grows, "Add"} {
		if list := actionsAt(t, w.e, w.parkGo, at); len(list) == 0 || list[0].Title != action || strings.HasPrefix(list[1].Title, "Apply") {
			t.Errorf("at %s the actions are %q", at, titles(list))
		}
	}
	if list := actionsAt(t, w.e, w.parkGo, "oldest"); len(list) == 0 || strings.HasPrefix(list[0].Title, "Apply") {
		t.Errorf("at another function the actions are %q", titles(list))
	}
	w.e.Edit(w.parkGo, grows, "append(p.cars, c, c)")
	w.e.AwaitDiagnostics(w.parkGo)
	if got := w.shown(); got != nil {
		t.Errorf("after an edit of the function: %q", got)
	}
}

// Nothing of a workspace without trust is run, not even the go command.
func TestAdviceNeedsTrust(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	w.await()
	w.e.Quit()
	w.e.Gone()
	a := &adviser{requests: make(chan lsp.AdviceRequest, 100)}
	e, _ := serve(t, lsp.Options{Measure: w.l.measure, Advise: a.advise, Store: w.store})
	e.Folders, e.Options = []string{filepath.Dir(w.parkGo)}, map[string]any{"trusted": false}
	e.Start()
	e.Open(w.parkGo)
	e.Eventually("the saved run", func() bool { return len(e.Diagnostics(w.parkGo)) > 0 })
	e.Settle()
	if len(a.requests) > 0 {
		t.Error("it was looked for advice")
	}
	_, err := e.Execute("spell-lsp.applyAndMeasure", map[string]any{"uri": lsptest.URI(w.parkGo), "line": 5, "rule": "append-without-capacity"}).Wait()
	if err == nil || !strings.Contains(err.Message, "not trusted") {
		t.Errorf("applying: %v", err)
	}
}

// A change that helps is said to, with what the tests say; the run before had enough rounds.
func TestApplyAndMeasure(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	<-w.l.requests
	w.helps = true
	call := w.applyAndMeasure()
	w.apply()
	raw, err := call.Wait()
	if err != nil {
		t.Fatal(err)
	}
	got := into[struct {
		Verdict string
		Better  bool
		Run     string
	}](t, raw)
	const verdict = "67 % less energy (estimated) in (*Park).Add, significant; 35 % less energy (estimated) in all that its tests run, significant; tests pass"
	if got.Verdict != verdict || !got.Better || got.Run == "" {
		t.Errorf("the reply is %s, want %q", raw, verdict)
	}
	if !strings.Contains(w.told(), verdict) {
		t.Errorf("the user was told %q", w.told())
	}
	if text := w.e.Text(w.parkGo); !strings.Contains(text, reusing) {
		t.Errorf("the text is %q", text)
	}
	r := <-w.l.requests
	if len(w.l.requests) > 0 || r.Reach != "example.com/park.(*Park).Add" || cmp.Diff(r.Patterns, []string{"example.com/park"}) != "" || r.Rounds != 10 || !strings.Contains(string(r.Buffers[w.parkGo]), reusing) {
		t.Errorf("measured was %+v, and %d more", r, len(w.l.requests))
	}
	disk, readErr := os.ReadFile(w.parkGo)
	if readErr != nil || !strings.Contains(string(disk), grows) {
		t.Errorf("the file on disk is %q (%v)", disk, readErr)
	}
}

// A run of a few rounds cannot show a significant change: the code as it is is measured first.
func TestApplyAndMeasureAfterAShortRun(t *testing.T) {
	w := openWorkshop(t, 3, applies)
	<-w.l.requests
	w.l.rounds, w.helps = 10, true
	call := w.applyAndMeasure()
	if r := <-w.l.requests; r.Rounds != 10 || len(r.Buffers) != 0 {
		t.Errorf("measured first was %+v", r)
	}
	w.apply()
	raw, err := call.Wait()
	if err != nil || !into[struct{ Better bool }](t, raw).Better {
		t.Errorf("the reply is %s (%v)", raw, err)
	}
}

// A change that does not help can be taken back: then its result is gone, too.
func TestApplyAndMeasureWithoutEffect(t *testing.T) {
	for _, answer := range []string{"Undo", "Keep", ""} {
		w := openWorkshop(t, 8, applies)
		call := w.applyAndMeasure()
		w.apply()
		raw, err := call.Wait()
		const verdict = "no significant change in (*Park).Add; no significant change in all that its tests run; tests pass"
		if err != nil || into[struct{ Verdict string }](t, raw).Verdict != verdict {
			t.Fatalf("the reply is %s (%v), want %q", raw, err, verdict)
		}
		if asked := w.asked(); !strings.Contains(asked, verdict) {
			t.Errorf("asked was %q", asked)
		}
		w.answer <- answer
		if answer == "Undo" {
			w.apply()
			w.e.Eventually("the advice of the run before", func() bool { return len(w.shown()) == 2 })
		}
		w.e.Settle()
		saved, listErr := w.store.List(filepath.Dir(w.parkGo))
		if undone := answer == "Undo"; strings.Contains(w.e.Text(w.parkGo), grows) != undone || (len(saved) == 1) != undone || listErr != nil {
			t.Errorf("after %q the text is %q, %d runs are saved (%v)", answer, w.e.Text(w.parkGo), len(saved), listErr)
		}
	}
}

// What goes wrong after the change is said with an offer to undo it; what goes wrong before changes
// nothing.
func TestApplyAndMeasureFailures(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(w *workshop)
		want    string // in the error of the call
		changes bool
		asked   string
	}{
		"a test fails": {func(w *workshop) {
			w.helps = true
			w.l.alter = func(r *record.Run) { r.Tests[0].Outcome = record.Fail }
		}, "", true, "no longer passing: example.com/park.TestPark (fail)"},
		"it does not compile": {func(w *workshop) { w.l.fail = errors.New("park.go:6: no such thing") }, "no such thing", true, "cannot be measured: park.go:6: no such thing"},
		"the analysers fail":  {func(w *workshop) { w.a.fail = errors.New("no go command") }, "no go command", false, ""},
		"the editor refuses": {func(w *workshop) {
			w.e.Answer("workspace/applyEdit", func(json.RawMessage) (any, *lsptest.Error) {
				return map[string]any{"applied": false, "failureReason": "it is read-only"}, nil
			})
		}, "the editor did not make the change: it is read-only", false, ""},
	} {
		w := openWorkshop(t, 8, applies)
		w.await()
		c.spoil(w)
		call := w.applyAndMeasure()
		if c.changes {
			w.apply()
		}
		_, err := call.Wait()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Message, c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
		if c.asked != "" {
			if asked := w.asked(); !strings.Contains(asked, c.asked) {
				t.Errorf("%s: asked was %q, want %q", name, asked, c.asked)
			}
			w.answer <- "Undo"
			w.apply()
		}
		if text := w.e.Text(w.parkGo); !strings.Contains(text, grows) {
			t.Errorf("%s: the text is %q", name, text)
		}
	}
}

// A change cannot be taken back once the user has edited the file: the edit of the user is not lost.
func TestUndoAfterAnEdit(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	call := w.applyAndMeasure()
	w.apply()
	if _, err := call.Wait(); err != nil {
		t.Fatal(err)
	}
	w.asked()
	w.e.Edit(w.parkGo, "func never() {}", "func never() { println() }")
	w.e.Settle()
	w.answer <- "Undo"
	w.e.Eventually("the refusal", func() bool {
		return strings.Contains(w.told(), "the change was not undone: "+w.parkGo+" was edited meanwhile")
	})
	if w.asksForEdits() {
		t.Error("the editor was asked for an edit")
	}
}

// An editor that cannot be asked for edits has no such action.
func TestApplyWithoutApplyEdit(t *testing.T) {
	w := openWorkshop(t, 8, modern)
	w.await()
	if list := actionsAt(t, w.e, w.parkGo, grows); len(list) == 0 || strings.HasPrefix(list[0].Title, "Apply") {
		t.Errorf("the actions are %q", titles(list))
	}
	_, err := w.e.Execute("spell-lsp.applyAndMeasure", map[string]any{"uri": lsptest.URI(w.parkGo), "line": 5, "rule": "append-without-capacity"}).Wait()
	if err == nil || !strings.Contains(err.Message, "spell-lsp advise --fix") {
		t.Errorf("the error is %v", err)
	}
}

// Cancelling leaves the change, says so, and shows nothing of the measurement.
func TestCancelledApply(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	w.await()
	w.l.release = make(chan struct{})
	call := w.applyAndMeasure()
	w.apply()
	<-w.l.waiting
	w.e.MustCall("workspace/executeCommand", map[string]any{"command": "spell-lsp.cancel", "arguments": []any{}})
	if _, err := call.Wait(); err == nil {
		t.Error("the call has a result")
	}
	w.e.Eventually("the message", func() bool { return strings.Contains(w.told(), "is made, but was not measured: undo it in the editor") })
}

// Wrong arguments change nothing.
func TestApplyArguments(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	w.await()
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"uri": lsptest.URI(w.parkGo), "line": 6, "rule": "defer-in-loop"}, "there is no rewrite of defer-in-loop in line 7"},
		{map[string]any{"uri": lsptest.URI(w.parkGo), "line": 5, "rule": "x"}, `there is no advice "x" in line 6`},
		{map[string]any{"uri": lsptest.URI(w.parkGo + "x"), "line": 5, "rule": "x"}, "cannot be read"},
		{map[string]any{"lines": 5}, `unknown field "lines"`},
	} {
		if _, err := w.e.Execute("spell-lsp.applyAndMeasure", c.args).Wait(); err == nil || !strings.Contains(err.Message, c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
	if w.asksForEdits() {
		t.Error("the editor was asked for an edit")
	}
}

// Why: offsets are of the text that was analysed. Typed meanwhile, a comment must not lead to a wrong edit.
func TestEditDuringTheAnalysis(t *testing.T) {
	reached, typed := make(chan bool), make(chan bool)
	w := openWorkshop(t, 8, applies, func(w *workshop) {
		w.a.found = func(_ context.Context, call int) {
			if call == 2 { // the first is that of the background
				reached <- true
				<-typed
			}
		}
	})
	call := w.applyAndMeasure()
	<-reached
	w.e.Edit(w.parkGo, "package park\n", "package park\n\n// Typed.\n")
	w.e.Settle()
	close(typed)
	if _, err := call.Wait(); err == nil || !strings.Contains(err.Message, "park.go was edited meanwhile") {
		t.Errorf("the error is %v", err)
	}
	if w.asksForEdits() || !strings.Contains(w.e.Text(w.parkGo), grows) {
		t.Errorf("the text is %q", w.e.Text(w.parkGo))
	}
}

// The same holds for the place and the price of advice.
func TestEditDuringTheAnalysisInTheBackground(t *testing.T) {
	reached, typed := make(chan bool), make(chan bool)
	w := openWorkshop(t, 8, applies, func(w *workshop) {
		w.a.found = func(context.Context, int) { reached <- true; <-typed }
	})
	<-reached
	w.e.Edit(w.parkGo, "package park\n", "package park\n\n")
	w.e.Settle()
	close(typed)
	if got := w.await(); got[0] != adviceOnAdd {
		t.Errorf("the advice is %q", got)
	}
}

// An analyser that panics costs the advice on one result, not that on later ones.
func TestPanicOfAnAnalyser(t *testing.T) {
	w := openWorkshop(t, 8, applies, func(w *workshop) {
		w.a.found = func(_ context.Context, call int) {
			if call == 1 {
				panic("analyser")
			}
		}
	})
	<-w.a.requests
	w.e.Eventually("the reason", func() bool {
		return slices.ContainsFunc(w.e.Messages("window/logMessage"), func(m lsptest.Message) bool {
			return strings.Contains(string(m.Params), "there is no advice on")
		})
	})
	measure(t, w.e)
	w.await()
}

// A measurement does not run beside the analysis, which would disturb it: that is ended, and begins again.
func TestMeasurementEndsTheAnalysis(t *testing.T) {
	reached := make(chan bool, 10)
	w := openWorkshop(t, 8, applies, func(w *workshop) {
		w.a.found = func(ctx context.Context, call int) {
			if call == 1 {
				reached <- true
				<-ctx.Done()
			}
		}
	})
	<-reached
	measure(t, w.e)
	w.await()
}

// The run before is of other code if a test was edited since: then it is measured first.
func TestApplyAfterAnEditElsewhere(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	<-w.l.requests
	testGo := filepath.Join(filepath.Dir(w.parkGo), "park_test.go")
	w.e.Open(testGo)
	w.e.Edit(testGo, "func TestPark(t *testing.T) {}", "func TestPark(t *testing.T) { t.Log() }")
	call := w.applyAndMeasure()
	if r := <-w.l.requests; strings.Contains(string(r.Buffers[w.parkGo]), reusing) {
		t.Error("the change was measured first")
	}
	w.apply()
	if _, err := call.Wait(); err != nil || len(w.l.requests) != 1 {
		t.Errorf("%v, %d more measurements", err, len(w.l.requests))
	}
	w.answer <- ""
}

// Settings that changed since the run before give other figures.
func TestApplyUnderOtherSettings(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	<-w.l.requests
	w.await()
	w.e.Configure(map[string]any{"timeout": "3m"})
	w.e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	w.e.Settle()
	call := w.applyAndMeasure()
	<-w.l.requests
	w.apply()
	if _, err := call.Wait(); err != nil || len(w.l.requests) != 1 {
		t.Errorf("%v, %d more measurements", err, len(w.l.requests))
	}
	w.answer <- ""
}

// Code that is edited while it is measured makes the verdict worthless.
func TestEditDuringTheTrial(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	w.await()
	w.helps, w.l.release = true, make(chan struct{})
	call := w.applyAndMeasure()
	w.apply()
	<-w.l.waiting
	w.e.Edit(w.parkGo, "func never() {}", "func never() { println() }")
	w.e.Settle()
	close(w.l.release)
	raw, err := call.Wait()
	if got := into[struct {
		Verdict string
		Better  bool
	}](t, raw); err != nil || got.Better || !strings.HasSuffix(got.Verdict, "code was edited meanwhile, so that the runs differ by more than the change") {
		t.Errorf("the reply is %s (%v)", raw, err)
	}
	w.answer <- ""
}

// Undone, a change leaves the result that its own had replaced: of the same function, measured before.
func TestUndoShowsWhatWasReplaced(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	w.await()
	w.l.costs = maps.Clone(parkCosts)
	w.l.costs["(*Park).Add"] = cost{n: 600, ms: 50, joules: 0.5}
	w.e.MustCall("workspace/executeCommand", map[string]any{"command": "spell-lsp.measure", "arguments": []any{
		map[string]any{"scope": "function", "uri": lsptest.URI(w.parkGo), "name": "(*Park).Add"},
	}})
	shows := func(joules string) func() bool {
		return func() bool {
			list := w.e.Diagnostics(w.parkGo)
			return len(list) > 1 && strings.Contains(list[0].Message, joules) && list[1].Code == "energy-advice"
		}
	}
	w.e.Eventually("the function's result", shows("500 mJ"))
	call := w.applyAndMeasure()
	w.apply()
	if _, err := call.Wait(); err != nil {
		t.Fatal(err)
	}
	w.answer <- "Undo"
	w.apply()
	w.e.Eventually("the function's result again", shows("500 mJ"))
}

// Editors give all lines of a file the same end: the change can be undone all the same.
func TestUndoWithLineEndsOfWindows(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	w.await()
	call := w.applyAndMeasure()
	w.apply()
	if _, err := call.Wait(); err != nil {
		t.Fatal(err)
	}
	w.e.SetText(w.parkGo, strings.ReplaceAll(w.e.Text(w.parkGo), "\n", "\r\n"))
	w.e.Settle()
	w.answer <- "Undo"
	w.apply()
	if text := w.e.Text(w.parkGo); !strings.Contains(text, grows) {
		t.Errorf("the text is %q", text)
	}
}

// An editor that fails to ask is told at least.
func TestQuestionThatFails(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	w.e.Answer("window/showMessageRequest", func(json.RawMessage) (any, *lsptest.Error) { return nil, &lsptest.Error{Code: -32603, Message: "no"} })
	call := w.applyAndMeasure()
	w.apply()
	if _, err := call.Wait(); err != nil {
		t.Fatal(err)
	}
	w.e.Eventually("the verdict", func() bool { return strings.Contains(w.told(), "no significant change in (*Park).Add") })
}
