package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
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
}

const (
	grows   = "append(p.cars, c)"
	reusing = "append(p.cars[:0], c)"
)

func (a *adviser) advise(_ context.Context, r lsp.AdviceRequest) ([]advice.Finding, error) {
	a.requests <- r
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
			Rule: "append-without-capacity", File: "park.go", Line: line, Column: 2, EndLine: line, Message: "the slice grows with each call", Help: "use its memory again",
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
	edits  chan *lsptest.WorkspaceEdit // that the server asks for
	answer chan string                 // to the server's question
}

// openWorkshop measures the park in a number of rounds.
func openWorkshop(t *testing.T, rounds int, setUp func(*lsptest.Editor)) *workshop {
	t.Helper()
	w := &workshop{
		t: t, l: newLab(parkCosts), a: &adviser{requests: make(chan lsp.AdviceRequest, 100)},
		edits: make(chan *lsptest.WorkspaceEdit, 10), answer: make(chan string, 10),
	}
	dir := module(t, maps.Clone(park))
	w.parkGo = filepath.Join(dir, "park.go")
	w.l.rounds, w.l.alter = rounds, withLines
	w.store = store.Open(t.TempDir())
	w.e, _ = serve(t, lsp.Options{Measure: w.measure, Advise: w.a.advise, Store: w.store})
	w.e.Folders = []string{dir}
	setUp(w.e)
	w.e.Answer("workspace/applyEdit", func(params json.RawMessage) (any, *lsptest.Error) {
		w.edits <- into[struct{ Edit *lsptest.WorkspaceEdit }](t, params).Edit
		return map[string]any{"applied": true}, nil
	})
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
	if err := w.e.Apply(<-w.edits); err != nil {
		w.t.Fatal(err)
	}
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
	if w.helps && strings.Contains(string(r.Buffers[w.parkGo]), reusing) {
		w.l.costs = maps.Clone(parkCosts)
		w.l.costs["(*Park).Add"] = cost{n: 600, ms: 20, joules: 0.2}
	}
	return w.l.measure(ctx, r, progress)
}

const adviceOnAdd = `append(p.cars, c): A change here saves at most an estimated 360 mJ of 600 mJ: the slice grows with each call; use its memory again (append-without-capacity)`

// Why: whoever sees a costly function asks what to change. The advice is at its line, follows its
// function, and goes when the function is edited.
func TestAdviceIsShownWhereItIs(t *testing.T) {
	w := openWorkshop(t, 8, applies)
	want := []string{"p.cars = " + adviceOnAdd, "}: A change here saves at most an estimated 120 mJ of 600 mJ: it ends (defer-in-loop)"}
	if diff := cmp.Diff(want, w.await()); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	w.e.Edit(w.parkGo, "package park\n", "package park\n\n// Cars.\n")
	w.e.AwaitDiagnostics(w.parkGo)
	if diff := cmp.Diff(want, w.shown()); diff != "" {
		t.Errorf("after an edit above (-want +got):\n%s", diff)
	}
	if got, want := w.e.Hover(w.parkGo, "Add(c").Contents.Value, "A change in line 8 saves at most an estimated 360 mJ of 600 mJ: the slice grows with each call; use its memory again."; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
	const action = "Apply and measure: use its memory again (saves at most an estimated 360 mJ of 600 mJ)"
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
		}, "", true, "1 test that passed before: example.com/park.TestPark (fail)"},
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
	if len(w.edits) > 0 {
		t.Error("the editor was asked for an edit")
	}
}

// An editor that cannot be asked for edits is told of the command.
func TestApplyWithoutApplyEdit(t *testing.T) {
	w := openWorkshop(t, 8, modern)
	_, err := w.applyAndMeasure().Wait()
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
	if len(w.edits) > 0 {
		t.Error("the editor was asked for an edit")
	}
}
