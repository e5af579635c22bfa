package text

import (
	"go/parser"
	"go/token"
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
// measured.
func (s Source) lines(c *record.Component) []string {
	src, f := s.function(token.NewFileSet(), c)
	if f == nil {
		return nil
	}
	all := strings.Split(string(src), "\n")
	lines := all[f.Start.Line-1 : min(len(all), f.End.Line)]
	for i := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimSuffix(lines[i], "\r"), "\t", "    ")
	}
	return lines
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
	for _, f := range gosource.Functions(fset, file, src) {
		if f.Hash == c.Hash && f.Start.Line == c.Line {
			return src, &f
		}
	}
	return nil, nil
}
