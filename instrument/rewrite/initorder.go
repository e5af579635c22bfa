package rewrite

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"spell-lsp/spell/gosource"
)

// numberLiterals names the literals outside of functions as the compiler does,
// init.func1, init.func2, ..., in the order in which their variables are initialised.
func numberLiterals(sources []*File) {
	var literals []*gosource.Func
	for _, f := range sources {
		for i := range f.Funcs {
			if f.Funcs[i].Decl == nil {
				literals = append(literals, &f.Funcs[i])
			}
		}
	}
	if len(literals) < 2 {
		return
	}
	turn := initTurns(sources)
	slices.SortStableFunc(literals, func(a, b *gosource.Func) int {
		return cmp.Compare(turn(a.Body.Pos()), turn(b.Body.Pos()))
	})
	for i, lit := range literals {
		lit.Name = fmt.Sprintf("init.func%d", i+1)
	}
}

// initTurns gives the initialisation order of the expression at a position. Imports do not
// matter for it, and are not resolved.
func initTurns(sources []*File) func(token.Pos) int {
	files := make([]*ast.File, len(sources))
	for i, f := range sources {
		files[i] = f.ast
	}
	var info types.Info
	conf := types.Config{FakeImportC: true, Importer: noImports{}, Error: func(error) {}}
	conf.Check("", sources[0].fset, files, &info) //nolint:errcheck // as far as it can be checked
	return func(pos token.Pos) int {
		i := slices.IndexFunc(info.InitOrder, func(in *types.Initializer) bool {
			return in.Rhs.Pos() <= pos && pos < in.Rhs.End()
		})
		if i < 0 {
			return len(info.InitOrder)
		}
		return i
	}
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) {
	return nil, errors.New("imports are not looked for")
}
