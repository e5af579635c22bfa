package settings_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

// A file that people keep by hand must come back with one entry more, and with
// every comment and blank where it was.
func TestAddExclude(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no file":            {"", "exclude:\n  - \"p.F\"\n"},
		"comments only":      {"# mine\n", "# mine\nexclude:\n  - \"p.F\"\n"},
		"no key":             {"top: 3 # three\n\n# end\n", "top: 3 # three\n\n# end\nexclude:\n  - \"p.F\"\n"},
		"no end of line":     {"top: 3", "top: 3\nexclude:\n  - \"p.F\"\n"},
		"indented":           {"  top: 3\n", "  top: 3\n  exclude:\n    - \"p.F\"\n"},
		"end of document":    {"---\n# first\ntop: 3\n...\n", "---\n# first\nexclude:\n  - \"p.F\"\ntop: 3\n...\n"},
		"list":               {"exclude:\n- gen # made\n# next\ntop: 3\n", "exclude:\n- gen # made\n- \"p.F\"\n# next\ntop: 3\n"},
		"indented list":      {"top: 3\nexclude:\n    - 'é'\n", "top: 3\nexclude:\n    - 'é'\n    - \"p.F\"\n"},
		"list at the end":    {"exclude:\n  - gen", "exclude:\n  - gen\n  - \"p.F\""},
		"flow list":          {"exclude: [ gen, x ] # two\n", "exclude: [\"p.F\",  gen, x ] # two\n"},
		"empty flow list":    {"exclude: []\n", "exclude: [\"p.F\"]\n"},
		"list on many lines": {"exclude: [\n  gen,\n]\n", "exclude: [\"p.F\", \n  gen,\n]\n"},
		"nothing":            {"exclude: # none yet\ntop: 3\n", "exclude: [\"p.F\"] # none yet\ntop: 3\n"},
		"null":               {"exclude: ~ # none yet\n", "exclude: [\"p.F\"] # none yet\n"},
		"JSON":               {`{"top": 3}`, `{exclude: ["p.F"], "top": 3}`},
		"empty JSON":         {"{}\n", "{exclude: [\"p.F\"]}\n"},
		"JSON with the list": {`{"exclude": ["gen"]}`, `{"exclude": ["p.F", "gen"]}`},
		"byte order mark":    {"\ufeffexclude: [gen]\n", "\ufeffexclude: [\"p.F\", gen]\n"},
		"CRLF":               {"top: 3\r\nexclude:\r\n  - gen\r\n", "top: 3\r\nexclude:\r\n  - gen\r\n  - \"p.F\"\r\n"},
		"CRLF without a key": {"top: 3\r\n", "top: 3\r\nexclude:\r\n  - \"p.F\"\r\n"},
		"anchor":             {"exclude: &x\n  - gen\n", "exclude: &x\n  - gen\n  - \"p.F\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			edit, err := settings.AddExclude([]byte(test.text), "p.F")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, test.text[:edit.From]+edit.Text+test.text[edit.To:]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Names of methods have stars and parentheses, those of files anything.
func TestAddExcludeQuotes(t *testing.T) {
	for _, entry := range []string{"p.(*T).M", "a: b", "- #x", `"q" & <r>`, "größe/*.go"} {
		edit, err := settings.AddExclude([]byte("exclude: [gen]\n"), entry)
		if err != nil {
			t.Fatal(err)
		}
		text := "exclude: [gen]\n"
		got, err := settings.ParseYAML([]byte(text[:edit.From]+edit.Text+text[edit.To:]), "f", settings.Default())
		if err != nil || !slices.Contains(got.Exclude, entry) || len(got.Exclude) != 2 {
			t.Errorf("%q: exclude is %q, %v", entry, got.Exclude, err)
		}
	}
}

// A file with mistakes is not made worse, and an entry that is no glob is none.
func TestAddExcludeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"tops: 3\n": "tops is not a setting", "exclude: [\n": "not YAML", "exclude:\n  - >\n    gen\n    more\n": "by hand",
	} {
		if _, err := settings.AddExclude([]byte(text), "p.F"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, must say %q", text, err, want)
		}
	}
	if _, err := settings.AddExclude(nil, "[a"); err == nil {
		t.Error("an entry that is not a glob was added")
	}
}

// Whatever the file, an edit adds the entry and changes no other setting.
func FuzzAddExclude(f *testing.F) {
	for _, seed := range []string{completeYAML, "", "exclude: [a]", "exclude:\n- a\n", "{}", "\ufeff# x\r\n", "? exclude\n: - a\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		edit, err := settings.AddExclude(data, "p.(*T).M")
		if err != nil {
			return
		}
		before, err := settings.ParseYAML(data, "f", settings.Default())
		if err != nil {
			t.Fatalf("an edit of a file with mistakes: %v", err)
		}
		after, err := settings.ParseYAML(slices.Concat(data[:edit.From], []byte(edit.Text), data[edit.To:]), "f", settings.Default())
		if err != nil || len(after.Exclude) != len(before.Exclude)+1 || !slices.Contains(after.Exclude, "p.(*T).M") {
			t.Fatalf("exclude was %q, is %q, %v", before.Exclude, after.Exclude, err)
		}
		after.Exclude = before.Exclude
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("other settings changed (-before +after):\n%s", diff)
		}
	})
}
