package gosource

import (
	"bytes"
	"go/ast"
	"go/token"

	"spell-lsp/spell/budget"
)

// A Budget is a comment that limits what a function may cost, see package budget.
type Budget struct {
	Amounts    string         // of the comment
	From       token.Position // of the comment
	AmountFrom int            // offset of Amounts in the file
}

// Budgets lists the budgets directly above a declaration, in its doc comment.
func (f *Func) Budgets(fset *token.FileSet, src []byte) []Budget {
	if f.Decl == nil {
		return nil
	}
	return budgetsIn(fset, f.Decl.Doc, src)
}

// StrayBudgets lists the budgets of a file that are above none of its functions, in the order of
// the source. Functions without a body count as none: nothing is known of their cost.
func StrayBudgets(fset *token.FileSet, file *ast.File, funcs []Func, src []byte) []Budget {
	above := make(map[*ast.CommentGroup]bool)
	for i := range funcs {
		if d := funcs[i].Decl; d != nil && d.Doc != nil {
			above[d.Doc] = true
		}
	}
	var list []Budget
	for _, group := range file.Comments {
		if !above[group] {
			list = append(list, budgetsIn(fset, group, src)...)
		}
	}
	return list
}

// budgetsIn reads the comments in the source, because the parser leaves out carriage returns.
func budgetsIn(fset *token.FileSet, group *ast.CommentGroup, src []byte) []Budget {
	if group == nil {
		return nil
	}
	var list []Budget
	for _, c := range group.List {
		from := fset.PositionFor(c.Pos(), false)
		line, _, _ := bytes.Cut(src[from.Offset:], []byte("\n"))
		if amounts, offset, ok := budget.Amounts(string(line)); ok {
			list = append(list, Budget{Amounts: amounts, From: from, AmountFrom: from.Offset + offset})
		}
	}
	return list
}
