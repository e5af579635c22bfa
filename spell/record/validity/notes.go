package validity

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

func checkNotes(r *record.Run) error {
	err := firstError(checkNoteList("notes", r.Notes), checkNoteList("meter.notes", r.Meter.Notes))
	if err == nil && r.Analysis != nil {
		err = checkNoteList("analysis.notes", r.Analysis.Notes)
	}
	return err
}

func checkNoteList(list string, notes []note.Note) error {
	for i, n := range notes {
		at := place{list, i}
		if n.Code == "" {
			return &Fault{at.path("code"), "is empty, must say what the note is about"}
		}
		for _, name := range slices.Sorted(maps.Keys(n.Args)) {
			if !isArg(n.Args[name]) {
				return &Fault{at.path("args." + name), fmt.Sprintf("is %v, must be a string, a finite number, a note or a list of strings or notes", n.Args[name])}
			}
		}
	}
	return nil
}

// isArg tells whether JSON keeps an argument as it is.
func isArg(v any) bool {
	switch v := v.(type) {
	case string, []string:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case note.Note:
		return v.Code != "" && areArgs(v.Args)
	case []note.Note:
		return !slices.ContainsFunc(v, func(n note.Note) bool { return !isArg(n) })
	}
	return false
}

func areArgs(args note.Args) bool {
	for _, v := range args {
		if !isArg(v) {
			return false
		}
	}
	return true
}
