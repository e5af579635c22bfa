package runner

import (
	"bufio"
	"bytes"
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"spell-lsp/instrument"
	"spell-lsp/runner/git"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/virtual"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

// host describes this machine; fields that /proc/cpuinfo does not tell stay empty.
func host(goVersion string, o meter.Options) record.Host {
	h := record.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: goVersion}
	h.Virtual, _ = virtual.Machine(o)
	f, err := regularfile.Open("/proc/cpuinfo")
	if err != nil {
		return h
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == "model name" {
			h.CPU = strings.TrimSpace(value)
		}
	}
	return h
}

// workspace describes the source that is measured.
func workspace(ctx context.Context, dir string, b *instrument.Build, buffers map[string][]byte) record.Workspace {
	w := record.Workspace{Root: relativeRoot(dir, b.Root), Module: b.Module}
	revision, err := git.Commit(ctx, b.Root, "HEAD")
	if err != nil {
		return w
	}
	w.Revision = revision
	dirty, err := git.Dirty(ctx, b.Root)
	w.Dirty = err != nil || dirty || unsaved(buffers)
	return w
}

// unsaved says whether the text of a buffer differs from its file.
func unsaved(buffers map[string][]byte) bool {
	for name, text := range buffers {
		if onDisk, err := regularfile.Read(name, regularfile.MaxSource); err != nil || !bytes.Equal(onDisk, text) {
			return true
		}
	}
	return false
}

// relativeRoot is the root relative to the folder that is measured, in most cases ".": a record
// does not tell where on a machine it was made.
func relativeRoot(dir, root string) string {
	dir, root = realPath(dir), realPath(root)
	rel, err := filepath.Rel(dir, root)
	if err != nil {
		return filepath.ToSlash(root)
	}
	return filepath.ToSlash(rel)
}

// realPath resolves the links in the name of a folder, or returns the name where there is no
// such folder.
func realPath(dir string) string {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	return dir
}
