package text

import (
	"go/parser"
	"go/token"

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
	if s == nil || c.File == "" {
		return nil
	}
	src := s(c.File)
	if src == nil {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, c.File, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, f := range gosource.Functions(fset, file, src) {
		if f.Hash == c.Hash && f.Start.Line == c.Line {
			return gosource.Blocks(fset, f.Body, src)
		}
	}
	return nil
}
