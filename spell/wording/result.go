package wording

import "spell-lsp/spell/note"

// resultTexts: what became of a result that an editor shows.
var resultTexts = map[note.Code]string{
	note.BodyEditedCode:   "measured before this edit",
	note.RenamedCode:      "measured under the name {name}, renamed since",
	note.ComponentNewCode: "not in {@base}",
}
