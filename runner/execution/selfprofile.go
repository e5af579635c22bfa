package execution

import (
	"context"
	_ "embed" // what a program is given
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mattn/go-shellwords"

	"spell-lsp/instrument/overlay"
	"spell-lsp/runner/scratch"
)

// profileFile goes into package main of a program that is to sample itself, as its first file.
//
//go:embed _profile/spell_lsp_profile.go
var profileFile []byte

// profilingOverlay is the overlay of programs without probes that sample themselves.
func (s Source) profilingOverlay() (string, error) {
	dir, err := scratch.Sub(s.Scratch, "profiling")
	if err != nil {
		return "", err
	}
	files := maps.Clone(s.Plain)
	if files == nil {
		files = make(map[string][]byte)
	}
	maps.Copy(files, s.Buffers)
	for _, p := range s.Tests {
		files[filepath.Join(p.Dir, "0_spell_lsp_profile.go")] = profileFile
	}
	return overlay.Write(dir, files)
}

// linkerFlags are the flags for the linker that the user has set, and the one that lets the file above
// use the runtime's hook. The go command takes a flag of its command line in place of that of GOFLAGS.
func (s Source) linkerFlags(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOFLAGS")
	if err := s.Toolchain.Use(cmd, s.Dir, s.Scratch); err != nil {
		return "", err
	}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env GOFLAGS: %w", err)
	}
	return withUncheckedNames(strings.TrimSpace(string(out)))
}

// withUncheckedNames is -ldflags with the value that GOFLAGS gives it, and one flag more.
func withUncheckedNames(goflags string) (string, error) {
	words, err := shellwords.Parse(goflags)
	if err != nil {
		return "", fmt.Errorf("GOFLAGS is %q: %w", goflags, err)
	}
	var user string
	for _, word := range words {
		if value, found := strings.CutPrefix("-"+strings.TrimLeft(word, "-"), "-ldflags="); found {
			user = value + " "
		}
	}
	return "-ldflags=" + user + "-checklinkname=0", nil
}
