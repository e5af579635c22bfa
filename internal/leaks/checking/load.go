package checking

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"spell-lsp/internal/leaks/seeding"
)

// load parses and type-checks the packages of the module. Packages with errors are left out:
// some modules have packages for other systems.
func (m *Module) load(ctx context.Context) error {
	fset := token.NewFileSet()
	list, err := packages.Load(&packages.Config{
		Context: ctx, Dir: m.dir, Env: m.sandbox.env, Fset: fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		return fmt.Errorf("loading the packages: %w", err)
	}
	var faults []error
	for _, pkg := range list {
		for _, e := range pkg.Errors {
			faults = append(faults, e)
		}
		if len(pkg.Errors) > 0 || len(pkg.Syntax) != len(pkg.CompiledGoFiles) {
			continue
		}
		for i, file := range pkg.CompiledGoFiles {
			name, err := filepath.Rel(m.dir, file)
			if err != nil || strings.HasPrefix(name, "..") {
				continue // made by cgo
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("reading a source file: %w", err)
			}
			m.sources = append(m.sources, seeding.Source{
				Name: filepath.ToSlash(name), Text: text, Fset: fset,
				Syntax: pkg.Syntax[i], Types: pkg.Types, Info: pkg.TypesInfo,
			})
		}
	}
	if len(m.sources) == 0 {
		return fmt.Errorf("no package of the module can be type-checked: %w", errors.Join(faults...))
	}
	return nil
}
