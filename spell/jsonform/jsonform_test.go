package jsonform_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"spell-lsp/spell/jsonform"
)

// Why: names of generic functions have < and >, which people search for, and a script that reads lines wants a last one.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := jsonform.Write(&b, "the result", map[string]any{"id": "m.Map<K&V>", "sizes": []int{16}}); err != nil {
		t.Fatal(err)
	}
	if want := "{\n \"id\": \"m.Map<K&V>\",\n \"sizes\": [\n  16\n ]\n}\n"; b.String() != want {
		t.Errorf("it is %q, want %q", b.String(), want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestErrors(t *testing.T) {
	if err := jsonform.Write(brokenPipe{}, "the result", 1); err == nil || err.Error() != "writing the result: broken pipe" {
		t.Errorf("the error is %v", err)
	}
	if err := jsonform.Write(&bytes.Buffer{}, "the growths", math.Inf(1)); err == nil || err.Error() != "writing the growths: json: unsupported value: +Inf" {
		t.Errorf("the error is %v", err)
	}
}
