// Package analyzers finds code that does more than it must: with analysers of the go/analysis
// framework (staticcheck's and x/tools' that concern cost, and own ones for what they lack). It knows
// no costs: package spell/advice tells which findings are worth a word.
package analyzers

import (
	"cmp"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"spell-lsp/spell/advice"
)

// A rule is an analyser with what advice needs beside its diagnostics.
type rule struct {
	*analysis.Analyzer
	name    string   // of the rule in advice
	help    string   // what to do instead; "" = the message says it
	callees []string // see advice.Finding; nil = those that the analyser gives as the category, or the lines
	not     string   // diagnostics that say this save nothing; "" = there are none
	fixes   bool     // its fixes keep the meaning for certain
}

// Find runs all rules over packages, which were loaded with syntax and types, and returns what they
// found in files below root. Packages with errors are left out: what is wrong with them is not known.
func Find(pkgs []*packages.Package, root string) []advice.Finding {
	var list []advice.Finding
	for _, p := range pkgs {
		if len(p.Errors) > 0 || p.Types == nil {
			continue
		}
		d := driver{pkg: p, results: make(map[*analysis.Analyzer]result)}
		for _, r := range rules() {
			for _, found := range d.run(r.Analyzer).diagnostics {
				if r.not != "" && strings.Contains(found.Message, r.not) {
					continue
				}
				file := fileOf(p, found.Pos)
				f, ok := finding(p.Fset, root, &r, &found)
				if !ok || ast.IsGenerated(file) {
					continue
				}
				if dotsStandard(file) { // what a rewrite leaves unused does not show
					f.Edits = nil
				}
				list = append(list, f)
			}
		}
	}
	return merged(list)
}

// merged sorts findings by place. Of several that a rule has in a line, as it may have more than one
// analyser, one with a rewrite stays.
func merged(list []advice.Finding) []advice.Finding {
	slices.SortStableFunc(list, func(a, b advice.Finding) int {
		return cmp.Or(
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Rule, b.Rule),
			cmp.Compare(min(1, len(b.Edits)), min(1, len(a.Edits))),
		)
	})
	return slices.CompactFunc(list, func(a, b advice.Finding) bool { return a.File == b.File && a.Line == b.Line && a.Rule == b.Rule })
}

func fileOf(p *packages.Package, at token.Pos) *ast.File {
	for _, f := range p.Syntax {
		if f.FileStart <= at && at <= f.FileEnd {
			return f
		}
	}
	return &ast.File{}
}

// dotsStandard tells whether a file has a dot import of a package of the standard library.
func dotsStandard(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool {
		return s.Name != nil && s.Name.Name == "." && !strings.Contains(strings.Split(s.Path.Value, "/")[0], ".")
	})
}

// finding converts a diagnostic; ok is false for one outside of root.
func finding(fset *token.FileSet, root string, r *rule, d *analysis.Diagnostic) (f advice.Finding, ok bool) {
	at := fset.PositionFor(d.Pos, false)
	file, ok := below(root, at.Filename)
	if !ok {
		return f, false
	}
	end := at
	if d.End.IsValid() {
		end = fset.PositionFor(d.End, false)
	}
	f = advice.Finding{
		Rule: r.name, File: file, Line: at.Line, Column: at.Column, EndLine: end.Line, EndColumn: end.Column,
		Message: strings.TrimSuffix(d.Message, "."), Help: r.help, Callees: r.callees,
	}
	if f.Callees == nil && d.Category != "" {
		f.Callees = strings.Split(d.Category, ",")
	}
	if r.fixes && len(d.SuggestedFixes) > 0 {
		f.Edits = edits(fset, root, d.SuggestedFixes[0].TextEdits)
	}
	return f, true
}

func edits(fset *token.FileSet, root string, list []analysis.TextEdit) []advice.Edit {
	var all []advice.Edit
	for _, e := range list {
		from := fset.PositionFor(e.Pos, false)
		to := from
		if e.End.IsValid() {
			to = fset.PositionFor(e.End, false)
		}
		file, ok := below(root, from.Filename)
		if !ok {
			return nil
		}
		all = append(all, advice.Edit{File: file, Start: from.Offset, End: to.Offset, Text: string(e.NewText)})
	}
	return all
}

// below is the name of a file relative to a folder, with forward slashes.
func below(folder, file string) (string, bool) {
	rel, err := filepath.Rel(folder, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
