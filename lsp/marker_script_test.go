package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/internal/lsptest"
)

// A step is a line of a script: words and quoted Go strings.
type step func(r *rig, args []string) error

// The steps of scripts. Files have their names in the archive.
var steps map[string]step

func init() { // an initializer would be a cycle: the functions of steps use steps
	steps = map[string]step{
		// changes of files
		"open":  each(func(r *rig, name string) { r.e.Open(r.path(name)) }),
		"close": each(func(r *rig, name string) { r.e.Close(r.path(name)) }),
		"undo":  each(func(r *rig, name string) { r.e.Undo(r.path(name)) }),
		"save":  each((*rig).save),
		"edit":  (*rig).edit,   // file old new
		"move":  (*rig).move,   // from to text: cut and paste to the end of a file
		"write": (*rig).change, // file old new: on disk, behind the editor's back
		"new":   (*rig).create, // file text: on disk
		"rm":    each((*rig).delete),

		// commands
		"measure": (*rig).measure, // [scope [file [name]]] [rounds=n] [mode=m]
		"start":   (*rig).begin,   // like measure, but does not wait for the end
		"release": func(r *rig, _ []string) error { r.simulation.release <- struct{}{}; return r.wait(r.call) },
		"cancel":  func(r *rig, _ []string) error { return r.run("spell-lsp.cancel", map[string]any{}) },
		"press":   (*rig).press, // cancels with the button of the progress
		"clear":   func(r *rig, _ []string) error { return r.run("spell-lsp.clear", map[string]any{}) },
		"run":     (*rig).runAny, // command JSON
		"click":   (*rig).click,  // file name: the lens of the name
		"act":     (*rig).act,    // file name re: the code action of the name with this title
		"setting": (*rig).set,    // JSON of all settings
		"costs":   func(r *rig, args []string) error { r.costs = args[0]; return nil },
		"restart": (*rig).restart,
		"folders": (*rig).folders, // [+folder] [-folder]

		// expectations
		"check": (*rig).checkLabel, // [label]
		"golden": func(r *rig, args []string) error {
			return r.soonNil(func() error { return r.golden(args[0], args[1]) })
		},
		"expect": (*rig).expect, // [no] what re...
	}
}

func each(do func(*rig, string)) step {
	return func(r *rig, args []string) error {
		for _, name := range args {
			do(r, name)
		}
		return nil
	}
}

// do runs one step.
func (r *rig) do(line string) error {
	r.Helper()
	words, err := splitStep(line)
	if err != nil {
		return err
	}
	do := steps[words[0]]
	if do == nil {
		return fmt.Errorf("there is no step %q", words[0])
	}
	return do(r, words[1:])
}

// splitStep splits a line into words and quoted Go strings.
func splitStep(line string) ([]string, error) {
	var words []string
	for line != "" {
		quoted, err := strconv.QuotedPrefix(line)
		if err == nil {
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			words, line = append(words, text), strings.TrimSpace(line[len(quoted):])
			continue
		}
		if strings.ContainsAny(line[:1], "\"`") {
			return nil, fmt.Errorf("%s: a quote is not closed", line)
		}
		word, rest, _ := strings.Cut(line, " ")
		words, line = append(words, word), strings.TrimSpace(rest)
	}
	return words, nil
}

func (r *rig) save(name string) {
	r.e.Save(r.path(name))
	r.disk[name] = r.e.Text(r.path(name))
}

func (r *rig) edit(args []string) error {
	r.Helper()
	if !strings.Contains(r.e.Text(r.path(args[0])), args[1]) {
		return fmt.Errorf("there is no %q", args[1])
	}
	r.e.Edit(r.path(args[0]), args[1], args[2])
	return nil
}

func (r *rig) move(args []string) error {
	r.Helper()
	if err := r.edit([]string{args[0], args[2], ""}); err != nil {
		return err
	}
	to := r.path(args[1])
	text := r.e.Text(to)
	last := text[strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1:]
	r.e.Edit(to, last, last+"\n"+args[2])
	return nil
}

// change changes a file on disk. An editor that watches files notifies the server.
func (r *rig) change(args []string) error {
	r.Helper()
	name := args[0]
	if !strings.Contains(r.disk[name], args[1]) {
		return fmt.Errorf("there is no %q", args[1])
	}
	r.disk[name] = strings.Replace(r.disk[name], args[1], args[2], 1)
	replace(r.TB, r.path(name), r.disk[name])
	r.watched(name, 2)
	return nil
}

func (r *rig) create(args []string) error {
	r.write(args[0], args[1])
	r.watched(args[0], 1)
	return nil
}

func (r *rig) delete(name string) {
	r.remove(name)
	r.watched(name, 3)
}

// watched notifies the server of a change on disk, after the server registered for that.
func (r *rig) watched(name string, kind int) {
	r.Helper()
	if !r.client.Watches {
		return
	}
	r.e.Eventually("a registration for changes of files", func() bool { return len(r.e.Watched()) > 0 })
	if slices.ContainsFunc(r.e.Watched(), func(glob string) bool { return matches(glob, name) }) {
		r.e.Notify("workspace/didChangeWatchedFiles", map[string]any{
			"changes": []any{map[string]any{"uri": lsptest.URI(r.path(name)), "type": kind}},
		})
	}
}

// matches reports whether a glob that begins with all folders matches a file.
func matches(glob, name string) bool {
	last, everywhere := strings.CutPrefix(glob, "**/")
	ok, err := path.Match(last, path.Base(name))
	return everywhere && ok && err == nil
}

// wait waits for the end of a command, and keeps its answer.
func (r *rig) wait(c *lsptest.Call) error {
	r.Helper()
	r.reply, r.failure = c.Wait()
	if r.failure != nil {
		r.reply = nil
	}
	return nil
}

func (r *rig) run(command string, argument any) error {
	r.Helper()
	return r.wait(r.e.Execute(command, argument))
}

func (r *rig) runAny(args []string) error {
	r.Helper()
	text := "{}"
	if len(args) > 1 {
		text = os.Expand(args[1], func(name string) string { return lsptest.URI(r.path(name)) }) // ${park.go} is its URI
	}
	return r.run(args[0], json.RawMessage(text))
}

func measureArguments(r *rig, args []string) map[string]any {
	argument := map[string]any{"scope": "workspace"}
	for i, word := range args {
		key, value, named := strings.Cut(word, "=")
		switch {
		case key == "rounds":
			n, err := strconv.Atoi(value)
			if err != nil {
				r.Fatal(err)
			}
			argument[key] = n
		case named:
			argument[key] = value
		default:
			argument[[]string{"scope", "uri", "name"}[i]] = word
		}
	}
	if name, ok := argument["uri"].(string); ok {
		argument["uri"] = lsptest.URI(r.path(name))
	}
	return argument
}

func (r *rig) measure(args []string) error {
	r.Helper()
	r.look("$/progress")
	return r.run("spell-lsp.measure", measureArguments(r, args))
}

func (r *rig) begin(args []string) error {
	r.Helper()
	r.look("$/progress")
	r.call = r.e.Execute("spell-lsp.measure", measureArguments(r, args))
	<-r.simulation.waiting
	return nil
}

// press cancels with the progress, if the editor shows one, or else with the command.
func (r *rig) press(_ []string) error {
	r.Helper()
	if !r.client.Progress {
		r.e.Execute("spell-lsp.cancel", map[string]any{}).Wait()
		return r.wait(r.call)
	}
	var created map[string]any
	all := r.e.Messages("window/workDoneProgress/create")
	if err := json.Unmarshal(all[len(all)-1].Params, &created); err != nil {
		return err
	}
	r.e.Notify("window/workDoneProgress/cancel", created)
	return r.wait(r.call)
}

func (r *rig) click(args []string) error {
	r.Helper()
	if !r.client.Lenses {
		return errors.New("this editor has no lenses: name clients in flags")
	}
	m, err := r.mark(args[0], args[1])
	if err != nil {
		return err
	}
	for _, l := range r.e.Lenses(r.path(args[0])) {
		if l.Range == m.span {
			return r.wait(r.e.Click(l))
		}
	}
	return fmt.Errorf("there is no lens on %s", args[1])
}

// act performs a code action. Only the editor may apply its edit.
func (r *rig) act(args []string) error {
	r.Helper()
	m, err := r.mark(args[0], args[1])
	if err != nil {
		return err
	}
	a, err := r.action(args[0], m, args[2])
	if err != nil {
		return err
	}
	if err := r.e.Do(a); err != nil {
		return err
	}
	for _, name := range []string{".spell-lsp.yaml"} { // an editor that creates a file writes it
		if text, err := os.ReadFile(r.path(name)); err == nil && r.disk[name] == "" && len(text) == 0 {
			r.disk[name] = ""
		}
	}
	return nil
}

// set changes the user's settings and notifies the server as the editor does.
func (r *rig) set(args []string) error {
	r.Helper()
	r.settings = map[string]any{}
	if err := json.Unmarshal([]byte(args[0]), &r.settings); err != nil {
		return err
	}
	r.e.Configure(r.settings)
	told := any(nil)
	if !r.client.Asked {
		told = map[string]any{"spell": r.settings}
	}
	r.e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": told})
	r.e.Settle()
	return nil
}

func (r *rig) restart(_ []string) error {
	r.Helper()
	r.e.Quit()
	if err := r.server.wait(); err != nil {
		return err
	}
	r.start()
	return nil
}

func (r *rig) folders(args []string) error {
	folders := func(sign string) []any {
		list := []any{}
		for _, word := range args {
			if name, ok := strings.CutPrefix(word, sign); ok {
				list = append(list, map[string]any{"uri": lsptest.URI(r.path(name)), "name": name})
			}
		}
		return list
	}
	r.e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": folders("+"), "removed": folders("-")}})
	return nil
}

func (r *rig) checkLabel(args []string) error {
	r.Helper()
	return r.check(strings.Join(args, ""))
}

// look returns the messages of a method since the last look.
func (r *rig) look(method string) []lsptest.Message {
	all := r.e.Messages(method)
	fresh := all[min(r.heard[method], len(all)):]
	r.heard[method] = len(all)
	return fresh
}

// expect compares a text that is not at a place in a file with regular expressions:
//
//	message, log    the messages that the server showed or logged since the last expect
//	reply, error    of the last command
//	request         the last request for a measurement, see requested
//	progress        of the last measurement, if the editor shows it
//	ranking         one line for each component: #1 example.com/park.f red a.go:3 fresh
//	refresh         the methods of the server's requests to refresh since the last expect
//	unchanged       for a file: a pull of its diagnostics was answered with "unchanged"
func (r *rig) expect(args []string) error {
	r.Helper()
	no := args[0] == "no"
	if no {
		args = args[1:]
	}
	what, res := args[0], args[1:]
	if what == "unchanged" {
		return r.unchanged(res[0])
	}
	text := map[string]func() string{
		"message":  r.collect("window/showMessage"),
		"log":      r.collect("window/logMessage"),
		"reply":    func() string { return string(r.reply) },
		"error":    func() string { return errorText(r.failure) },
		"request":  r.requested,
		"progress": r.progress,
		"refresh":  r.refreshed(),
		"ranking":  r.ranking,
	}[what]
	switch {
	case text == nil:
		return fmt.Errorf("there is no expectation %q", what)
	case what == "progress" && !r.client.Progress:
		if sent := r.e.Messages("$/progress"); len(sent) > 0 {
			return fmt.Errorf("the editor shows no progress, and got %s", sent[0].Params)
		}
		return nil
	case len(res) == 0 && no:
		r.flush()
		r.e.Settle()
		if all := text(); all != "" {
			return fmt.Errorf("there is %s", all)
		}
		return nil
	}
	return r.soonNil(func() error {
		all := text()
		for _, re := range res {
			if regexp.MustCompile(re).MatchString(all) == no {
				return fmt.Errorf("%q, it is %q", re, all)
			}
		}
		return nil
	})
}

func (r *rig) unchanged(name string) error {
	if r.e.PullsDiagnostics() && r.e.Unchanged(r.path(name)) == 0 {
		return errors.New("all diagnostics were sent each time")
	}
	return nil
}

func (r *rig) soonNil(problem func() error) error {
	r.Helper()
	return r.soon(func() []string {
		if err := problem(); err != nil {
			return []string{err.Error()}
		}
		return nil
	})
}

// collect returns a function that returns the texts of all messages of a method since the last
// look, new ones included.
func (r *rig) collect(method string) func() string {
	var all []string
	return func() string {
		for _, m := range r.look(method) {
			var p struct{ Message string }
			if err := json.Unmarshal(m.Params, &p); err != nil {
				r.Fatal(err)
			}
			all = append(all, strings.ReplaceAll(p.Message, realPath(r.dir)+"/", ""))
		}
		return strings.Join(all, "\n")
	}
}

func errorText(err *lsptest.Error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// requested writes the last request for a measurement as text.
func (r *rig) requested() string {
	if len(r.simulation.requests) == 0 {
		return ""
	}
	q := r.simulation.requests[len(r.simulation.requests)-1]
	var buffers []string
	for path := range q.Buffers {
		buffers = append(buffers, r.name(path))
	}
	slices.Sort(buffers)
	text := fmt.Sprintf("dir=%s patterns=%s run=%s bench=%s reach=%s block=%s rounds=%d mode=%s buffers=%s meter=%s",
		r.name(q.Dir), strings.Join(q.Patterns, " "), q.Run, q.Bench, q.Reach, q.Block, q.Rounds, q.Mode, strings.Join(buffers, ","), q.Settings.Meter)
	for _, name := range slices.Sorted(maps.Keys(q.Scenarios)) {
		text += fmt.Sprintf(" scenario %s=%s", name, q.Scenarios[name].Exec)
	}
	return text
}

// ranking writes the rows of the newest result.
func (r *rig) ranking() string {
	r.Helper()
	result, failure := r.e.Execute("spell-lsp.ranking", map[string]any{}).Wait()
	if failure != nil {
		return failure.Error()
	}
	var list []row
	if err := json.Unmarshal(result, &list); err != nil {
		r.Fatal(err)
	}
	var b strings.Builder
	for _, row := range list {
		stale := map[bool]string{true: "stale", false: "fresh"}[row.Stale]
		fmt.Fprintf(&b, "#%d %s %s %s:%d %s\n", row.Rank, row.ID, row.Zone, row.File, row.Line, stale)
	}
	return b.String()
}

// progress writes the progress of the last measurement as text.
func (r *rig) progress() string {
	var words []string
	for _, m := range r.e.Messages("$/progress")[r.heard["$/progress"]:] {
		var p struct {
			Value struct {
				Kind, Title, Message string
				Cancellable          bool
			}
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			r.Fatal(err)
		}
		words = append(words, p.Value.Kind+" "+p.Value.Title+p.Value.Message)
	}
	return strings.Join(words, "; ")
}

// refreshed returns a function that writes the methods of the requests to refresh since the
// last look, new ones included.
func (r *rig) refreshed() func() string {
	seen := map[string]bool{}
	return func() string {
		var all []string
		for _, what := range []string{"codeLens", "inlayHint", "diagnostic"} {
			if seen[what] = seen[what] || len(r.look("workspace/"+what+"/refresh")) > 0; seen[what] {
				all = append(all, what)
			}
		}
		return strings.Join(all, " ")
	}
}
