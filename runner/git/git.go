// Package git asks git about the repository of a folder, and starts no program that
// the repository could choose.
//
// A repository is data of whoever made it, and its configuration names programs: file
// system monitors (core.fsmonitor), hooks, filters, the remote's program of a partial
// clone that lacks an object (remote.*.uploadpack), credential helpers, pagers. Every
// call here switches them off; githooks(5), gitattributes(5) and git-config(1) list
// them. safe.directory stays in force: git refuses the repository of another user.
// A repository can be slow as well, so every call has a time limit.
package git

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

	"spell-lsp/spell/capture"
)

// limit is the time after which a slow repository is given up. Tests change it.
var limit = 10 * time.Second

// killedWait is the time to wait for the output of a killed git.
const killedWait = time.Second

// safe are the settings that keep git from starting programs. They override all
// configuration files. An empty value switches a program off.
var safe = []string{
	"protocol.allow=never", // a partial clone must not fetch missing objects; before git 2.39.4 nothing else prevents it
	"core.fsmonitor=",
	"core.hooksPath=" + os.DevNull,
	"core.sshCommand=",
	"core.gitProxy=",
	"core.askPass=",
	"core.pager=cat",
	"core.alternateRefsCommand=",
	"credential.helper=",
	"diff.external=",
	"gpg.program=",
	"safe.bareRepository=explicit", // a folder in the work tree that looks like a repository is not one
}

// Commit is the full hash of the commit with that name in the repository of a folder:
// a branch, tag, hash or another revision of gitrevisions(7). It fails if git, the
// repository or the name does not exist, or after the time limit.
func Commit(ctx context.Context, dir, name string) (hash string, err error) {
	if strings.HasPrefix(name, "-") { // before git 2.30 nothing else distinguishes it from an option
		return "", fmt.Errorf("%q is not the name of a commit", name)
	}
	err = within(ctx, dir, func(ctx context.Context) error {
		out, err := run(ctx, dir, nil, "rev-parse", "--verify", "--quiet", name+"^{commit}")
		hash = strings.TrimSpace(string(out))
		return err
	})
	return hash, err
}

// Dirty reports whether the work tree of a folder's repository, submodules included,
// differs from the commit that is checked out. A file whose size and modification time do
// not show that it is unchanged is compared without the repository's filters.
func Dirty(ctx context.Context, dir string) (yes bool, err error) {
	err = within(ctx, dir, func(ctx context.Context) error {
		yes, err = dirty(ctx, dir)
		return err
	})
	return yes, err
}

func dirty(ctx context.Context, dir string) (bool, error) {
	filters, err := filters(ctx, dir)
	if err != nil {
		return false, err
	}
	// To find dirty submodules, git status would start git with their configuration.
	out, err := run(ctx, dir, filters, "status", "--porcelain", "--ignore-submodules=dirty")
	if err != nil || len(out) > 0 {
		return err == nil, err
	}
	below, err := submodules(ctx, dir)
	for _, sub := range below {
		if yes, err := dirty(ctx, sub); yes || err != nil {
			return yes, err
		}
	}
	return false, err
}

// filters are the settings that switch off every filter in the configuration
// (gitattributes(5)): git status would run them on files that may have changed.
func filters(ctx context.Context, dir string) (settings []string, err error) {
	out, err := run(ctx, dir, nil, "config", "-z", "--name-only", "--list")
	if err != nil {
		return nil, err
	}
	for key := range strings.SplitSeq(string(out), "\x00") {
		switch {
		case !strings.HasPrefix(key, "filter."):
		case strings.Contains(key, "="):
			return nil, fmt.Errorf("the configuration of git in %s has a filter with = in its name, which cannot be switched off: rename it", dir)
		case strings.HasSuffix(key, ".required"):
			settings = append(settings, key+"=false")
		default:
			settings = append(settings, key+"=")
		}
	}
	slices.Sort(settings)
	return slices.Compact(settings), nil
}

// submodules are the folders of the submodules that are checked out.
func submodules(ctx context.Context, dir string) (dirs []string, err error) {
	out, err := run(ctx, dir, nil, "ls-files", "-z", "--stage", "--full-name", ":/")
	if err != nil || !bytes.Contains(out, []byte("160000 ")) {
		return nil, err
	}
	top, err := run(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		mode, name, _ := strings.Cut(entry, "\t")
		sub := filepath.Join(strings.TrimSuffix(string(top), "\n"), filepath.FromSlash(name))
		if _, err := os.Lstat(filepath.Join(sub, ".git")); strings.HasPrefix(mode, "160000 ") && err == nil {
			dirs = append(dirs, sub)
		}
	}
	return dirs, nil
}

// within calls ask with the time limit.
func within(ctx context.Context, dir string, ask func(context.Context) error) error {
	return atMost(ctx, limit, dir, ask)
}

// atMost calls ask with a time limit.
func atMost(ctx context.Context, limit time.Duration, dir string, ask func(context.Context) error) error {
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("git took longer than %v in %s", limit, dir))
	defer cancel()
	err := ask(limited)
	if limited.Err() != nil {
		return context.Cause(limited)
	}
	return err
}

// A failure is a git command that ended with an error.
type failure struct {
	command, dir string
	err          error
	said         string // standard error
}

func (f *failure) Error() string {
	return fmt.Sprintf("running git %s in %s: %v", f.command, f.dir, f.err)
}

func (f *failure) Unwrap() error { return f.err }

// explained is the error with what git said.
func explained(err error) error {
	if f := (*failure)(nil); errors.As(err, &f) && f.said != "" {
		return fmt.Errorf("%w: %s", err, f.said)
	}
	return err
}

// run returns the standard output of git in a folder, with the safe settings and more.
func run(ctx context.Context, dir string, settings []string, args ...string) ([]byte, error) {
	var options []string
	for _, s := range slices.Concat(safe, settings) {
		options = append(options, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", append(options, args...)...)
	cmd.Dir, cmd.WaitDelay = dir, killedWait
	cmd.Env = append(slices.DeleteFunc(os.Environ(), isLocal),
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=", // a list in the user's environment would override protocol.allow
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0", // git status would write to the index
	)
	var out capture.Answer
	var said capture.Output
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, &failure{args[0], dir, err, strings.TrimSpace(said.String())}
	}
	return out.Bytes(), nil
}

// local are the variables that name the repository to a hook (git rev-parse
// --local-env-vars). Here the folder names it, for submodules too.
var local = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR", "GIT_GRAFT_FILE",
	"GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
	"GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
}

func isLocal(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains(local, name)
}
