package cache

import "spell-lsp/spell"

// A Part is what one package adds to a build.
type Part struct {
	Components []spell.Component // their rows follow each other
	Counted    []bool
	Defers     []bool
	Sizes      [][]string        // of their calls
	Files      []File            // files with probes
	Bare       []spell.Component // functions without a probe
	Bodiless   []string          // runtime names of functions without a Go body
	Excluded   []string          `json:",omitempty"` // IDs of functions that were excluded by ID
	Warnings   []Warning
	Budgets    []Budget  `json:",omitempty"`
	Ignored    []Warning `json:",omitempty"` // budgets that are not understood, or belong to no function
}

// A Budget is a comment above a function that limits what it may cost.
type Budget struct {
	ID         string // of the function
	File, Hash string // of the function, as in a component
	Text       string // its amounts
	Line       int
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
