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

// Line is the line on which a function begins now; ok is false if its source is not known, or is not
// what was measured.
func (s Source) Line(c *record.Component) (line int, ok bool) {
	src, f := s.function(token.NewFileSet(), c)
	if f == nil || !sameLines(src, f, c) {
		return 0, false
	}
	return f.Start.Line, true
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
	if s == nil || c.File == "" {
		return nil, nil
	}
	if src = s(c.File); src == nil {
		return nil, nil
	}
	file, err := parser.ParseFile(fset, c.File, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil
	}
	var same []gosource.Func
	for _, f := range gosource.Functions(fset, file, src) {
		if f.Hash == c.Hash {
			same = append(same, f)
		}
	}
	if len(same) == 0 {
		return nil, nil
	}
	name := strings.TrimPrefix(c.ID, c.Package+".")
	best := slices.MinFunc(same, func(a, b gosource.Func) int { // of several that are alike
		return cmp.Or(
			-compareBool(a.Name == name, b.Name == name),
			-compareBool(a.Start.Line == c.Line, b.Start.Line == c.Line),
		)
	})
	return src, &best
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
