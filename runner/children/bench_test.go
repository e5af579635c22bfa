package children

import (
	"os"
	"os/exec"
	"testing"
)

// Polling a program without children must cost next to nothing: it happens 50 times a
// second.
func BenchmarkPollWithoutChildren(b *testing.B) {
	w := New(os.Getpid())
	defer w.Close()
	for b.Loop() {
		w.poll()
	}
}

// While there is a child, each poll reads its files.
func BenchmarkPollWithAChild(b *testing.B) {
	w := New(os.Getpid())
	defer w.Close()
	cmd := exec.CommandContext(b.Context(), "cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w.poll()
	}
	if len(w.tree.members) != 1 {
		b.Errorf("%d children are known, want 1", len(w.tree.members))
	}
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}
