package lsp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/internal/lsptest"
)

var severityNames = []string{"", "error", "warning", "information", "hint"}

// check compares everything that is shown with the current markers.
func (r *rig) check(label string) error {
	r.Helper()
	names := r.visible()
	for _, name := range names {
		if _, err := r.markers(name, label); err != nil {
			return err
		}
	}
	return r.soon(func() (problems []string) {
		for _, name := range names {
			marks, _ := r.markers(name, label)
			problems = append(problems, r.checkDiagnostics(name, marks)...)
			if r.e.IsOpen(r.path(name)) {
				problems = append(problems, r.checkLenses(name, marks)...)
				problems = append(problems, r.checkHints(name, marks)...)
				for _, m := range marks {
					problems = append(problems, r.checkPlace(name, m)...)
				}
			}
		}
		return problems
	})
}

// visible lists the files that may have markers or diagnostics.
func (r *rig) visible() []string {
	r.Helper()
	var names []string
	for name := range r.disk {
		names = append(names, name)
	}
	for _, path := range r.e.Published() {
		names = append(names, r.name(path))
	}
	names = append(names, r.a.opened()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// markers returns the markers that must hold in a file now. For "check nothing" these are the
// markers that must hold without a result.
func (r *rig) markers(name, label string) ([]marker, error) {
	all, err := markersOf(name, r.text(name))
	if err != nil {
		return nil, err
	}
	if all, err = holding(all, label, r.client.Name); err != nil {
		return nil, err
	}
	if label == "nothing" {
		all = without(all)
	}
	return all, err
}

// without returns the markers of a text whose functions were not measured.
func without(all []marker) []marker {
	var list []marker
	for _, m := range all {
		switch m.kind {
		case "diag", "hover", "hint":
			m.kind = "no" + m.kind
		case "lens":
			if !strings.HasPrefix(m.args[1], "^measure energy") {
				m.kind = "nolens"
			}
		case "action", "act", "related":
			continue
		}
		list = append(list, m)
	}
	return list
}

func of(marks []marker, kind string) []marker {
	var list []marker
	for _, m := range marks {
		if m.kind == kind {
			list = append(list, m)
		}
	}
	return list
}

func has(marks []marker, thing string) bool {
	return slices.ContainsFunc(marks, func(m marker) bool { return m.thing() == thing })
}

// match names the expressions that a text does not match.
func (m marker) match(text string, res ...string) []string {
	var problems []string
	for _, re := range res {
		if !regexp.MustCompile(re).MatchString(text) {
			problems = append(problems, fmt.Sprintf("%v: %q does not match %q", m, text, re))
		}
	}
	return problems
}

func (r *rig) checkDiagnostics(name string, marks []marker) (problems []string) {
	r.Helper()
	shown := slices.Clone(r.e.Shown(r.path(name)))
	for _, m := range of(marks, "diag") {
		i := slices.IndexFunc(shown, func(d lsptest.Diagnostic) bool { return d.Range == m.span })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("%v: there is no diagnostic", m))
			continue
		}
		d := shown[i]
		if d.Severity < 1 || d.Severity > 4 || severityNames[d.Severity] != m.args[1] {
			problems = append(problems, fmt.Sprintf("%v: the severity is %d", m, d.Severity))
		}
		if d.Source != "spell" || d.Code != "energy-leak" {
			problems = append(problems, fmt.Sprintf("%v: source %q, code %q", m, d.Source, d.Code))
		}
		problems = append(problems, m.match(d.Message, m.args[2:]...)...)
		for _, related := range of(marks, "related") {
			if related.span == m.span && r.client.Related() {
				problems = append(problems, related.match(r.related(d), related.args[1:]...)...)
			}
		}
		shown = slices.Delete(shown, i, i+1)
	}
	for _, d := range shown {
		problems = append(problems, fmt.Sprintf("%s:%d: a diagnostic without a marker: %s %v", name, d.Range.Start.Line+1, d.Message, d.Range))
	}
	return problems
}

// related writes the related locations of a diagnostic, one line for each.
func (r *rig) related(d lsptest.Diagnostic) string {
	var b strings.Builder
	for _, related := range d.Related() {
		name := r.name(strings.TrimPrefix(related.Location.URI, "file://"))
		fmt.Fprintf(&b, "%s at %s:%d: %s\n", textOf(related.Location.Range, r.text(name)), name, related.Location.Range.Start.Line+1, related.Message)
	}
	return b.String()
}

// textOf returns the text of a range, which may belong to an older text.
func textOf(r lsptest.Range, text string) string {
	lines := strings.Split(text, "\n")
	if r.Start.Line >= len(lines) || r.End.Character > len(lines[r.Start.Line]) {
		return "?"
	}
	return r.Of(text)
}

func (r *rig) checkLenses(name string, marks []marker) (problems []string) {
	r.Helper()
	if !r.client.Lenses || !has(marks, "lens") {
		return nil
	}
	lenses := slices.Clone(r.e.Lenses(r.path(name)))
	for _, m := range of(marks, "lens") {
		i := slices.IndexFunc(lenses, func(l lsptest.Lens) bool { return l.Range == m.span })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("%v: there is no lens", m))
			continue
		}
		problems = append(problems, m.match(lenses[i].Command.Title, m.args[1:]...)...)
		if lenses[i].Command.Command == "" {
			problems = append(problems, fmt.Sprintf("%v: the lens has no command", m))
		}
		lenses = slices.Delete(lenses, i, i+1)
	}
	if all := of(marks, "lenses"); len(all) > 0 {
		return append(problems, all[0].match(strconv.Itoa(len(lenses)), all[0].args[1:]...)...)
	}
	for _, l := range lenses {
		problems = append(problems, fmt.Sprintf("%s:%d: a lens without a marker: %s", name, l.Range.Start.Line+1, l.Command.Title))
	}
	return problems
}

func (r *rig) checkHints(name string, marks []marker) (problems []string) {
	r.Helper()
	if !r.client.Hints || !has(marks, "hint") {
		return nil
	}
	hints := slices.Clone(r.e.InlayHints(r.path(name)))
	for _, m := range of(marks, "hint") {
		i := slices.IndexFunc(hints, func(h lsptest.Hint) bool { return h.Position == m.span.End })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("%v: there is no hint", m))
			continue
		}
		problems = append(problems, m.match(hints[i].Text(), m.args[1:]...)...)
		hints = slices.Delete(hints, i, i+1)
	}
	for _, h := range hints {
		problems = append(problems, fmt.Sprintf("%s:%d: a hint without a marker: %s", name, h.Position.Line+1, h.Text()))
	}
	return problems
}

// checkPlace checks a marker of a hover or an action by a request at its place.
func (r *rig) checkPlace(name string, m marker) []string {
	r.Helper()
	switch m.kind {
	case "hover", "nohover":
		return r.checkHover(name, m)
	case "action", "noaction":
		return r.checkActions(name, m)
	case "act":
		return r.checkAct(name, m)
	}
	return nil
}

func (r *rig) checkHover(name string, m marker) []string {
	r.Helper()
	h := r.e.HoverAt(r.path(name), m.span.Start)
	if m.kind == "nohover" {
		if h != nil {
			return []string{fmt.Sprintf("%v: there is a hover: %s", m, h.Contents.Value)}
		}
		return nil
	}
	if h == nil {
		return []string{fmt.Sprintf("%v: there is no hover", m)}
	}
	var problems []string
	if h.Range != m.span {
		problems = append(problems, fmt.Sprintf("%v: the hover has the range %v", m, h.Range))
	}
	kind, text := "plaintext", h.Contents.Value
	if r.client.Markdown() {
		kind, text = "markdown", plain(text)
	} else if isMarked.MatchString(text) {
		problems = append(problems, fmt.Sprintf("%v: the client does not know markdown: %s", m, text))
	}
	if h.Contents.Kind != kind {
		problems = append(problems, fmt.Sprintf("%v: the hover is of kind %s", m, h.Contents.Kind))
	}
	return append(problems, m.match(strings.Join(strings.Fields(text), " "), m.args[1:]...)...)
}

var (
	isMarked = regexp.MustCompile("(?m)^`|^\\*\\*|^\\| |\\\\[_*<]")
	ruler    = regexp.MustCompile(`(?m)^\|( :?--:? \|)+$`)
	markup   = regexp.MustCompile("\\\\([[:punct:]])|`|\\*\\*|\\|")
)

// plain removes the Markdown of hovers from a text.
func plain(text string) string {
	return markup.ReplaceAllString(ruler.ReplaceAllString(text, ""), "$1")
}

func (r *rig) actions(name string, m marker) (list []lsptest.Action, titles string) {
	r.Helper()
	list = r.e.Actions(r.path(name), m.span)
	var b strings.Builder
	for _, a := range list {
		b.WriteString(a.Title)
		if a.Disabled != nil {
			b.WriteString(" (" + a.Disabled.Reason + ")")
		}
		b.WriteByte('\n')
	}
	return list, b.String()
}

func (r *rig) checkActions(name string, m marker) (problems []string) {
	r.Helper()
	_, titles := r.actions(name, m)
	for _, re := range m.args[1:] {
		if regexp.MustCompile("(?m)"+re).MatchString(titles) != (m.kind == "action") {
			problems = append(problems, fmt.Sprintf("%v: %q, the actions are\n%s", m, re, titles))
		}
	}
	return problems
}

// checkAct compares the text that a file would have after an action with a golden file, without
// changing the file.
func (r *rig) checkAct(name string, m marker) []string {
	r.Helper()
	text, err := r.after(name, m)
	if err != nil {
		return []string{fmt.Sprintf("%v: %v", m, err)}
	}
	if want := r.a.other["golden/"+m.args[3]]; text != want {
		return []string{fmt.Sprintf("%v: %s would be\n%s\nmust be\n%s", m, m.args[2], text, want)}
	}
	return nil
}

func (r *rig) after(name string, m marker) (string, error) {
	r.Helper()
	a, err := r.action(name, m, m.args[1])
	if err != nil {
		return "", err
	}
	if a.Edit == nil {
		return "", fmt.Errorf("%q edits nothing", a.Title)
	}
	texts, err := r.e.Texts(a.Edit)
	if err != nil {
		return "", err
	}
	for path, text := range texts {
		if r.name(path) == m.args[2] {
			return text, nil
		}
	}
	return "", fmt.Errorf("%q does not edit %s", a.Title, m.args[2])
}

// action finds the code action with a title at a marker.
func (r *rig) action(name string, m marker, title string) (lsptest.Action, error) {
	r.Helper()
	list, titles := r.actions(name, m)
	re, err := regexp.Compile(title)
	if err != nil {
		return lsptest.Action{}, err
	}
	for _, a := range list {
		if re.MatchString(a.Title) {
			return r.e.ResolveAction(a), nil
		}
	}
	return lsptest.Action{}, fmt.Errorf("there is no action %q, the actions are\n%s", title, titles)
}

// mark finds a text in a file for a step of the script: its declaration, else its first
// occurrence.
func (r *rig) mark(name, text string) (marker, error) {
	for i, line := range strings.Split(r.text(name), "\n") {
		code, _, _ := strings.Cut(line, "//@")
		if span, ok := find(code, text, i); ok && strings.HasPrefix(code, "func ") {
			return marker{at: fmt.Sprintf("%s:%d", name, i+1), kind: "action", args: []string{text}, span: span}, nil
		}
	}
	return marker{}, fmt.Errorf("%s declares no %s", name, text)
}

// golden compares the text of a file in the editor with a golden file of the archive.
func (r *rig) golden(name, golden string) error {
	text := r.text(name)
	if !r.e.IsOpen(r.path(name)) {
		raw, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		text = string(raw)
	}
	want, ok := r.a.other["golden/"+golden]
	if !ok {
		return errors.New("there is no golden/" + golden)
	}
	if text != want {
		return fmt.Errorf("%s is\n%s\nmust be\n%s", name, text, want)
	}
	return nil
}
