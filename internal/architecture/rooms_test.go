package architecture

import (
	"slices"
	"strings"
	"testing"
)

// serverRooms are the packages that the language server is made of, each with the others
// that it may reach at any distance. Package lsp itself joins them; none reaches it.
var serverRooms = map[string][]string{
	"location": nil,
	"redact":   nil,
	"config":   {"location"},
	"outline":  {"location"},
	"watch":    {"location", "redact"},
	"wire":     {"redact"},
	"results":  {"location", "outline"},
	"snapshot": {"location", "outline", "results"},
	"view":     {"location", "outline", "redact", "results", "snapshot", "wire"},
	"render":   {"location", "outline", "redact", "results", "snapshot", "view", "wire"},
	"client":   {"location", "outline", "redact", "render", "results", "snapshot", "view", "wire"},
	"publish":  {"client", "location", "outline", "redact", "render", "results", "snapshot", "view", "wire"},
}

func TestRoomsOfTheLanguageServer(t *testing.T) {
	const server = "spell-lsp/lsp"
	for room, may := range serverRooms {
		for dep := range reached(t, func(pkg string) bool { return pkg == server+"/"+room }) {
			other, inside := strings.CutPrefix(dep, server+"/")
			if dep == server || inside && other != room && !slices.Contains(may, other) {
				t.Errorf("lsp/%s reaches %s: it may reach %v only", room, dep, may)
			}
		}
	}
	for pkg := range packages(t) {
		room, inside := strings.CutPrefix(pkg, server+"/")
		if _, known := serverRooms[room]; inside && !known && !under(pkg, server+"/editors") {
			t.Errorf("%s is no room: say what it may reach", pkg)
		}
	}
}
