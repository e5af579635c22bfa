package git

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// historyLimit is the time for a question about a history, which may have a million commits.
const historyLimit = time.Minute

// asStored are the settings of questions about commits: as they are stored, whatever the
// repository says that they be replaced by.
var asStored = []string{"core.useReplaceRefs=false"}

// A Repository is where the commits of a folder are.
type Repository struct {
	Prefix       string // of the folder in the work tree, with forward slashes; "" is the top
	Objects      string // absolute path of the folder with the objects, which work trees share
	ObjectFormat string // sha1 or sha256
	Shallow      bool   // the history is cut off (git clone --depth)
}

// Locate finds the repository of a folder.
func Locate(ctx context.Context, dir string) (r Repository, err error) {
	err = within(ctx, dir, func(ctx context.Context) error {
		ask := func(args ...string) string {
			out, failed := run(ctx, dir, nil, append([]string{"rev-parse"}, args...)...)
			if err == nil {
				err = explained(failed)
			}
			return strings.TrimSuffix(string(out), "\n")
		}
		r.Prefix = strings.TrimSuffix(ask("--show-prefix"), "/")
		r.Objects = ask("--git-path", "objects")
		r.ObjectFormat = ask("--show-object-format")
		r.Shallow = ask("--is-shallow-repository") == "true"
		if err == nil && !filepath.IsAbs(r.Objects) {
			r.Objects = filepath.Join(dir, r.Objects)
		}
		return err
	})
	return r, err
}

// A LogEntry is a commit of a history.
type LogEntry struct {
	Hash    string
	Parents []string // their hashes; none of the first commit, and of one at which a shallow history is cut off
	Short   string   // abbreviated hash
	Date    string   // of the author, RFC 3339
	Subject string
}

// FirstParents lists the commit last and its first parents, as far as they cannot be reached from
// the commit before; the oldest comes first. Both are full hashes.
func FirstParents(ctx context.Context, dir, before, last string) ([]LogEntry, error) {
	return history(ctx, dir, "--reverse", "--first-parent", last, "^"+before)
}

// Entry is the entry of one commit, by its full hash.
func Entry(ctx context.Context, dir, hash string) (LogEntry, error) {
	list, err := history(ctx, dir, "-1", hash)
	if err != nil || len(list) == 0 {
		return LogEntry{Hash: hash}, err
	}
	return list[0], nil
}

func history(ctx context.Context, dir string, args ...string) (list []LogEntry, err error) {
	err = atMost(ctx, historyLimit, dir, func(ctx context.Context) error {
		out, err := run(ctx, dir, asStored, append([]string{"log", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8", "--format=%H%x00%P%x00%h%x00%aI%x00%s"}, args...)...)
		if err != nil {
			return explained(err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 5)
			if len(fields) != 5 {
				return fmt.Errorf("git log in %s: %q is not a commit", dir, line)
			}
			list = append(list, LogEntry{fields[0], strings.Fields(fields[1]), fields[2], fields[3], fields[4]})
		}
		return nil
	})
	return list, err
}

// ChangedLines lists the lines of a file that one commit has and another has not, or not there.
// The file is named as in the commits, with forward slashes.
func ChangedLines(ctx context.Context, dir, before, after, file string) (lines []int, err error) {
	err = within(ctx, dir, func(ctx context.Context) error {
		out, err := run(ctx, dir, asStored, "diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", before, after, "--", ":(top,literal)"+file)
		if err != nil {
			return explained(err)
		}
		for line := range strings.Lines(string(out)) {
			lines = append(lines, ofHunk(line)...)
		}
		return nil
	})
	return lines, err
}

// ofHunk are the new lines that the head of a hunk announces (@@ -12,2 +14,3 @@).
func ofHunk(head string) (lines []int) {
	rest, ok := strings.CutPrefix(head, "@@ -")
	_, rest, found := strings.Cut(rest, " +")
	if !ok || !found {
		return nil
	}
	place, _, _ := strings.Cut(rest, " ")
	from, count, many := strings.Cut(place, ",")
	first, err := strconv.Atoi(from)
	n := 1
	if many && err == nil {
		n, err = strconv.Atoi(count)
	}
	if err != nil {
		return nil
	}
	for i := range n {
		lines = append(lines, first+i)
	}
	return lines
}
