package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"spell-lsp/spell/ownership"
)

// A scratchPlace is a folder in which measurements make their scratch folders.
type scratchPlace struct {
	dir string
	// variable of the environment that names the place; "" where it is this
	// program's choice.
	variable string
	own      bool // nobody else uses it, and it is made when needed
}

// scratchPlaces are tried in turn. What the user has set is used or refused, and
// never replaced by something else. Without that it is the user's cache folder,
// where nobody else can write.
func scratchPlaces() []scratchPlace {
	for _, variable := range []string{"GOTMPDIR", "TMPDIR"} {
		if dir := os.Getenv(variable); dir != "" {
			return []scratchPlace{{dir: dir, variable: variable}}
		}
	}
	var places []scratchPlace
	if cache, err := os.UserCacheDir(); err == nil {
		places = append(places, scratchPlace{dir: filepath.Join(cache, "spell-lsp", "scratch"), own: true})
	}
	return append(places, scratchPlace{dir: os.TempDir()})
}

// newScratch makes a scratch folder in the first place that allows it. Folders of
// processes that were killed before they could remove theirs are removed.
func newScratch() (*scratch, error) {
	places := scratchPlaces()
	for _, p := range places {
		removeOrphans(p.dir)
	}
	if temp := os.TempDir(); places[len(places)-1].dir != temp {
		removeOrphans(temp) // where earlier versions made all of them
	}
	var errs []error
	for _, p := range places {
		s, err := p.make()
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("no folder for the test programs: %w", errors.Join(errs...))
}

// make makes a scratch folder in the place. The error says what to do.
func (p scratchPlace) make() (*scratch, error) {
	dir, err := filepath.Abs(p.dir) // the go command runs elsewhere
	if err == nil && p.own {
		err = ownership.Make(dir)
	}
	var s *scratch
	switch {
	case err == nil && noexec(dir):
		err = errNoexec
	case err == nil:
		s, err = makeScratch(dir)
	}
	if err != nil {
		return nil, p.refused(err)
	}
	return s, nil
}

var errNoexec = errors.New("no test program can be started there, because its file system is mounted noexec")

// refused says why the place is not used, and what to do. The go command and the
// test programs are where GOTMPDIR says; what tests write is where TMPDIR says.
func (p scratchPlace) refused(err error) error {
	name, variable := p.dir, "GOTMPDIR"
	if p.variable != "" {
		name, variable = p.variable+"="+p.dir, p.variable
	}
	if errors.Is(err, errNoexec) {
		return fmt.Errorf("%s: %w: set GOTMPDIR to a folder on a file system without noexec (what tests write stays in TMPDIR)", name, err)
	}
	return fmt.Errorf("%s: %w: set %s to a folder that can be written", name, err, variable)
}

// notStarted says why a test program does not start; blocked says that its file
// system is mounted noexec, which holds for all of them. Anything else costs its own
// package, as a *lostError.
func notStarted(p program, blocked bool, err error) error {
	dir := filepath.Dir(p.file)
	if blocked {
		return scratchPlace{dir: dir}.refused(errNoexec)
	}
	if errors.Is(err, os.ErrPermission) {
		err = fmt.Errorf("%w: the system does not let programs be started in %s: set GOTMPDIR to a folder where it does", err, dir)
	}
	return &lostError{fmt.Errorf("%s: its tests could not be started: %w", p.Path, err)}
}
