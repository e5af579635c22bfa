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

	"spell-lsp/runner"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
)

const (
	// keepFor is how long the rounds of a search are kept after its last cycle.
	keepFor = 10 * 24 * time.Hour
	// keptVersion changes with what the rounds mean.
	keptVersion = "spell-lsp/bisect-rounds/v1"
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
	Quantity bisection.Quantity `json:"quantity,omitempty"`
	Tests    []string           `json:"tests,omitempty"`    // that passed at GOOD and BAD
	Packages []string           `json:"packages,omitempty"` // of Tests, one each
	Cycles   []cycle            `json:"cycles"`

	file   string // "" keeps nothing
	unsafe error  // why, where the user can change it
	old    int    // the cycles of earlier starts are Cycles[:old]
	taken  []bool // those of them that were used again
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
	err := ownership.Make(dir)
	if open := (*ownership.Error)(nil); errors.As(err, &open) {
		k.unsafe = err
		return k, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the folder for kept rounds: %w", err)
	}
	removeOld(dir)
	file := filepath.Join(dir, keyOf(p, h)+".json")
	if !p.Restart {
		if text, err := regularfile.Read(file, maxKept); err == nil {
			read := kept{}
			if json.Unmarshal(text, &read) == nil && read.Version == keptVersion && read.whole() {
				k = &read
			}
		}
	}
	k.file, k.old = file, len(k.Cycles)
	k.taken = make([]bool, k.old)
	return k, nil
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
	text, err := json.Marshal([]any{
		keptVersion, h.repo.Objects, h.repo.Prefix, h.good.Hash, h.bad.Hash, p.Component,
		m.Run, m.Patterns, m.Tags, m.Exclude, m.Meter, m.Meters, m.Timeout,
	})
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
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

// next is the next kept cycle of earlier starts with these commits in this order.
func (k *kept) next(commits []string) (cycle, bool) {
	for i, c := range k.Cycles[:k.old] {
		if !k.taken[i] && slices.Equal(c.Commits, commits) {
			k.taken[i] = true
			return c, true
		}
	}
	return cycle{}, false
}

// add keeps a cycle.
func (k *kept) add(c cycle) error {
	k.Cycles = append(k.Cycles, c)
	if k.file == "" {
		return nil
	}
	return atomicfile.ReplacePrivate(k.file, unfinished, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(k)
	})
}

// settle agrees in the first cycle, that of GOOD and BAD, on what is measured, and refuses runs of
// another meter later.
func (k *kept) settle(runs []*record.Run, component bool) error {
	for _, run := range runs {
		var domains []string
		for _, d := range run.Meter.Domains {
			domains = append(domains, string(d))
		}
		if k.Meter == "" {
			k.Meter, k.Source, k.Domains = run.Meter.Name, string(run.Meter.Source), domains
		}
		if k.Meter != run.Meter.Name || k.Source != string(run.Meter.Source) || !slices.Equal(k.Domains, domains) {
			return fmt.Errorf("the search began with the meter %s (%s), and now there is %s (%s): make the first one work again, or begin anew with --restart", k.Meter, k.Source, run.Meter.Name, run.Meter.Source)
		}
	}
	if k.Quantity != "" {
		return nil
	}
	k.Quantity = bisection.Energy
	if len(k.Domains) == 0 || component && len(runs[0].Matrix.Domains) == 0 {
		k.Quantity = bisection.Time
	}
	return k.agree(runs)
}

// agree chooses the tests that pass in all of the runs.
func (k *kept) agree(runs []*record.Run) error {
	var failed []string
	for i := range runs[0].Tests {
		t := &runs[0].Tests[i]
		passes := func(run *record.Run) bool {
			other := testOf(run, t.Name)
			return other != nil && other.Outcome == record.Pass
		}
		if slices.ContainsFunc(runs, func(run *record.Run) bool { return !passes(run) }) {
			failed = append(failed, t.Name)
			continue
		}
		k.Tests, k.Packages = append(k.Tests, t.Name), append(k.Packages, t.Package)
	}
	if len(k.Tests) == 0 {
		return fmt.Errorf("%w that passes at GOOD and at BAD; these do not: %s", runner.ErrNoTest, strings.Join(failed, ", "))
	}
	return nil
}

// narrow restricts a measurement to the tests that were agreed on, and to their packages.
func (k *kept) narrow(p *runner.Params) {
	if len(k.Tests) == 0 {
		return
	}
	p.Run = topLevel(k.Tests, k.Packages, p.Run)
	patterns := slices.Clone(k.Packages)
	slices.Sort(patterns)
	patterns = slices.Compact(patterns)
	if !slices.ContainsFunc(patterns, func(path string) bool { return path == "" || strings.HasSuffix(path, ".go") }) { // that would count as a file
		p.Patterns = patterns
	}
}
