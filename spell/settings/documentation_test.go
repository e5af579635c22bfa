package settings_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

var update = flag.Bool("update", false, "write the table of settings in docs anew")

// The table of settings in the documentation is made of the keys, so a key cannot be
// added, removed or changed without its users being told.
func TestDocumentation(t *testing.T) {
	const (
		path  = "../../docs/configuration.md"
		begin = "-update -->\n"
		end   = "<!-- /table -->"
	)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, hasBegin := strings.Cut(string(text), begin)
	table, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		t.Fatalf("%s has no table between %q and %q", path, begin, end)
	}
	want := keyTable(t)
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("%s is not what the keys say; run: go test ./spell/settings -run TestDocumentation -update\n%s", path, diff)
	}
}

// keyTable is all keys as a Markdown table, in the order of settings.Keys.
func keyTable(t *testing.T) string {
	t.Helper()
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;")
	var b strings.Builder
	b.WriteString("\n| key | meaning | value | default | read without trust |\n|---|---|---|---|---|\n")
	for _, k := range settings.Keys() {
		value, err := json.Marshal(k.Default)
		if err != nil {
			t.Fatal(err)
		}
		harmless := "no"
		if k.Trust.Harmless() {
			harmless = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", k.Name, escape.Replace(k.Doc), escape.Replace(k.Allowed), value, harmless)
	}
	b.WriteString("\n")
	return b.String()
}
