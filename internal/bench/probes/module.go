package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/txtar"

	"spell-lsp/internal/bench/harness"
)

//go:embed testdata/*.txtar
var archives embed.FS

// fetch puts a module, given as path@version, into a folder of its own, where
// its tests may write. It is downloaded if the module cache does not have it.
func (b *bench) fetch(ctx context.Context, module string) (dir string, err error) {
	if dir, err = b.folder("modules", strings.ReplaceAll(module, "/", "_")); err != nil {
		return "", err
	}
	out, err := harness.Go(ctx, b.scratch, "mod", "download", "-json", module)
	if err != nil {
		return "", fmt.Errorf("fetching a module: %w", err)
	}
	var cached struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &cached); err != nil {
		return "", fmt.Errorf("fetching %s: %w", module, err)
	}
	if err := os.CopyFS(dir, os.DirFS(cached.Dir)); err != nil {
		return "", fmt.Errorf("copying %s: %w", module, err)
	}
	return dir, nil
}

// unpack writes the module of testdata/NAME.txtar to a folder of its own.
func (b *bench) unpack(name string) (dir string, err error) {
	text, err := archives.ReadFile("testdata/" + name + ".txtar")
	if err != nil {
		return "", err
	}
	files, err := txtar.FS(txtar.Parse(text))
	if err != nil {
		return "", fmt.Errorf("%s.txtar: %w", name, err)
	}
	if dir, err = b.folder("modules", name); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return "", fmt.Errorf("unpacking %s.txtar: %w", name, err)
	}
	return dir, nil
}
