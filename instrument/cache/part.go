package cache

import "spell-lsp/spell"

// A Part is what one package adds to a build.
type Part struct {
	Components []spell.Component // their rows follow each other
	Counted    []bool
	Files      []File            // those that have probes
	Bare       []spell.Component // functions that get no probe
	Bodiless   []string          // names at run time of those that are written in no Go
	Excluded   []string          `json:",omitempty"` // IDs of functions that were left out by their own
	Warnings   []Warning
}

// A File is a source file with probes.
type File struct {
	Index int    // of the original in the package
	Name  string // in the part's folder
	Sum   string // of the text
	text  []byte
}

// NewFile describes a file that WritePart is to write.
func NewFile(index int, name string, text []byte) File {
	return File{Index: index, Name: name, Sum: Hash(text), text: text}
}

// A Warning says what is not measured.
type Warning struct{ What, Why string }
