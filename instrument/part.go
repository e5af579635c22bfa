package instrument

import (
	"fmt"

	"spell-lsp/instrument/overlay"
	"spell-lsp/instrument/rewrite"
	"spell-lsp/spell"
	"spell-lsp/spell/exclusion"
	"spell-lsp/spell/gosource"
)

// A part is what one package adds to a build.
type part struct {
	Components []spell.Component // their rows follow each other
	Counted    []bool
	Files      []copiedFile      // those that have probes
	Bare       []spell.Component // functions that get no probe
	Bodiless   []string          // names at run time of those that are written in no Go
	Excluded   []string          `json:",omitempty"` // IDs of functions that were left out by their own
	Warnings   []warning
}

// A copiedFile is a file with probes.
type copiedFile struct {
	Index int    // of the original in the package
	Name  string // in the part's folder
	Sum   string // of the text
	text  []byte
}

func (p *part) addBroken(u *unit, broken []int) {
	for _, i := range broken {
		p.warn(u.files[i].rel, "it does not parse")
	}
}

// addFile makes components of the functions of a file, and returns their rows
// as if they began with 1, and 0 for those that get no probe.
func (p *part) addFile(u *unit, f *rewrite.File) []uint32 {
	file := u.files[f.Index]
	rows := make([]uint32, len(f.Funcs))
	without := ""
	switch {
	case file.excluded:
		without = "it is excluded"
	case file.embedded:
		without = "it is embedded"
		p.warn(file.rel, "a //go:embed line makes its text part of the program")
	}
	p.addBodiless(u, f, without == "")
	for i, fn := range f.Funcs {
		c := fn.Component(u.path, file.rel)
		why, excluded := rewrite.WhyUnprobed(fn), exclusion.Function(u.exclude, c.ID)
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

func (p *part) addBodiless(u *unit, f *rewrite.File, warn bool) {
	for _, fn := range f.Bodiless() {
		id := u.path + "." + fn.Name
		p.Bodiless = append(p.Bodiless, gosource.RuntimeName(u.path, id))
		if warn {
			p.warn(fmt.Sprintf("%s:%d: %s", u.files[f.Index].rel, fn.Line, id), "it has no Go body (it is written in assembly, or linked to another name)")
		}
	}
}

func (p *part) addText(f *rewrite.File, text []byte) {
	p.Files = append(p.Files, copiedFile{Index: f.Index, Name: overlay.CopyName(f.Index, f.Path), Sum: hash(text), text: text})
}

func (p *part) warn(what, why string) {
	p.Warnings = append(p.Warnings, warning{what, why})
}

// A warning says what is not measured.
type warning struct{ What, Why string }

// mostWarnings is how many things are named that are not measured for one
// reason.
const mostWarnings = 20

// summarize makes sentences of warnings, those of one reason together.
func summarize(list []warning) []string {
	var reasons []string
	byReason := make(map[string][]string)
	for _, w := range list {
		if byReason[w.Why] == nil {
			reasons = append(reasons, w.Why)
		}
		byReason[w.Why] = append(byReason[w.Why], w.What)
	}
	var sentences []string
	for _, why := range reasons {
		what := byReason[why]
		for _, name := range what[:min(len(what), mostWarnings)] {
			sentences = append(sentences, name+" is not measured: "+why)
		}
		if more := len(what) - mostWarnings; more > 0 {
			sentences = append(sentences, fmt.Sprintf("and %d more are not measured: %s", more, why))
		}
	}
	return sentences
}
