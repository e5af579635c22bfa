package instrument

import (
	"fmt"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/overlay"
	"spell-lsp/instrument/rewrite"
	"spell-lsp/spell/exclusion"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/note"
)

// A partMaker collects what one package adds to a build.
type partMaker struct {
	*cache.Part
	unit *unit
}

func (p partMaker) addBroken(broken []int) {
	for _, i := range broken {
		p.warn(p.unit.files[i].rel, "it does not parse")
	}
}

// addFile adds the functions of a file as components. It returns their rows, counted from
// 1 within the part, and 0 for functions that get no probe.
func (p partMaker) addFile(f *rewrite.File) []uint32 {
	file := p.unit.files[f.Index]
	rows := make([]uint32, len(f.Funcs))
	without := ""
	switch {
	case file.excluded:
		without = "it is excluded"
	case file.embedded:
		without = "it is embedded"
		p.warn(file.rel, "a //go:embed line makes its text part of the program")
	}
	p.addBodiless(f, without == "")
	some, ignored := budgetsOf(f, p.unit.path, file.rel)
	p.Budgets, p.Ignored = append(p.Budgets, some...), append(p.Ignored, ignored...)
	for i, fn := range f.Funcs {
		c := fn.Component(p.unit.path, file.rel)
		why, excluded := rewrite.WhyUnprobed(fn), exclusion.Function(p.unit.exclude, c.ID)
		if excluded {
			p.Excluded = append(p.Excluded, c.ID)
		}
		if why == "" && without == "" && !excluded {
			p.Components = append(p.Components, c)
			rows[i] = uint32(len(p.Components))
			continue
		}
		p.Bare = append(p.Bare, c)
		if without == "" && !excluded {
			p.warn(fmt.Sprintf("%s:%d: %s", file.rel, c.Line, c.ID), why)
		}
	}
	return rows
}

func (p partMaker) addBodiless(f *rewrite.File, warn bool) {
	for _, fn := range f.Bodiless() {
		id := p.unit.path + "." + fn.Name
		p.Bodiless = append(p.Bodiless, gosource.RuntimeName(p.unit.path, id))
		if warn {
			p.warn(fmt.Sprintf("%s:%d: %s", p.unit.files[f.Index].rel, fn.Line, id), "it has no Go body (it is written in assembly, or linked to another name)")
		}
	}
}

func (p partMaker) addText(f *rewrite.File, text []byte) {
	p.Files = append(p.Files, cache.NewFile(f.Index, overlay.CopyName(f.Index, f.Path), text))
}

func (p partMaker) warn(what, why string) {
	p.Warnings = append(p.Warnings, cache.Warning{What: what, Why: why})
}

// maxPerReason is how many names are listed for one reason.
const maxPerReason = 20

// summarize makes notes of warnings, grouped by reason.
func summarize(list []cache.Warning) []note.Note {
	var reasons []string
	byReason := make(map[string][]string)
	for _, w := range list {
		if byReason[w.Why] == nil {
			reasons = append(reasons, w.Why)
		}
		byReason[w.Why] = append(byReason[w.Why], w.What)
	}
	var notes []note.Note
	for _, why := range reasons {
		what := byReason[why]
		for _, name := range what[:min(len(what), maxPerReason)] {
			notes = append(notes, note.NotMeasured(name, why))
		}
		if more := len(what) - maxPerReason; more > 0 {
			notes = append(notes, note.MoreNotMeasured(more, why))
		}
	}
	return notes
}
