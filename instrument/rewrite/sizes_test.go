package rewrite

import (
	"go/token"
	"slices"
	"testing"
)

// What is behind the pointer of a receiver is read where the function itself does so first. Before that it could take
// a lock.
func TestSizesReadFirst(t *testing.T) {
	f := parseOne(t, "p.go", []byte(`package p

import "sync"

type park struct {
	mu   sync.Mutex
	cars []int
	seen map[int]int
}

func (p *park) locked() map[int]int { p.mu.Lock(); return p.seen }

func (p *park) Reads()    { var n int; n = len(p.cars); _ = n }
func (p *park) Assigns()  { n := 0; n = len(p.cars); _ = n }
func (p *park) Defines()  { n := len(p.cars); _ = n }
func (p *park) LocksLeft() { p.locked()[1] = len(p.cars) }
func (p *park) Locks()    { p.mu.Lock(); _ = len(p.cars) }
func (p *park) Calls()    { _ = len(p.locked()) + len(p.cars) }
`))
	want := map[string]bool{"(*park).Defines": true}
	for i := range f.Funcs {
		got := f.Sizes(i, func(token.Pos) bool { return false })
		if name := f.Funcs[i].Name; want[name] != slices.Equal(got, []string{"len(p.cars)"}) {
			t.Errorf("%s has the sizes %q", name, got)
		}
	}
}
