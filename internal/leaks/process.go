package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spell-lsp/internal/leaks/checking"
)

// limit ends a process that hangs.
const limit = 10 * time.Minute

// A sandbox runs programs of other authors: with a home and a folder for temporary files of
// their own, and in a process group that is killed when they end.
type sandbox struct {
	dir string   // scratch folder
	env []string // of all programs
}

func newSandbox(ctx context.Context, dir string) (*sandbox, error) {
	s := &sandbox{dir: dir, env: os.Environ()}
	// The go command would look for these below the home folder.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"} {
		out, err := exec.CommandContext(ctx, "go", "env", name).Output()
		if err != nil {
			return nil, fmt.Errorf("go env %s: %w", name, err)
		}
		s.env = append(s.env, name+"="+strings.TrimSpace(string(out)))
	}
	for name, folder := range map[string]string{"HOME": "home", "TMPDIR": "tmp", "XDG_CACHE_HOME": "cache", "SPELL_LSP_DATA": "data"} {
		folder = filepath.Join(dir, folder)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("making a scratch folder: %w", err)
		}
		s.env = append(s.env, name+"="+folder)
	}
	s.env = append(s.env, "GOFLAGS=", "GOWORK=off")
	return s, nil
}

// run runs a program in a folder and returns what it printed on standard output. The error
// has the end of what it printed elsewhere.
func (s *sandbox) run(ctx context.Context, dir, name string, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, name, args...)
	cmd.Dir, cmd.Env = dir, slices.Concat(s.env, []string{"PWD=" + dir})
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	checking.Group(cmd)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		checking.KillGroup(cmd.Process)
	}
	if err == nil || ctx.Err() != nil {
		return out.String(), errors.Join(err, ctx.Err())
	}
	text := strings.TrimSpace(said.String() + out.String())
	return out.String(), fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, text[max(0, len(text)-2000):])
}
