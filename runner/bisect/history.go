package bisect

import (
	"context"
	"fmt"

	"spell-lsp/runner/git"
)

// A history is the commits from GOOD to BAD, each the first parent of the next.
type history struct {
	dir       string // of the workspace
	repo      git.Repository
	good, bad git.LogEntry
	asked     *git.LogEntry // the GOOD of the user, where the search begins with another commit
	chain     []string      // hashes, from GOOD to BAD, both included
	entries   map[string]git.LogEntry
	size      int // commits that were looked through: those of merged sides, too
}

func findHistory(ctx context.Context, dir, good, bad string) (*history, error) {
	repo, err := git.Locate(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("%s is in no git repository that can be used: %w", dir, err)
	}
	h := &history{dir: dir, repo: repo, entries: make(map[string]git.LogEntry)}
	if h.good, err = h.resolve(ctx, "GOOD", good); err != nil {
		return nil, err
	}
	if h.bad, err = h.resolve(ctx, "BAD", bad); err != nil {
		return nil, err
	}
	if h.good.Hash == h.bad.Hash {
		return nil, fmt.Errorf("GOOD (%s) and BAD (%s) are the same commit, %s: name an older commit as GOOD", good, bad, h.good.Short)
	}
	return h, h.link(ctx, good, bad)
}

// resolve finds the commit that a revision names.
func (h *history) resolve(ctx context.Context, which, name string) (git.LogEntry, error) {
	hash, err := git.Commit(ctx, h.dir, name)
	if err != nil {
		if ctx.Err() != nil {
			return git.LogEntry{}, err
		}
		return git.LogEntry{}, fmt.Errorf("%s: %q names no commit of the repository%s", which, name, h.shallowRemedy("; "))
	}
	return h.entry(ctx, hash)
}

// entry is the entry of a commit, by its hash.
func (h *history) entry(ctx context.Context, hash string) (git.LogEntry, error) {
	if e, known := h.entries[hash]; known {
		return e, nil
	}
	e, err := git.Entry(ctx, h.dir, hash)
	if err == nil {
		h.entries[hash] = e
	}
	return e, err
}

// link finds the commits from GOOD to BAD. Where GOOD is no first parent of these, the search
// begins with the last one in the history of BAD that is reachable from GOOD.
func (h *history) link(ctx context.Context, good, bad string) error {
	side, err := h.side(ctx, h.good.Hash, h.bad.Hash)
	if err != nil {
		return err
	}
	if side == nil {
		return fmt.Errorf("BAD (%s) is an ancestor of GOOD (%s): name the older commit first", bad, good)
	}
	if side[0] == "" {
		return fmt.Errorf("GOOD (%s) and BAD (%s) have no common commit in the history of first parents%s", good, bad, h.shallowRemedy("; "))
	}
	h.chain = side
	if side[0] != h.good.Hash {
		asked := h.good
		h.asked = &asked
		if h.good, err = h.entry(ctx, side[0]); err != nil {
			return err
		}
	}
	return nil
}

// side lists the first parents of a commit, the oldest first, from the first that is reachable
// from another commit on. That one is "" if the history ends before it. It is nil if the commit is
// reachable itself.
func (h *history) side(ctx context.Context, from, to string) ([]string, error) {
	list, err := git.FirstParents(ctx, h.dir, from, to)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	hashes := []string{""}
	if len(list[0].Parents) > 0 {
		hashes[0] = list[0].Parents[0]
	}
	for _, e := range list {
		h.entries[e.Hash] = e
		hashes = append(hashes, e.Hash)
	}
	h.size += len(list)
	return hashes, nil
}

// shallowRemedy says what to do where the history is not complete; "" where it is.
func (h *history) shallowRemedy(before string) string {
	if !h.repo.Shallow {
		return ""
	}
	return before + "the repository is shallow, so that older commits are missing: fetch them with git fetch --unshallow, or some with git fetch --deepen=100"
}
