package text

import (
	"spell-lsp/spell/page"
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
	n := names{components: page.Shorten(ids, r.Workspace.Module), tests: map[string]string{}}
	for i, short := range page.Shorten(tests, r.Workspace.Module) {
		n.tests[tests[i]] = short
	}
	return n
}
