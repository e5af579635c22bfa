package gosource

import (
	"fmt"
	"go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The blocks of a function are found in their order, with their names and places.
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
		c := b.Component(f.Component("m", "x.go"))
		got = append(got, fmt.Sprintf("%s at %s %d-%d", c.ID, src[b.Start.Offset:b.KeywordTo.Offset], c.Line, c.EndLine))
	}
	want := []string{
		"m.F#for1 at for 4-11", "m.F#for1.if1 at if 5-7", "m.F#for1.if2 at if 7-8", "m.F#for1.else1 at else 8-10",
		"m.F#switch1.case1 at case 13-14", "m.F#switch1.default1 at default 15-15",
		"m.F#func1.for1 at for 18-22", "m.F#func1.for1.select1.case1 at case 20-20",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}
