package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"spell-lsp/internal/bench/harness"
)

// sources are the packages below this one, as they were when the command was built.
//
//go:embed *
var sources embed.FS

// versionOf is a hash of the Go code of some folders without its tests, so that results made
// by other code are not taken for those of this one. Comments and format do not count.
// Folders that do not exist count as empty.
func versionOf(folders ...string) (string, error) {
	hash := sha256.New()
	for _, folder := range folders {
		files, err := fs.Glob(sources, folder+"/*.go")
		if err != nil {
			return "", err
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := sources.ReadFile(name)
			if err != nil {
				return "", err
			}
			code, err := withoutComments(text)
			if err != nil {
				return "", fmt.Errorf("reading %s: %w", name, err)
			}
			fmt.Fprintf(hash, "%s %d\n%s", path.Base(name), len(code), code) //nolint:errcheck // a hash never fails
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:12]), nil
}

func withoutComments(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = format.Node(&b, fset, file)
	return b.Bytes(), err
}

// newBenchmark builds the command and connects the parts.
func newBenchmark(ctx context.Context, o options, scratch string) (*benchmark, *laboratory, error) {
	command, err := harness.BuildCommand(ctx, scratch)
	if err != nil {
		return nil, nil, err
	}
	// The build ID covers the source of the package and of all that it imports.
	runner, err := harness.Go(ctx, "", "list", "-export", "-trimpath", "-f", "{{.BuildID}}", "spell-lsp/runner")
	if err != nil {
		return nil, nil, err
	}
	seeding, err := versionOf("seeding", "checking")
	if err != nil {
		return nil, nil, err
	}
	box, err := newSandbox(ctx, scratch)
	if err != nil {
		return nil, nil, err
	}
	lab := &laboratory{sandbox: box, command: command, rounds: o.rounds}
	return &benchmark{
		state:     state{o.state},
		toolchain: fmt.Sprintf("%s %s/%s, %d processors", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		seeding:   seeding, measuring: strings.TrimSpace(runner),
		draw: seeded(box), real: realLeaks, text: box.text, measure: lab.measure,
	}, lab, nil
}
