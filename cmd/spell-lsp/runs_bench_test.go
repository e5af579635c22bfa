package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
	"spell-lsp/spell/store/runfile"
)

// The list of 10,000 saved runs, and their trend, are to take less than a tenth of a
// second: the commands as they are run, but for the start of the process.
func BenchmarkTenThousandRuns(b *testing.B) {
	dir := b.TempDir()
	keep(b, dir, keptRun{})
	s := store.Open(os.Getenv(store.Variable))
	entries, err := s.List(dir)
	if err != nil || len(entries) != 1 {
		b.Fatal(entries, err)
	}
	r, err := s.Load(dir, entries[0].ID)
	if err != nil {
		b.Fatal(err)
	}
	var runs string
	err = filepath.WalkDir(os.Getenv(store.Variable), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".run" {
			runs = filepath.Dir(path)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		e, another := entries[0], *r
		e.Started = e.Started.Add(time.Duration(i+1) * time.Minute)
		e.ID = record.NewID(e.Started)
		another.ID, another.Started = e.ID, e.Started
		put(b, filepath.Join(runs, e.ID+".run"), e, &another)
	}
	for name, args := range map[string][]string{"list": {"runs"}, "trend": {"runs", "trend"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var out, errout lineCounter
				if code := run(b.Context(), append(args, "-C", dir), nil, &out, &errout); code != exitDone || out < 10_000 || errout > 0 {
					b.Fatalf("exit code %d, %d lines, %d on standard error", code, out, errout)
				}
			}
		})
	}
}

// put writes the file of a run as the store does, without waiting for the disk.
func put(b *testing.B, path string, e store.Entry, r *record.Run) {
	b.Helper()
	file, err := runfile.Pack(e, r)
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(path)
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

type lineCounter int

func (n *lineCounter) Write(p []byte) (int, error) {
	for _, c := range p {
		if c == '\n' {
			*n++
		}
	}
	return len(p), nil
}
