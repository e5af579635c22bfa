package page

import (
	"slices"
	"strings"
)

// Shorten returns the names without the module path. A name keeps it if its short form is the
// short or full form of another name.
func Shorten(full []string, module string) []string {
	if module == "" {
		return slices.Clone(full)
	}
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

// goFile ends the name of a file, which is relative to the module and stays as it is. No
// function or type can be called go.
const goFile = ".go"

// withoutModule returns sub.F for example.com/mod/sub.F, and F for example.com/mod.F.
func withoutModule(name, module string) string {
	rest, ok := strings.CutPrefix(name, module)
	if ok && !strings.HasSuffix(name, goFile) && len(rest) > 1 && (rest[0] == '.' || rest[0] == '/') {
		return rest[1:]
	}
	return name
}
