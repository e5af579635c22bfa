package gosource

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The blocks of a function are found in their order, with their places.
func TestBlocks(t *testing.T) {
	src := `package p

func F(n int) {
	for i := range n {
		if i > 1 {
			F(i)
		} else if i > 0 {
		} else {
			F(0)
		}
	}
	switch n {
	case 1:
		F(1)
	default:
	}
	go func() {
		for {
			select {
			case <-c:
			}
		}
	}()
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := Functions(fset, file, []byte(src))[0]
	var got []string
	for _, b := range Blocks(fset, f.Body, []byte(src)) {
		got = append(got, fmt.Sprintf("%s %d-%d", src[b.Start.Offset:b.KeywordTo.Offset], b.Start.Line, b.End.Line))
	}
	want := strings.Split("for 4-11,if 5-7,if 7-8,{ 8-10,case 13-14,default 15-15,for 18-22,case 20-20", ",")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}
