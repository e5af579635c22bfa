package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// source is the folder of the program's module without its Files: in the module cache, to
// which it is downloaded if it is not there, or in this repository.
func (s *sandbox) source(ctx context.Context, p Program) (string, error) {
	if p.Version == "" {
		return p.Module, nil
	}
	out, err := s.run(ctx, s.dir, "go", "mod", "download", "-json", p.String())
	if err != nil {
		return "", err
	}
	var cached struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &cached); err != nil {
		return "", fmt.Errorf("downloading %s: %w", p, err)
	}
	return cached.Dir, nil
}

// text reads a file of the program.
func (s *sandbox) text(ctx context.Context, p Program, file string) (string, error) {
	if text, ok := p.Files[file]; ok {
		return text, nil
	}
	source, err := s.source(ctx, p)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(file)))
	if err != nil {
		return "", fmt.Errorf("reading %s of %s: %w", file, p, err)
	}
	return string(text), nil
}

// write writes the program to a new folder of its own, where its tests may write.
func (s *sandbox) write(ctx context.Context, p Program) (dir string, err error) {
	if dir, err = os.MkdirTemp(s.dir, "program-*"); err != nil {
		return "", fmt.Errorf("making a folder for %s: %w", p, err)
	}
	if p.Files["go.mod"] == "" || p.Version != "" { // not all of it is in Files
		source, err := s.source(ctx, p)
		if err != nil {
			return "", err
		}
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			return "", fmt.Errorf("copying %s: %w", p, err)
		}
	}
	for name, text := range p.Files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", fmt.Errorf("writing %s of %s: %w", name, p, err)
		}
	}
	// Old modules lack checksums of what they need; a measurement refuses to add them.
	_, err = s.run(ctx, dir, "go", "list", "-mod=mod", "-deps", "-test", p.pattern())
	return dir, err
}

// pattern is that of the packages whose tests are executed.
func (p Program) pattern() string { return cmp.Or(p.Packages, "./...") }

// testPackages lists the packages with tests of the program in dir.
func (s *sandbox) testPackages(ctx context.Context, p Program, dir string) ([]string, error) {
	out, err := s.run(ctx, dir, "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", p.pattern())
	return strings.Fields(out), err
}
