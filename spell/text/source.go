package text

import (
	"cmp"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
)

// A Source reads a file of the workspace, by the name that a run has for it. It returns nil
// if the file cannot be read.
type Source func(file string) []byte

// hasBlocks tells whether a function has loops or branches. It is false where the source is
// not known, or is not what was measured.
func (s Source) hasBlocks(c *record.Component) bool { return len(s.blocks(c)) > 0 }

// blocks are the blocks of a function, if its source is still that which was measured.
func (s Source) blocks(c *record.Component) []gosource.Block {
	fset := token.NewFileSet()
	src, f := s.function(fset, c)
	if f == nil {
		return nil
	}
	return gosource.Blocks(fset, f.Body, src)
}

// lines are the lines of a function, with blanks for tabs, if its source is still that which was
// measured, and the number of the first.
func (s Source) lines(c *record.Component) (lines []string, first int) {
	src, f := s.function(token.NewFileSet(), c)
	if f == nil || !sameLines(src, f, c) {
		return nil, 0
	}
	all := strings.Split(string(src), "\n")
	lines = all[f.Start.Line-1 : min(len(all), f.End.Line)]
	for i := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimSuffix(lines[i], "\r"), "\t", "    ")
	}
	return lines, f.Start.Line
}

// Finder returns a function that says on which line a function of a run begins now; ok is false if its
// source is not known, or is not what was measured. It parses each file once, and is not for concurrent
// use.
func (s Source) Finder() func(c *record.Component) (line int, ok bool) {
	files := make(map[string]parsed)
	return func(c *record.Component) (line int, ok bool) {
		file, known := files[c.File]
		if !known {
			file = s.parse(token.NewFileSet(), c.File)
			files[c.File] = file
		}
		f := file.find(c)
		if f == nil || !sameLines(file.src, f, c) {
			return 0, false
		}
		return f.Start.Line, true
	}
}

// sameLines tells whether a function has the text that was measured. Its hash does not see comments
// and empty lines, which move the lines below them.
func sameLines(src []byte, f *gosource.Func, c *record.Component) bool {
	if c.LinesHash == "" { // its lines are not known: of its blocks, and of the source, the number must be right
		return f.End.Line-f.Start.Line == c.EndLine-c.Line
	}
	return record.TextHash(src, f.Start.Line, f.End.Line) == c.LinesHash
}

// function finds a function in its file; f is nil if it is not there as it was measured.
func (s Source) function(fset *token.FileSet, c *record.Component) (src []byte, f *gosource.Func) {
	file := s.parse(fset, c.File)
	return file.src, file.find(c)
}

// A parsed is a file with its functions by the hashes of their bodies. The zero value is a file that
// is not known.
type parsed struct {
	src    []byte
	byHash map[string][]gosource.Func
}

func (s Source) parse(fset *token.FileSet, name string) parsed {
	if s == nil || name == "" {
		return parsed{}
	}
	src := s(name)
	if src == nil {
		return parsed{}
	}
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return parsed{}
	}
	p := parsed{src: src, byHash: make(map[string][]gosource.Func)}
	for _, f := range gosource.Functions(fset, file, src) {
		p.byHash[f.Hash] = append(p.byHash[f.Hash], f)
	}
	return p
}

// find finds a function as it was measured; nil if it is not there.
func (p parsed) find(c *record.Component) *gosource.Func {
	same := p.byHash[c.Hash]
	if len(same) == 0 {
		return nil
	}
	name := strings.TrimPrefix(c.ID, c.Package+".")
	best := slices.MinFunc(same, func(a, b gosource.Func) int { // of several that are alike
		return cmp.Or(
			-compareBool(a.Name == name, b.Name == name),
			-compareBool(a.Start.Line == c.Line, b.Start.Line == c.Line),
		)
	})
	return &best
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
