package note

// Codes: what became of a result that an editor shows.
const (
	BodyEditedCode   Code = "result.body-edited"
	RenamedCode      Code = "result.renamed"
	ComponentNewCode Code = "result.not-in-base"
)

// BodyEdited says: the function was edited since it was measured.
func BodyEdited() Note {
	return Note{BodyEditedCode, Args{}}
}

// Renamed says: the function was measured under another name.
func Renamed(name string) Note {
	return Note{RenamedCode, Args{"name": name}}
}

// ComponentNew says: the base does not have the component.
func ComponentNew() Note {
	return Note{ComponentNewCode, Args{}}
}
