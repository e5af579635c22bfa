package checking

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxOutput is how much of a program's output is looked at.
const maxOutput = 1 << 20

// A sandbox runs programs that others wrote.
type sandbox struct {
	dir string // scratch folder, without links
	env []string
}

func newSandbox(ctx context.Context, scratch string) (*sandbox, error) {
	dir, err := os.MkdirTemp(scratch, "checking-*")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	s := &sandbox{dir: dir, env: os.Environ()}
	// The go command would look for these below the home folder.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"} {
		out, err := exec.CommandContext(ctx, "go", "env", name).Output()
		if err != nil {
			return nil, fmt.Errorf("go env %s: %w", name, err)
		}
		s.env = append(s.env, name+"="+strings.TrimSpace(string(out)))
	}
	s.env = append(s.env, "GOFLAGS=-mod=mod", "GOWORK=off", "HOME="+filepath.Join(dir, "home"), "TMPDIR="+filepath.Join(dir, "tmp"))
	return s, s.empty()
}

// empty makes an empty home and an empty folder for temporary files.
func (s *sandbox) empty() error {
	for _, folder := range []string{"home", "tmp"} {
		folder = filepath.Join(s.dir, folder)
		if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o755)); err != nil {
			return fmt.Errorf("emptying a scratch folder: %w", err)
		}
	}
	return nil
}

// run runs a command that must succeed, and returns what it printed on both outputs.
func (s *sandbox) run(ctx context.Context, dir string, limit time.Duration, name string, args ...string) (string, error) {
	state, output, err := s.start(ctx, dir, limit, name, args...)
	if err == nil && !state.Success() {
		err = fmt.Errorf("%s %s: %s\n%s", name, args[0], state, strings.TrimSpace(output))
	}
	return output, err
}

// start runs a command to its end, however that is, or kills it when its time is up.
func (s *sandbox) start(ctx context.Context, dir string, limit time.Duration, name string, args ...string) (*os.ProcessState, string, error) {
	if err := s.empty(); err != nil {
		return nil, "", err
	}
	// A file, not a pipe: no reader takes time, and what outlives the command keeps nobody
	// waiting.
	out, err := os.Create(filepath.Join(s.dir, "output"))
	if err != nil {
		return nil, "", fmt.Errorf("creating a file for a program's output: %w", err)
	}
	defer out.Close()
	limited, cancel := context.WithTimeout(ctx, limit+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limited, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, slices.Concat(s.env, []string{"PWD=" + dir}), out, out
	Group(cmd)
	if err := cmd.Start(); err != nil {
		return nil, "", fmt.Errorf("starting %s: %w", name, err)
	}
	confine(cmd.Process)
	err = cmd.Wait()
	KillGroup(cmd.Process)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && limited.Err() == nil || ctx.Err() != nil {
		return nil, "", fmt.Errorf("running %s: %w", name, errors.Join(err, ctx.Err()))
	}
	text := make([]byte, maxOutput)
	n, err := out.ReadAt(text, 0)
	if err != nil && n == 0 && cmd.ProcessState == nil {
		return nil, "", fmt.Errorf("reading what %s printed: %w", name, err)
	}
	return cmd.ProcessState, string(text[:n]), nil
}
