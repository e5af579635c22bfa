//go:build go1.23

package html_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func parse(t *testing.T, text string) {
	node, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := html.Render(io.Discard, node); err != nil {
		t.Fatal(err)
	}
}

// The elements below a formula are looked at with the encoding of that formula.
func TestWorkloadFormula(t *testing.T) {
	parse(t, `<math><annotation-xml encoding="`+strings.Repeat("Application/", 400)+`">`+strings.Repeat("<mi>x</mi>", 8000)+`</annotation-xml></math>`)
}

func TestWorkloadPage(t *testing.T) {
	var b strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&b, `<tr class="row"><td><a href="/item/%d?a=1&amp;b=2">item %d</a><td><input type=text><p>some <b>bold</b> text`, i, i)
	}
	for range 10 {
		parse(t, "<!doctype html><title>items</title><table>"+b.String()+"</table>")
	}
}
