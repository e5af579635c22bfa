package content

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// makeTree makes n files of 0.5 to 20 kB in folders of 50 at three levels, like those of Go modules.
func makeTree(b *testing.B, n int) string {
	b.Helper()
	dir, random := b.TempDir(), rand.New(rand.NewPCG(1, 2))
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("group%d", i/1000), fmt.Sprintf("package%d", i/50), fmt.Sprintf("file_%d.go", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		text := strings.Repeat(fmt.Sprintf("// Line %d of a file.\n", i), 25+random.IntN(800))
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{5_000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := makeTree(b, n)
			for b.Loop() {
				tree, err := Scan(b.Context(), dir, Options{Ignored: true})
				if err != nil || len(tree.Entries) < n {
					b.Fatal(len(tree.Entries), err)
				}
				b.SetBytes(tree.Size())
			}
		})
	}
}

func BenchmarkLay(b *testing.B) {
	const n = 5_000
	w := workspace{nil, makeTree(b, n)}
	tree, err := Scan(b.Context(), w.dir, Options{Ignored: true})
	if err != nil {
		b.Fatal(err)
	}
	var source Source
	if err := source.AddTree(w.dir, tree, Options{}); err != nil {
		b.Fatal(err)
	}
	store, err := OpenStore(b.Context(), filepath.Join(b.TempDir(), "store"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	for _, hash := range store.Missing(tree.Hashes()) {
		r, size, err := source.Open(hash)
		if err != nil {
			b.Fatal(err)
		}
		if err := store.Put(hash, size, r); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
	b.SetBytes(tree.Size())
	for b.Loop() {
		dir := b.TempDir()
		if err := store.Lay(tree, dir); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
