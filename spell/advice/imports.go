package advice

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// withoutImportRemovals leaves out edits that remove imports: one may be needed by another edit.
func withoutImportRemovals(text []byte, edits []Edit) []Edit {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ImportsOnly)
	if err != nil {
		return edits
	}
	return slices.DeleteFunc(edits, func(e Edit) bool {
		return e.Text == "" && slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
			return e.Start <= fset.Position(s.Pos()).Offset && fset.Position(s.End()).Offset <= e.End
		})
	})
}

// withoutUnused removes the imports of the standard library that after does not use, and before did.
func withoutUnused(before, after []byte) []byte {
	used := usedNames(before)
	left := usedNames(after)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", after, parser.ParseComments)
	if err != nil || used == nil {
		return after
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	var removed []Edit
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			name := importedAs(s.(*ast.ImportSpec))
			if name == "" || !used[name] || left[name] {
				continue
			}
			from, to := at(s.Pos()), at(s.End())
			if !g.Lparen.IsValid() {
				from, to = at(g.Pos()), at(g.End())
			}
			removed = append(removed, Edit{Start: from, End: to})
		}
	}
	for i := range removed {
		removed[i].Start, removed[i].End = wholeLine(after, removed[i].Start, removed[i].End)
	}
	return spliced(after, removed)
}

// usedNames are the names that selectors begin with; nil if the text is not Go.
func usedNames(text []byte) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	names := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// importedAs is the name of an import of the standard library; "" for others, whose name their path
// does not tell.
func importedAs(s *ast.ImportSpec) string {
	p, err := strconv.Unquote(s.Path.Value)
	if err != nil || p == "C" || strings.Contains(strings.Split(p, "/")[0], ".") {
		return ""
	}
	if s.Name == nil {
		return path.Base(p)
	}
	if s.Name.Name == "_" || s.Name.Name == "." {
		return ""
	}
	return s.Name.Name
}

// wholeLine widens a range to its line if nothing else is there, and else over a semicolon behind it.
func wholeLine(text []byte, from, to int) (int, int) {
	start := len(bytes.TrimRight(text[:from], " \t"))
	end := len(text) - len(bytes.TrimLeft(text[to:], " \t\r"))
	switch {
	case end < len(text) && text[end] == '\n' && (start == 0 || text[start-1] == '\n'):
		return start, end + 1
	case end < len(text) && text[end] == ';':
		return from, end + 1
	}
	return from, to
}
