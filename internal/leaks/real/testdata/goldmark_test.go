//go:build go1.23

package goldmark_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
)

func TestWorkloadBrackets(t *testing.T) {
	text := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	if err := goldmark.Convert([]byte(text), io.Discard); err != nil {
		t.Fatal(err)
	}
}

func TestWorkloadDocument(t *testing.T) {
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "# Heading %d\n\nSome *emphasis*, `code` and a [link](/url/%d \"title\").\n\n- a list\n- of items\n\n> a quote\n\n```go\nfunc f() {}\n```\n\n", i, i)
	}
	for range 24 {
		if err := goldmark.Convert([]byte(b.String()), io.Discard); err != nil {
			t.Fatal(err)
		}
	}
}
