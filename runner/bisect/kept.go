package bisect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner/remote/slurm"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/filelock"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

const (
	// keepFor is how long the rounds of a search are kept after its last cycle.
	keepFor = 10 * 24 * time.Hour
	// keptVersion changes with what the rounds mean.
	keptVersion = "spell-lsp/bisect-rounds/v2"
	unfinished  = ".unfinished-" // temporary files
	maxKept     = 16 << 20
)

// kept are the rounds of a search, in a file from one start to the next, with what was agreed on
// in the first cycle: all others measure the same.
type kept struct {
	Version  string             `json:"version"`
	Meter    string             `json:"meter,omitempty"`
	Source   string             `json:"source,omitempty"`
	Domains  []string           `json:"domains,omitempty"`
	Host     record.Host        `json:"host"` // its Go is that of the first commit that was measured
	Go       map[string]string  `json:"go"`   // version, by commit: go.mod may name another one
	Quantity bisection.Quantity `json:"quantity,omitempty"`
	Tests    []string           `json:"tests,omitempty"`    // that passed at GOOD and BAD
	Packages []string           `json:"packages,omitempty"` // of Tests, one each
	Cycles   []cycle            `json:"cycles"`

	file   string   // "" keeps nothing
	locked *os.File // against other searches, where there is a file
	unsafe error    // why
	old    int      // the cycles of earlier starts are Cycles[:old]
	taken  []bool   // those that were used in this start, by cycle
}

// A cycle is blocks of rounds that were taken one after the other, or a commit that could not be
// measured.
type cycle struct {
	Commits []string    `json:"commits"`
	Blocks  [][]float64 `json:"blocks,omitempty"`
	Skip    *skipped    `json:"skip,omitempty"`
}

type skipped struct {
	Commit string `json:"commit"`
	Reason string `json:"reason"`
}

// openKept reads what an earlier start has kept of the same search. A file that cannot be used
// counts as none.
func openKept(p Params, h *history) (*kept, error) {
	k := &kept{Version: keptVersion}
	dir := p.Cache
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return k, nil //nolint:nilerr // a search works without
		}
		dir = filepath.Join(user, "spell-lsp", "bisect")
	}
	if err := ownership.Make(dir); err != nil {
		k.unsafe = err
		return k, nil //nolint:nilerr // a search works without
	}
	removeOld(dir)
	file := filepath.Join(dir, keyOf(p, h)+".json")
	locked, err := lock(file + ".lock")
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, errors.New("the same search runs already: wait for its answer, or end it and start again, which goes on with its rounds")
	case err != nil:
		k.unsafe = fmt.Errorf("%s cannot be locked: %w", file, err)
		return k, nil
	}
	if !p.Restart {
		if text, err := regularfile.Read(file, maxKept); err == nil {
			read := kept{}
			if json.Unmarshal(text, &read) == nil && read.Version == keptVersion && read.whole() {
				k = &read
			}
		}
	}
	k.file, k.locked, k.old = file, locked, len(k.Cycles)
	k.taken = make([]bool, k.old)
	return k, nil
}

// lock locks a file that is there for that alone.
func lock(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := filelock.Try(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		now := time.Now()
		_ = os.Chtimes(name, now, now) // so that it does not count as old; else it is removed sooner
		named, _ := os.Stat(name)
		if info, err := f.Stat(); err != nil || os.SameFile(named, info) {
			return f, err
		}
		f.Close() // another search has just removed it
	}
}

// close lets other searches have the rounds.
func (k *kept) close() {
	if k.locked != nil {
		os.Remove(k.locked.Name()) //nolint:errcheck // it does no harm, and is removed when it is old
		k.locked.Close()
	}
}

// whole tells whether each cycle has a block for each commit, or a reason.
func (k *kept) whole() bool {
	return !slices.ContainsFunc(k.Cycles, func(c cycle) bool { return c.Skip == nil && len(c.Blocks) != len(c.Commits) })
}

// removeOld removes what was not used for a while.
func removeOld(dir string) {
	entries, _ := os.ReadDir(dir) // on error nothing is removed
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > keepFor {
			os.Remove(filepath.Join(dir, e.Name())) //nolint:errcheck // the next start tries again
		}
	}
}

// keyOf names a search by all that its rounds depend on.
func keyOf(p Params, h *history) string {
	m := p.Measure
	machine := m.Settings["machine"]
	if p.Turns != nil {
		machine = slurm.Prefix // other options change neither nodes of this kind nor what was measured there
	}
	text, err := json.Marshal([]any{
		keptVersion, h.repo.Objects, h.repo.Prefix, h.good.Hash, h.bad.Hash, p.Component,
		m.Run, m.Patterns, m.Tags, m.Exclude, m.Meter, m.Meters, m.Timeout, machine, environment(),
	})
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// environment are the settings of Go in the environment: they make other programs, or the same one
// run in another way.
func environment() (settings []string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "CGO_ENABLED", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG"}, name) {
			settings = append(settings, v)
		}
	}
	slices.Sort(settings)
	return settings
}

// rounds counts the rounds that are kept.
func (k *kept) rounds() (n int) {
	for _, c := range k.Cycles {
		for _, b := range c.Blocks {
			n += len(b)
		}
	}
	return n
}

// next is the next cycle that was not used yet, with these commits in this order. old: it is of an earlier start.
func (k *kept) next(commits []string) (c cycle, old, known bool) {
	if i := k.unused(commits); i >= 0 {
		k.taken[i] = true
		return k.Cycles[i], i < k.old, true
	}
	return cycle{}, false, false
}

// unused is where the cycle is that next would return; -1 if there is none.
func (k *kept) unused(commits []string) int {
	for i, c := range k.Cycles {
		if !k.taken[i] && slices.Equal(c.Commits, commits) {
			return i
		}
	}
	return -1
}

// has tells whether there are cycles of these commits in any order, or a reason why there are none.
func (k *kept) has(commits []string) bool {
	backwards := slices.Clone(commits)
	slices.Reverse(backwards)
	return slices.ContainsFunc(k.Cycles, func(c cycle) bool { return slices.Equal(c.Commits, commits) || slices.Equal(c.Commits, backwards) })
}

// add keeps cycles for [kept.next].
func (k *kept) add(list ...cycle) error {
	k.Cycles = append(k.Cycles, list...)
	k.taken = append(k.taken, make([]bool, len(list))...)
	if k.file == "" || len(list) == 0 {
		return nil
	}
	err := atomicfile.ReplacePrivate(k.file, unfinished, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(k)
	})
	if err != nil {
		return fmt.Errorf("keeping the rounds: %w", err)
	}
	return nil
}
