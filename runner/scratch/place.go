package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"spell-lsp/spell/ownership"
)

// A place is a folder in which measurements make their scratch folders.
type place struct {
	dir string
	// variable of the environment that names the place; "" where it is this
	// program's choice.
	variable string
	own      bool // nobody else uses it, and it is made when needed
}

// places are tried in turn. What the user has set is used or refused, and
// never replaced by something else. Without that it is the user's cache folder,
// where nobody else can write.
func places() []place {
	for _, variable := range []string{"GOTMPDIR", "TMPDIR"} {
		if dir := os.Getenv(variable); dir != "" {
			return []place{{dir: dir, variable: variable}}
		}
	}
	var places []place
	if cache, err := os.UserCacheDir(); err == nil {
		places = append(places, place{dir: filepath.Join(cache, "spell-lsp", "scratch"), own: true})
	}
	return append(places, place{dir: os.TempDir()})
}

// New makes a scratch folder in the first place that allows it. Folders of
// processes that were killed before they could remove theirs are removed.
func New() (*Folder, error) {
	for _, in := range linkFolders() {
		removeOrphanLinks(in)
	}
	all := places()
	for _, p := range all {
		removeOrphans(p.dir)
	}
	if temp := os.TempDir(); all[len(all)-1].dir != temp {
		removeOrphans(temp) // where earlier versions made all of them
	}
	var errs []error
	for _, p := range all {
		s, err := p.make()
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("no folder for the test programs: %w", errors.Join(errs...))
}

// make makes a scratch folder in the place. The error says what to do.
func (p place) make() (*Folder, error) {
	dir, err := filepath.Abs(p.dir) // the go command runs elsewhere
	if err == nil && p.own {
		err = ownership.Make(dir)
	}
	var s *Folder
	switch {
	case err == nil && noexec(dir):
		err = errNoexec
	case err == nil:
		s, err = makeFolder(dir)
	}
	if err != nil {
		return nil, p.refused(err)
	}
	return s, nil
}

var errNoexec = errors.New("no test program can be started there, because its file system is mounted noexec")

// refused says why the place is not used, and what to do. The go command and the
// test programs are where GOTMPDIR says; what tests write is where TMPDIR says.
func (p place) refused(err error) error {
	name, variable := p.dir, "GOTMPDIR"
	if p.variable != "" {
		name, variable = p.variable+"="+p.dir, p.variable
	}
	if errors.Is(err, errNoexec) {
		return fmt.Errorf("%s: %w: set GOTMPDIR to a folder on a file system without noexec (what tests write stays in TMPDIR)", name, err)
	}
	return fmt.Errorf("%s: %w: set %s to a folder that can be written", name, err, variable)
}

// StartError says why a program in a folder does not start, and what to do, where err is the
// system's word on it. all says that no program in the folder can be started, because its
// file system is mounted noexec.
func StartError(dir string, err error) (all bool, why error) {
	return startError(dir, noexec(dir), err)
}

func startError(dir string, blocked bool, err error) (all bool, why error) {
	switch {
	case blocked:
		return true, place{dir: dir}.refused(errNoexec)
	case errors.Is(err, os.ErrPermission):
		return false, fmt.Errorf("%w: the system does not let programs be started in %s: set GOTMPDIR to a folder where it does", err, dir)
	}
	return false, err
}
