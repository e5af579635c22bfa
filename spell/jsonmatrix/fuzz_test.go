package jsonmatrix_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/jsonmatrix"
)

// Whatever the input, Read does not panic; what it takes is JSON and valid, is
// written without an error, and read from that again it is the same.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"",
		"\ufeff{" + strings.Join([]string{schema, domains, tests, components, cells}, ",") + "}",
		"{" + strings.Join([]string{cells, components, tests, domains, `"energy":"estimated"`, schema}, ",\r\n") + "}",
		"{" + schema + `,"x":[{"y":-1.5e-3,"z":[true,false,null,"\ud83d\ude00\/\b\f"]}],"tests":["t"],"components":["c"],"cells":[{"t":0,"c":0,"n":-0}]}`,
		"{" + schema + `,"tests":["t"],"components":["c"],"cells":[{"t":0,"c":0},{"c":0,"t":0}]}`,
		"{" + schema + `,"tests":["t"],"components":["c"],"cells":[{"t":0,"c":1,"time_ms":1e60}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, origin, err := jsonmatrix.Read(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		if !json.Valid(bytes.TrimPrefix(text, []byte("\ufeff"))) {
			t.Fatal("Read took what is not JSON")
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("Read took what is not valid: %v", err)
		}
		var written bytes.Buffer
		if err := jsonmatrix.Write(&written, m, origin); err != nil {
			t.Fatal(err)
		}
		again, sameOrigin, err := jsonmatrix.Read(&written, "written")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, bits); diff != "" || origin != sameOrigin {
			t.Errorf("read, written and read again: origin %q of %q, matrix (-first +second):\n%s", sameOrigin, origin, diff)
		}
	})
}
