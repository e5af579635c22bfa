package settings_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

// checkParsed holds for every input: an error leaves the settings below and
// fits on lines that a terminal can show; what was accepted is in range, so
// that it is read back from its own form.
func checkParsed(t *testing.T, got settings.Settings, err error) {
	t.Helper()
	if err != nil {
		if diff := cmp.Diff(complete, got); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", err, diff)
		}
		if strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("the error has an escape character: %q", err)
		}
		return
	}
	data, err := json.Marshal(got.Map())
	if err != nil {
		t.Fatal(err)
	}
	again, err := settings.ParseJSON(data, settings.Default())
	if err != nil {
		t.Fatalf("reading %s: %v", data, err)
	}
	if diff := cmp.Diff(got.Map(), again.Map()); diff != "" {
		t.Errorf("-parsed +read back:\n%s", diff)
	}
}

func FuzzParseYAML(f *testing.F) {
	for _, seed := range []string{
		completeYAML, "", "~", "top: 1\n---\ntop: 2\n", "&a [*a]", "? [a]\n: b", "zones: &z {red: *z}", "<<: {}",
		"top: 1_0\nwarmup: 0b11\nrounds: 0o17\n", "run: !!binary aGk=\n", "\ufeffmeter: 'model'", "timeout: 2001-01-01\n", "a: |\n  b\n c",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := settings.ParseYAML(data, "f", complete)
		checkParsed(t, got, err)
	})
}

func FuzzParseJSON(f *testing.F) {
	data, err := json.Marshal(complete.Map())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for _, seed := range []string{"", "null", "[]", "{}", `{"top": 1e400}`, `{"top": -0}`, `{"\u001b": {"a.b": [[]]}}`, `{"run": "\ud800"}`, `{"run": "\u001b("}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := settings.ParseJSON(data, complete)
		checkParsed(t, got, err)
	})
}
