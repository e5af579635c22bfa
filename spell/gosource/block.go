package gosource

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
)

// A Block is the body of a loop, a branch or a clause of a function.
type Block struct {
	Start, KeywordTo, End token.Position // of the word for, if, case ..., after it, and of the last brace
	Hash                  string         // blind to comments and layout
}

// Blocks lists the blocks of a function, also those of its literals, by where
// they begin. A branch behind else begins at its if, or at its brace.
func Blocks(fset *token.FileSet, body *ast.BlockStmt, src []byte) []Block {
	var blocks []Block
	add := func(keyword token.Pos, length int, from, to token.Pos) {
		tf := fset.File(keyword)
		blocks = append(blocks, Block{
			Start:     fset.PositionFor(keyword, false),
			KeywordTo: fset.PositionFor(keyword+token.Pos(length), false),
			End:       fset.PositionFor(to-1, false),
			Hash:      hash(nil, src[tf.Offset(from):min(tf.Offset(to), len(src))]),
		})
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			add(n.For, len("for"), n.Body.Lbrace, n.Body.End())
		case *ast.RangeStmt:
			add(n.For, len("for"), n.Body.Lbrace, n.Body.End())
		case *ast.IfStmt:
			add(n.If, len("if"), n.Body.Lbrace, n.Body.End())
			if other, ok := n.Else.(*ast.BlockStmt); ok {
				add(other.Lbrace, len("{"), other.Lbrace, other.End())
			}
		case *ast.CaseClause:
			add(n.Case, wordAt(n.List == nil), n.Colon, clauseEnd(n.Colon, n.Body))
		case *ast.CommClause:
			add(n.Case, wordAt(n.Comm == nil), n.Colon, clauseEnd(n.Colon, n.Body))
		}
		return true
	})
	slices.SortFunc(blocks, func(a, b Block) int { return cmp.Compare(a.Start.Offset, b.Start.Offset) })
	return blocks
}

func wordAt(isDefault bool) int {
	if isDefault {
		return len("default")
	}
	return len("case")
}

// clauseEnd is the position after the last statement of a clause.
func clauseEnd(colon token.Pos, list []ast.Stmt) token.Pos {
	if n := len(list); n > 0 {
		return max(colon+1, list[n-1].End())
	}
	return colon + 1
}
