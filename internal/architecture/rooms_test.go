package architecture

import (
	"slices"
	"strings"
	"testing"
)

// The rooms of the server import few others of them, none in a circle: what a file shows
// is made from a snapshot, and what the client is told from what files show. Package lsp
// itself joins them; none imports it.
func TestRoomsOfTheServer(t *testing.T) {
	const server = "spell-lsp/lsp/"
	rooms := map[string]struct{ may, why string }{
		"location": {"", "places are the protocol's, whatever is there"},
		"redact":   {"", "what the log may tell depends on nothing else"},
		"wire":     {"redact", "the connection carries messages, whatever they are about"},
		"outline":  {"location", "what a text declares does not depend on what was measured"},
		"config":   {"location", "settings do not depend on what was measured"},
		"watch":    {"location redact", "who watches files does not know what they are to anybody"},
		"results":  {"location outline", "what was measured does not know what is open, or who is shown it"},
		"snapshot": {"location outline results", "a snapshot holds values: nobody is told that it was replaced"},
		"view":     {"location outline results snapshot", "what a file shows follows from a snapshot, without a client, tasks or a log"},
		"render":   {"results view", "text is made from marks: it changes nothing, and is sent by others"},
		"client":   {"redact wire", "what a client can do and is told does not depend on what is shown"},
		"publish":  {"client location render results snapshot view wire", "what is due depends on snapshots and views, not on how they came about"},
	}
	for pkg, imports := range packages(t) {
		room, inside := strings.CutPrefix(pkg, server)
		if !inside || under(pkg, server+"editors") {
			continue
		}
		rule, known := rooms[room]
		if !known {
			t.Errorf("%s is no room: say what it may import", pkg)
		}
		for _, imported := range imports {
			other, inside := strings.CutPrefix(imported, server)
			if inside && !slices.Contains(strings.Fields(rule.may), other) || imported == "spell-lsp/lsp" {
				t.Errorf("%s imports %s: %s", pkg, imported, rule.why)
			}
		}
	}
}
