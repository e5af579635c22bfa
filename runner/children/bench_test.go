package children

import (
	"os"
	"testing"
)

// A look at a program without children is to cost next to nothing: it is made 50 times a
// second.
func BenchmarkLookWithoutChildren(b *testing.B) {
	w := New(os.Getpid())
	defer w.Close()
	for b.Loop() {
		w.look()
	}
}
