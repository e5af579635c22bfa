package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// IsTop tells whether a folder is the top of a work tree, that of a submodule included: whether what
// is called .git in it is a repository, or names one. A folder without .git asks no git.
func IsTop(ctx context.Context, dir string) (yes bool, err error) {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = within(ctx, dir, func(ctx context.Context) error {
		_, err := run(ctx, dir, nil, "rev-parse", "--resolve-git-dir", ".git")
		return err
	})
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		return false, nil
	}
	return err == nil, err
}

// Ignored lists what git ignores and does not track in a folder of a work tree, by path below the
// folder, with forward slashes: files, and folders that are ignored with all that is in them. What is in
// other repositories below the folder is not listed. Of a folder that is ignored itself, nothing is.
func Ignored(ctx context.Context, dir string) (names []string, err error) {
	err = atMost(ctx, historyLimit, dir, func(ctx context.Context) error {
		_, err := run(ctx, dir, nil, "check-ignore", "-q", ".")
		if err == nil {
			return nil
		}
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != notIgnored {
			return explained(err)
		}
		out, err := run(ctx, dir, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
		if err != nil {
			return explained(err)
		}
		names = innermost(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
		return nil
	})
	return names, err
}

// innermost leaves out the folders that git lists because everything in them is ignored, as it lists
// that, too. Of a folder that a pattern names it lists nothing that is inside.
func innermost(listed []string) (names []string) {
	above := map[string]bool{".": true}
	for _, name := range listed {
		for dir := path.Dir(strings.TrimSuffix(name, "/")); !above[dir]; dir = path.Dir(dir) {
			above[dir] = true
		}
	}
	for _, name := range listed {
		if name = strings.TrimSuffix(name, "/"); name != "" && !above[name] {
			names = append(names, name)
		}
	}
	return names
}

// notIgnored is the exit code of git check-ignore for a path that is not ignored.
const notIgnored = 1
