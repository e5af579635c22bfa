package recordjson

import (
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calmness"
	"spell-lsp/spell/wording"
)

// The JSON form says notes twice, for readers who know only texts: warnings begin with
// the texts of the notes, in their order. In memory a fact is there once.

// say puts the texts of notes into a copy of a run. It leaves the lists that the copy
// shares as they are.
func say(r *record.Run) {
	r.Meter.Warnings = append(wordsOf(r.Meter.Notes), r.Meter.Warnings...)
	r.Warnings = append(wordsOf(r.Notes), r.Warnings...)
	if r.Analysis != nil {
		analysis := *r.Analysis
		analysis.Warnings = append(wordsOf(analysis.Notes), analysis.Warnings...)
		r.Analysis = &analysis
	}
	if r.Calmness != nil {
		c := *r.Calmness
		c.Text = calmness.Text(r)
		r.Calmness = &c
	}
	r.Dropped = slices.Clone(r.Dropped)
	for i := range r.Dropped {
		if d := &r.Dropped[i]; d.Note.Code != "" {
			d.Cause = wording.Text(d.Note)
		}
	}
}

func wordsOf(notes []note.Note) []string {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = wording.Text(n)
	}
	return texts
}

// unsay takes the texts of notes out of a run that was read. A round that was dropped keeps
// its text alone if its note has none here.
func unsay(r *record.Run) {
	r.Meter.Warnings = withoutTexts(r.Meter.Notes, r.Meter.Warnings)
	r.Warnings = withoutTexts(r.Notes, r.Warnings)
	if r.Analysis != nil {
		r.Analysis.Warnings = withoutTexts(r.Analysis.Notes, r.Analysis.Warnings)
	}
	if r.Calmness != nil {
		r.Calmness.Text = ""
	}
	for i := range r.Dropped {
		if d := &r.Dropped[i]; d.Cause != "" && !wording.Known(d.Note) {
			d.Note = note.Note{}
		}
	}
}

// withoutTexts gives the warnings that are no texts of notes. A note of a newer version,
// which has no text here or contains one that has none, becomes one of the text that stands
// in the record.
func withoutTexts(notes []note.Note, warnings []string) []string {
	for i, n := range notes {
		if i < len(warnings) && !wording.Known(n) {
			notes[i] = note.Text(warnings[i])
		}
	}
	return warnings[min(len(notes), len(warnings)):]
}
