// Package store keeps the runs of workspaces on disk, so that an editor shows the
// last one after a restart, and runs can be named as baselines. It may be used by
// several processes at once, and by several goroutines.
//
// On disk a store is
//
//	workspaces/
//	  park-1f2e3d4c5b6a7988/      the workspace's name and a hash of its absolute path
//	    workspace.json            which workspace it is
//	    runs/
//	      20261120T180000Z-3f9a.run   one run, in the form of package runfile
//	    baselines/
//	      release%2f1.0           the id of the run that is the baseline release/1.0
//	    index                     copies of the runs' headers, so that a list need not open every run
//	    lock                      held locked by whoever changes anything
//	    */.new-*                  being written, or left by a writer that was killed
//
// A file gets its name once all of it is on the disk, and never changes afterwards, so
// readers need no lock and never see a partial file. An unreadable run does not affect
// others. The index is only a cache: an entry counts if the size and time of the run's
// file are those recorded in it.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"spell-lsp/spell/shortlist"
)

// Variable names the environment variable that says where the store is.
const Variable = "SPELL_LSP_DATA"

// Dir returns the folder of the user's store: the value of [Variable], else spell-lsp in
// XDG_DATA_HOME or, if that is not set, in ~/.local/share. A relative XDG_DATA_HOME is
// ignored, as the XDG Base Directory Specification demands.
func Dir() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "spell-lsp"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for saved runs: %w: set %s to one", err, Variable)
	}
	return filepath.Join(home, ".local", "share", "spell-lsp"), nil
}

// A Store is a folder in which runs are kept.
type Store struct {
	Limits Limits // that Save applies
	dir    string
	now    func() time.Time
}

// Limits say which runs of a workspace are removed. The newest run and baselines
// never are.
type Limits struct {
	Keep int           // how many are kept; 0 = all
	Age  time.Duration // how long they are kept after they were started; 0 = for ever
}

// DefaultLimits are the limits of a store that [Open] returns.
var DefaultLimits = Limits{Keep: 100}

// Open returns the store in a folder, which is created when something is saved.
func Open(dir string) *Store { return &Store{Limits: DefaultLimits, dir: dir, now: time.Now} }

// A workspaceDir is the folder in which the runs of one workspace are kept.
type workspaceDir struct {
	dir       string
	workspace string // absolute; links are resolved if it exists
}

// workspaceDir finds the folder of a workspace. The folder may not exist yet.
func (s *Store) workspaceDir(workspace string) (workspaceDir, error) {
	if !filepath.IsAbs(workspace) {
		return workspaceDir{}, fmt.Errorf("the folder of a workspace must be absolute, not %q", workspace)
	}
	path := filepath.Clean(workspace)
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	hash := sha256.Sum256([]byte(path))
	name := readable(filepath.Base(path)) + "-" + hex.EncodeToString(hash[:8])
	return workspaceDir{dir: filepath.Join(s.dir, "workspaces", name), workspace: path}, nil
}

var unreadable = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// readable turns a name into one that any file system accepts.
func readable(name string) string {
	name = strings.Trim(unreadable.ReplaceAllString(name, "-"), ".-")
	if name == "" {
		return "workspace"
	}
	return name[:min(len(name), 40)]
}

const extension = ".run"

func (ws workspaceDir) runs() string         { return filepath.Join(ws.dir, "runs") }
func (ws workspaceDir) run(id string) string { return filepath.Join(ws.runs(), id+extension) }
func (ws workspaceDir) baselines() string    { return filepath.Join(ws.dir, "baselines") }

// exists reports whether a run of the workspace was ever saved.
func (ws workspaceDir) exists() bool {
	_, err := os.Stat(ws.dir)
	return err == nil
}

var idPattern = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4}$`)

// checkID accepts ids in the form of record.NewID. Nothing else may become part of a path.
func checkID(id string) error {
	if _, err := startOf(id); err != nil {
		return fmt.Errorf("%.60q is not the id of a run, which is like 20261120T180000Z-3f9a", id)
	}
	return nil
}

// startOf returns the start time that an id contains.
func startOf(id string) (time.Time, error) {
	if !idPattern.MatchString(id) {
		return time.Time{}, errors.New("no id")
	}
	start, _, _ := strings.Cut(id, "-")
	return time.Parse("20060102T150405Z", start)
}

// A FileError says what is wrong with a file of the store, and what to do.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s %v: %s", e.Path, e.Err, remedy(e.Err))
}

// Unwrap gives the cause.
func (e *FileError) Unwrap() error { return e.Err }

// joined combines the errors of several files.
func joined(bad []*FileError) error {
	var errs shortlist.Errors
	for _, b := range bad {
		errs.Add(func() error { return b })
	}
	return errs.Err()
}
