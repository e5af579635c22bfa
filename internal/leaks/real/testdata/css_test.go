//go:build go1.23

package css_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

func declarations(t *testing.T, text string) int {
	p := css.NewParser(parse.NewInput(bytes.NewBufferString(text)), false)
	n := 0
	for {
		switch gt, _, _ := p.Next(); gt {
		case css.ErrorGrammar:
			if p.Err() != io.EOF {
				t.Fatal(p.Err())
			}
			return n
		case css.DeclarationGrammar:
			n++
		}
	}
}

func TestWorkloadLongDeclaration(t *testing.T) {
	if declarations(t, "a{transition:"+strings.Repeat("left 1s , top 2s , ", 2500)+"width 3s}") != 1 {
		t.Fatal("not one declaration")
	}
}

func TestWorkloadStyleSheet(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "/* rule */ .class-%d > p:hover, #id-%d { margin: 0 auto; font: bold 12px/30px Georgia, serif; background: url(a.png) no-repeat; color: #%06x }\n", i, i, i)
	}
	for range 40 {
		if declarations(t, b.String()) != 8000 {
			t.Fatal("declarations are missing")
		}
	}
}
