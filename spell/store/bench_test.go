package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
	"spell-lsp/spell/store/runfile"
)

// A list of 10,000 runs is to take less than a tenth of a second, with an index, and
// the latest of them, which an editor shows at its start, no more than that of one.
func BenchmarkTenThousandRuns(b *testing.B) {
	s := store.Open(b.TempDir())
	save(b, s, runOf(1))
	begin := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	for i := range 10_000 {
		put(b, s, record.NewID(begin.Add(time.Duration(i)*time.Minute)))
	}
	list := func(b *testing.B) {
		entries, err := s.List(workspace)
		if err != nil || len(entries) != 10_001 {
			b.Fatalf("%d runs, error %v", len(entries), err)
		}
	}
	b.Run("list without index", func(b *testing.B) {
		for b.Loop() {
			os.Remove(filepath.Join(s.Folder(workspace), "index"))
			list(b)
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			list(b)
		}
	})
	b.Run("latest", func(b *testing.B) {
		for b.Loop() {
			if _, ok, err := s.Latest(workspace); !ok || err != nil {
				b.Fatal(ok, err)
			}
		}
	})
}

// put writes the file of a run as Save does, without waiting for the disk.
func put(b *testing.B, s *store.Store, id string) {
	b.Helper()
	r := runWith(id, 1)
	file, err := runfile.Pack(store.Entry{ID: id, Started: r.Started, Tests: 1, Components: 1, Meter: "rapl", Source: record.Measured, Revision: "abc123"}, r)
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(filepath.Join(s.Folder(workspace), "runs", id+".run"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := file.WriteTo(f); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
