package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// checkoutLimit is the time for a checkout: the files of a large repository take a while.
const checkoutLimit = 10 * time.Minute

// still are the settings of a checkout, besides those that switch off filters: it stays what
// the commit has, and no other repository is looked into.
var still = []string{"submodule.recurse=false", "core.sparseCheckout=false", "advice.detachedHead=false"}

// Borrow makes a repository without commits in an empty folder, which has the objects of another
// repository and nothing else of it: neither its configuration nor its hooks, remotes and
// attributes. What is checked out there does not touch that repository.
func Borrow(ctx context.Context, dir string, from Repository) error {
	if strings.ContainsAny(from.Objects, "\n\r") {
		return fmt.Errorf("the objects of the repository cannot be borrowed, because the name of their folder has a line break: %q", from.Objects)
	}
	return within(ctx, dir, func(ctx context.Context) error {
		if _, err := run(ctx, dir, nil, "init", "-q", "--template=", "--object-format="+from.ObjectFormat); err != nil {
			return explained(err)
		}
		info := filepath.Join(dir, ".git", "objects", "info")
		if err := os.MkdirAll(info, 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(info, "alternates"), []byte(from.Objects+"\n"), 0o600)
	})
}

// Checkout makes the work tree in the folder of [Borrow] that of a commit, by its full hash, and
// removes whatever else is there. Files are as they are stored: no filter runs, so that files of
// Git LFS are pointers. Submodules stay empty. Objects that a partial clone lacks are not fetched.
func Checkout(ctx context.Context, dir, hash string) error {
	return atMost(ctx, checkoutLimit, dir, func(ctx context.Context) error {
		settings, err := filters(ctx, dir)
		if err != nil {
			return err
		}
		settings = append(settings, still...)
		for _, args := range [][]string{
			{"reset", "-q", "--hard", hash, "--"},
			{"clean", "-ffdxq"},
		} {
			if _, err := run(ctx, dir, settings, args...); err != nil {
				return explained(err)
			}
		}
		return nil
	})
}
