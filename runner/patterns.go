package runner

import (
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument"
)

// uselessPatterns lists the patterns of packages that reach no test. Where only the tests are
// built that reach a function, nothing is known.
func uselessPatterns(dir string, patterns []string, b *instrument.Build) []string {
	if len(patterns) < 2 || b.Reach != "" {
		return nil // one that reaches nothing is an error
	}
	var useless []string
	for _, pattern := range patterns {
		if !slices.ContainsFunc(b.Tests, func(p instrument.Package) bool { return mayMatch(dir, pattern, p) }) {
			useless = append(useless, pattern)
		}
	}
	return useless
}

// mayMatch says whether a package may be one of a pattern (go help packages): it says yes to
// patterns that it does not know.
func mayMatch(dir, pattern string, p instrument.Package) bool {
	at, below := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if strings.Contains(at, "...") || strings.Contains(at, "=") || slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, at) {
		return true
	}
	name := p.Path
	if filepath.IsAbs(at) || strings.HasPrefix(at, ".") {
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		at, name = realPath(at), realPath(p.Dir)
	}
	at = filepath.ToSlash(at)
	name = filepath.ToSlash(name)
	return name == at || below && strings.HasPrefix(name, strings.TrimSuffix(at, "/")+"/")
}
