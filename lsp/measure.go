package lsp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/render"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/store"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// maxTop is how many components the reply to a measurement names.
const maxTop = 10

type measureArguments struct {
	Scope  string `json:"scope"`
	URI    string `json:"uri,omitempty"`
	Name   string `json:"name,omitempty"`
	Rounds int    `json:"rounds,omitempty"`
	Mode   string `json:"mode,omitempty"`
	// Machine is one of the user's machines, which measures this time; "" = the one that the server runs on; nil =
	// that of the settings.
	Machine *string `json:"machine,omitempty"`
}

type measureReply struct {
	Run        string     `json:"run"`            // the last of Runs
	Runs       []string   `json:"runs,omitempty"` // if several folders were measured
	Tests      int        `json:"tests"`
	Components int        `json:"components"`
	Top        []topReply `json:"top"`
	// Summary says what the result is about, in a sentence or two for each folder.
	Summary string `json:"summary"`

	Outcomes []outcomeReply `json:"outcomes,omitempty"` // if only a part of a folder was measured
}

type outcomeReply struct {
	Package string         `json:"package"` // import path; "" if it is not a Go test
	Test    string         `json:"test"`    // the top-level test
	Name    string         `json:"name"`    // the test with its subtests
	Outcome record.Outcome `json:"outcome"`
	TimeMS  float64        `json:"time_ms"`          // per round
	Output  string         `json:"output,omitempty"` // the end of what it printed, if it did not pass
}

type topReply struct {
	ID   string     `json:"id"`
	Psi  float64    `json:"psi"`
	Zone spell.Zone `json:"zone"`
}

// measure runs the tests and shows the result. The reply is sent when the result is shown.
func (s *session) measure(raw protocol.LSPAny, token protocol.ProgressToken) (work, error) {
	args, err := arguments[measureArguments](raw)
	if err != nil {
		return nil, err
	}
	if err := s.mayRun(); err != nil {
		return nil, err
	}
	request, err := s.request(args)
	if err != nil {
		return nil, err
	}
	return s.start(token, request)
}

func (s *session) mayRun() error {
	if !s.config.Trusted() {
		return jsonrpc2.NewError(codeRequestFailed, "this workspace is not trusted, so nothing in it is run; trust it in the editor first")
	}
	return nil
}

// start registers the requested measurement and returns its work.
func (s *session) start(token protocol.ProgressToken, request job) (work, error) {
	request.Buffers = unsaved(s.snapshots.Current())
	return s.occupy(token, request.what(), func(ctx context.Context, m *measurement) (any, error) {
		return s.run(ctx, m, request)
	})
}

// occupy registers a measurement and returns its work, which calls run when nothing else is measured
// any more.
func (s *session) occupy(token protocol.ProgressToken, what string, run func(context.Context, *measurement) (any, error)) (work, error) {
	if err := s.mayRun(); err != nil {
		return nil, err
	}
	// The measurement has a context of its own, because it can also be cancelled without
	// cancelling its call.
	ctx, cancel := context.WithCancel(context.Background())
	m := &measurement{what: what, token: token, ended: make(chan struct{}), cancel: cancel, cancelled: func() bool { return ctx.Err() != nil }}
	previous, err := s.measurements.begin(m)
	if err != nil {
		cancel()
		return nil, err
	}
	return func(call context.Context) (any, error) {
		defer cancel()
		defer context.AfterFunc(call, func() { s.measurements.cancel(m) })()
		return s.tasks.Await(ctx, "the measurement", func(ctx context.Context) (any, error) {
			defer s.advise(ctx)
			defer s.measurements.end(m)
			s.advising.pause()
			if previous != nil {
				<-previous.ended // also after ctx ended, because the next measurement waits only for this one
			}
			s.awaitSettings(ctx)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return run(ctx, m)
		})
	}, nil
}

// run makes the measurement and shows its outcome, results or errors.
func (s *session) run(ctx context.Context, m *measurement, request job) (any, error) {
	if err := s.lookUp(&request); err != nil {
		return nil, s.failed(ctx, err)
	}
	requests, err := s.divide(ctx, request)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	p := s.newProgress(ctx, m)
	o := s.runAll(ctx, requests, p)
	if len(o.results) == 0 {
		return nil, s.failed(ctx, o.err)
	}
	if !s.display(ctx, m, o.results) {
		return nil, context.Canceled
	}
	if o.err != nil {
		s.client.Show(ctx, protocol.MessageTypeError, o.err.Error())
	}
	s.showIncomparable(ctx, o.results...)
	for _, r := range o.results {
		if b := r.Baseline; b != nil {
			s.tell(ctx, b.Comparison.Changed(), render.Headline(b))
		}
		s.warn(ctx, r)
	}
	answer := replyTo(o.results...)
	if request.Scope != "" {
		answer.Outcomes = outcomes(o.results)
	}
	return reply(answer)
}

// outcomes lists the outcome of each test.
func outcomes(list []*results.Result) []outcomeReply {
	var all []outcomeReply
	for _, r := range list {
		for i := range r.Run.Tests {
			all = append(all, outcomeOf(&r.Run.Tests[i]))
		}
	}
	return all
}

// goTest matches the name of a Go test: import path, top-level test and subtests. The name of
// a subtest may contain dots.
var goTest = regexp.MustCompile(`^(.*?)\.(((?:Test|Benchmark|Fuzz|Example)[^./]*)(?:/.*)?)$`)

func outcomeOf(t *record.Test) outcomeReply {
	if parts := goTest.FindStringSubmatch(t.Name); parts != nil {
		return outcomeReply{Package: parts[1], Name: parts[2], Test: parts[3], Outcome: t.Outcome, TimeMS: t.TimeMS, Output: t.Output}
	}
	return outcomeReply{Test: t.Name, Name: t.Name, Outcome: t.Outcome, TimeMS: t.TimeMS, Output: t.Output}
}

// divide returns a request for each module that must be measured on its own. A module that
// is open and also lies in another open folder is measured once.
func (s *session) divide(ctx context.Context, request job) ([]Request, error) {
	dirs := request.folders
	if len(dirs) == 0 {
		dirs = []string{request.Dir}
	}
	var requests []Request
	for _, dir := range dirs {
		modules := []string{dir}
		if request.Scope == "" && s.Modules != nil {
			var err error
			if modules, err = s.Modules(ctx, dir); err != nil {
				return nil, err
			}
		}
		for _, module := range modules {
			r := request.Request
			r.Dir = module
			if !slices.ContainsFunc(requests, func(other Request) bool { return other.Dir == module }) {
				requests = append(requests, r)
			}
		}
	}
	return requests, nil
}

// An outcome is the outcome of measuring one or more folders. Results of some folders are
// shown even if others cannot be measured.
type outcome struct {
	results []*results.Result
	err     error // why the other folders have no result
}

func (s *session) runAll(ctx context.Context, requests []Request, p *progress) (o outcome) {
	p.begin(ctx, "Measuring energy")
	defer func() { p.end(ctx, o.summary(ctx)) }() // also after a panic
	for i, r := range requests {
		shown, err := s.runOne(ctx, r, func(step Progress) { p.report(ctx, step.of(i, len(requests), r.Dir)) })
		if err == nil {
			o.results = append(o.results, shown)
			continue
		}
		if len(requests) > 1 {
			err = fmt.Errorf("%s: %w", r.Dir, err)
		}
		o.err = errors.Join(o.err, err)
	}
	return o
}

func (s *session) runOne(ctx context.Context, r Request, progress func(Progress)) (*results.Result, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var err error
	if r.Settings, err = s.settingsOf(r.Dir); err != nil {
		return nil, err
	}
	if r.Machine != nil {
		r.Settings.Machine = *r.Machine
	}
	var sources results.Sources
	r.Found = func(files []string) {
		sources = results.SourcesOf(files, s.snapshots.Current())
		s.parseAhead(ctx, files)
	}
	inside := s.snapshots.Current().OpenFolder(r.Dir) != ""
	run, err := s.measureSafely(ctx, r, progress)
	if err != nil {
		return nil, err
	}
	s.keepZones(r, run)
	origin := results.Origin{Dir: r.Dir, Root: results.RootOf(r.Dir, run.Workspace.Root), Scope: r.Scope, Sources: sources, MeasuredWith: r.Settings, InWorkspace: inside}
	shown := results.New(origin, run, r.Settings)
	shown.RememberTexts(s.sourceOf)
	shown.Calls()
	shown.Growths()
	shown.Alternatives()
	return s.compared(ctx, shown), nil
}

// keepZones gives functions that did not change the zones that they have in an earlier run, see
// [comparison.KeepZones].
func (s *session) keepZones(r Request, run *record.Run) {
	if s.Store != nil && r.Settings.KeepZones {
		comparison.KeepZonesOf(s.Store.Before(r.Dir, r.Scope, run), run, r.Settings.Analysis(), r.Settings.IncludeFailed)
	}
}

// measureSafely turns a panic of the measurement into an error.
func (s *session) measureSafely(ctx context.Context, r Request, progress func(Progress)) (run *record.Run, err error) {
	defer func() {
		if p := recover(); p != nil {
			run, err = nil, s.tasks.Panicked("the measurement", p)
		}
	}()
	run, err = s.Measure(ctx, r, progress)
	switch {
	case err != nil:
		return nil, err
	case run == nil:
		return nil, errors.New("the measurement returned no result")
	}
	return validity.Checked(run)
}

// display shows results and saves them, unless their measurement was cancelled: its call was already
// answered with an error.
func (s *session) display(ctx context.Context, m *measurement, list []*results.Result) bool {
	if !s.measurements.show(m) {
		return false
	}
	s.update(func(next *snapshot.Snapshot) bool {
		next.Show(next.Results.With(next.StillOpen(list)...))
		return true
	})
	s.reconfigure(ctx) // settings may have changed while it ran
	s.publisher.Flush(ctx)
	s.save(ctx, list)
	return true
}

// shownData marks an error that the user has already seen as a message, so that a client
// does not show it again.
var shownData = jsonrpc2.RawMessage(`{"shown":true}`)

// failed shows the user that a measurement failed, and returns the error that answers the
// call.
func (s *session) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.client.Show(ctx, protocol.MessageTypeError, err.Error())
	answer := jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error()}
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		answer = *coded
	}
	answer.Data = shownData
	return &answer
}

// summary says what was found, for the end of the progress.
func (o *outcome) summary(ctx context.Context) string {
	if ctx.Err() != nil {
		return "cancelled"
	}
	if len(o.results) == 0 {
		return "failed"
	}
	return render.Summary(o.results...)
}

// warn shows what the user must know to judge a ranking.
func (s *session) warn(ctx context.Context, r *results.Result) {
	run := r.Run
	if left := notPassed(run); left != "" {
		s.client.Show(ctx, protocol.MessageTypeWarning, left)
	} else if len(run.Components) == 0 {
		s.client.Show(ctx, protocol.MessageTypeWarning, "nothing was ranked: these "+results.Rows(run)+"s ran no function that can be measured")
	}
	editor := wording.Editor(results.TheBaseline)
	var told []string
	for _, n := range run.AllNotes() {
		text := editor.Text(n)
		if slices.Contains(told, text) {
			continue
		}
		told = append(told, text)
		if n.Code == note.DoesNotBuildCode {
			s.client.Show(ctx, protocol.MessageTypeWarning, text)
		}
		s.client.Log(ctx, protocol.MessageTypeWarning, text)
	}
}

// notPassed says which tests or programs did not pass, and what a single program printed last; "" if all
// passed.
func notPassed(run *record.Run) string {
	var left []string
	said := ""
	for i := range run.Tests {
		t := &run.Tests[i]
		if !t.LeftOut(false) {
			continue
		}
		outcome := string(t.Outcome)
		if t.ExitCode != nil {
			outcome, said = fmt.Sprintf("%s, exit code %d", outcome, *t.ExitCode), t.Output
		}
		left = append(left, fmt.Sprintf("%s (%s)", t.Name, outcome))
	}
	if left == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %s did not pass: %s", units.Count(len(left)), units.Plural(len(run.Tests), results.Rows(run)), strings.Join(left[:min(3, len(left))], ", "))
	switch {
	case len(left) > 3:
		text += " ..."
	case len(left) == 1 && said != "":
		text += "; it printed:\n" + said
	}
	return text
}

// tell shows a message if show is true, and otherwise writes it to the client's log.
func (s *session) tell(ctx context.Context, show bool, text string) {
	if show {
		s.client.Show(ctx, protocol.MessageTypeInfo, text)
		return
	}
	s.client.Log(ctx, protocol.MessageTypeInfo, text)
}

// replyTo summarises results. The top components of several folders are listed folder by
// folder, because their psi are shares of different sums.
func replyTo(list ...*results.Result) measureReply {
	reply := measureReply{Top: []topReply{}, Summary: render.Summary(list...)}
	for _, r := range list {
		if reply.Run = r.Run.ID; len(list) > 1 {
			reply.Runs = append(reply.Runs, r.Run.ID)
		}
		reply.Tests += len(r.Run.Tests)
		reply.Components += len(r.Run.Components)
		most := max(1, maxTop/len(list))
		for j := range r.Run.Components {
			if c := &r.Run.Components[j]; most > 0 && r.Measured(j) { // the others ran only in tests that do not count
				reply.Top = append(reply.Top, topReply{c.ID, c.Psi, c.Zone})
				most--
			}
		}
	}
	return reply
}

// save keeps results for the next session.
func (s *session) save(ctx context.Context, list []*results.Result) {
	if s.Store == nil {
		return
	}
	for _, r := range list {
		if err := s.saveRun(ctx, r.Dir, r.Scope, r.Run); err != nil {
			s.client.Show(ctx, protocol.MessageTypeWarning, "the run is shown, but could not be saved: "+err.Error())
		}
	}
}

// saveRun saves a run of a folder. If only the removal of older runs failed, it shows a
// warning and returns no error: the run is saved.
func (s *session) saveRun(ctx context.Context, dir, scope string, run *record.Run) error {
	err := s.Store.Save(dir, scope, run)
	var trim *store.TrimError
	if errors.As(err, &trim) {
		s.client.Show(ctx, protocol.MessageTypeWarning, err.Error())
		return nil
	}
	return err
}
