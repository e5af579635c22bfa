package runner

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/spell/note"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/suggestion"
)

// noteFilters notes what was chosen and reached nothing, while something else ran.
func (m *measurement) noteFilters() {
	for _, pattern := range uselessPatterns(m.Dir, m.Patterns, m.build) {
		m.note(note.PatternUseless(pattern))
	}
	if m.Bench != "" && !m.ran(isBenchmark) {
		m.note(note.NoBenchmarkMatches(m.Bench, m.declared(m.Bench, isBenchmark)))
	}
	if m.Subtests && strings.Contains(m.Run, "/") && !m.ran(func(name string) bool { return isTest(name) && strings.Contains(name, "/") }) {
		m.note(note.NoSubtestMatches(m.Run))
	}
}

// ran says whether a test with such a name ran in a round.
func (m *measurement) ran(such func(name string) bool) bool {
	return slices.ContainsFunc(slices.Concat(m.warm, m.kept), func(r *round) bool {
		return slices.ContainsFunc(r.tests, func(o *observation) bool { return such(o.name) })
	})
}

func isBenchmark(name string) bool { return strings.HasPrefix(name, "Benchmark") }

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Example") || strings.HasPrefix(name, "Fuzz")
}

// declared says which tests a pattern may be meant to match, or else which there are.
func (m *measurement) declared(pattern string, such func(name string) bool) string {
	var names []string
	for _, p := range m.programs {
		names = append(names, slices.DeleteFunc(declaredIn(p.Dir), func(name string) bool { return !such(name) })...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if near := nearestTest(pattern, names); near != "" {
		return "did you mean " + near + "?"
	}
	if len(names) == 0 {
		return "there is none"
	}
	return "there are " + strings.Join(shortlist.Of(names), ", ")
}

// nearestTest is the name that a pattern misspells, with or without Test in front; "" if none.
func nearestTest(pattern string, names []string) string {
	wanted := strings.Trim(topLevel(pattern), "^$()")
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = name
		for _, kind := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
			short[i] = strings.TrimPrefix(short[i], kind)
		}
	}
	for _, known := range [][]string{names, short} {
		for _, i := range suggestion.Nearest(wanted, known, 1) {
			return names[i]
		}
	}
	return ""
}

// declaredIn lists the functions in the test files of a folder, as far as these can be read.
func declaredIn(dir string) (names []string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // a folder with a name that is a bad pattern has none
	for _, file := range files {
		text, err := regularfile.Read(file, regularfile.MaxSource)
		if err != nil {
			continue
		}
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution) // the compiler took it
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
