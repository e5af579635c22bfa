package analyzers

import (
	"fmt"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"spell-lsp/spell/regularfile"
)

// A driver runs analysers over one package. Facts of other packages are not known: package checker
// of x/tools needs the source of all dependencies for them, which takes many times as long, and no
// rule rests on them.
type driver struct {
	pkg     *packages.Package
	results map[*analysis.Analyzer]result
}

type result struct {
	value       any
	diagnostics []analysis.Diagnostic
	err         error
}

// run returns what an analyser found; nothing if it, or one that it needs, failed.
func (d *driver) run(a *analysis.Analyzer) result {
	if r, known := d.results[a]; known {
		return r
	}
	r := d.runNew(a)
	d.results[a] = r
	return r
}

func (d *driver) runNew(a *analysis.Analyzer) (r result) {
	needs := make(map[*analysis.Analyzer]any)
	for _, other := range a.Requires {
		needed := d.run(other)
		if needed.err != nil {
			return result{err: needed.err}
		}
		needs[other] = needed.value
	}
	// An analyser that meets code that it was not made for must not end the others.
	defer func() {
		if cause := recover(); cause != nil {
			r = result{err: fmt.Errorf("%s: %v", a.Name, cause)}
		}
	}()
	var found []analysis.Diagnostic
	value, err := a.Run(d.pass(a, needs, func(one analysis.Diagnostic) { found = append(found, one) }))
	return result{value, found, err}
}

func (d *driver) pass(a *analysis.Analyzer, needs map[*analysis.Analyzer]any, report func(analysis.Diagnostic)) *analysis.Pass {
	objects, pkgs := make(map[types.Object]analysis.Fact), make(map[*types.Package]analysis.Fact)
	pass := &analysis.Pass{
		Analyzer: a, Fset: d.pkg.Fset, Files: d.pkg.Syntax, OtherFiles: d.pkg.OtherFiles, IgnoredFiles: d.pkg.IgnoredFiles,
		Pkg: d.pkg.Types, TypesInfo: d.pkg.TypesInfo, TypesSizes: d.pkg.TypesSizes,
		ResultOf: needs, Report: report, ReadFile: func(name string) ([]byte, error) { return regularfile.Read(name, regularfile.MaxSource) },
		ImportObjectFact: func(types.Object, analysis.Fact) bool { return false }, ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(o types.Object, f analysis.Fact) { objects[o] = f },
		ExportPackageFact: func(f analysis.Fact) { pkgs[d.pkg.Types] = f },
		AllObjectFacts: func() []analysis.ObjectFact {
			var list []analysis.ObjectFact
			for _, o := range slices.Collect(maps.Keys(objects)) {
				list = append(list, analysis.ObjectFact{Object: o, Fact: objects[o]})
			}
			return list
		},
		AllPackageFacts: func() []analysis.PackageFact { return nil },
	}
	if m := d.pkg.Module; m != nil {
		pass.Module = &analysis.Module{Path: m.Path, Version: m.Version, GoVersion: m.GoVersion}
	}
	return pass
}
