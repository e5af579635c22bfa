package settings_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"spell-lsp/spell/settings"
)

// Documentation and editors' schemas are made of the keys: each must be
// complete, and its default must be what the parsers accept.
func TestKeys(t *testing.T) {
	types := []string{"string", "integer", "number", "boolean", "array", "object", "integer or string"}
	seen := map[string]bool{}
	for _, k := range settings.Keys() {
		if seen[k.Name] {
			t.Errorf("%s is there twice", k.Name)
		}
		seen[k.Name] = true
		if !slices.Contains(types, k.Type) || k.Allowed == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: type %q, allowed %q, doc %q", k.Name, k.Type, k.Allowed, k.Doc)
		}
		value, err := json.Marshal(k.Default)
		if err != nil {
			t.Fatal(err)
		}
		document := `{"` + k.Name + `": ` + string(value) + `}`
		if group, name, ok := strings.Cut(k.Name, "."); ok {
			document = `{"` + group + `": {"` + name + `": ` + string(value) + `}}`
		}
		if _, err := settings.ParseJSON([]byte(document), complete); err != nil {
			t.Errorf("the default of %s: %v", k.Name, err)
		}
		for _, v := range k.Enum {
			if !strings.Contains(k.Allowed, v) {
				t.Errorf("%s: %q is not in %q", k.Name, v, k.Allowed)
			}
		}
	}
}

// Every field of the settings has a key: none is at its default after a file
// that sets them all.
func TestEveryFieldHasAKey(t *testing.T) {
	got, err := settings.ParseYAML([]byte(completeYAML), "f", settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	before, after := settings.Default().Map(), got.Map()
	for name, value := range after {
		a, errA := json.Marshal(value)
		b, errB := json.Marshal(before[name])
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if string(a) == string(b) {
			t.Errorf("%s is still %s", name, a)
		}
	}
}
