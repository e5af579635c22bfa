package text

import (
	"strings"

	"spell-lsp/spell/record"
)

// names are the names of components and tests without the module path where
// that leaves them different.
type names struct {
	components []string          // by index
	tests      map[string]string // by full name
}

func newNames(r *record.Run) names {
	ids := make([]string, len(r.Components))
	for i := range ids {
		ids[i] = r.Components[i].ID
	}
	tests := make([]string, len(r.Tests))
	for i := range tests {
		tests[i] = r.Tests[i].Name
	}
	n := names{components: shorten(ids, r.Workspace.Module), tests: map[string]string{}}
	for i, short := range shorten(tests, r.Workspace.Module) {
		n.tests[tests[i]] = short
	}
	return n
}

// shorten returns the names without the module path. A name whose short form
// is that of another, or is another's full one, stays as it is.
func shorten(full []string, module string) []string {
	uses := map[string]int{}
	short := make([]string, len(full))
	for i, name := range full {
		short[i] = withoutModule(name, module)
		uses[name]++
		if short[i] != name {
			uses[short[i]]++
		}
	}
	for i, name := range full {
		if uses[short[i]] > 1 {
			short[i] = name
		}
	}
	return short
}

// withoutModule makes sub.F of example.com/mod/sub.F, and F of example.com/mod.F.
func withoutModule(name, module string) string {
	rest, ok := strings.CutPrefix(name, module)
	if ok && module != "" && len(rest) > 1 && (rest[0] == '.' || rest[0] == '/') {
		return rest[1:]
	}
	return name
}
