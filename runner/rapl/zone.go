package rapl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/spell/note"
	"spell-lsp/spell/regularfile"
)

// DefaultRoot is the folder of the powercap class.
const DefaultRoot = "/sys/class/powercap"

// A zone is one zone of the powercap class, as its folder describes it.
type zone struct {
	place place
	path  string // its folder
	name  string // content of its name file: package-0, dram, ...
	wrap  Energy // max_energy_range_uj, where the counter wraps to 0; 0 if unknown
}

func (z zone) counterPath() string { return filepath.Join(z.path, "energy_uj") }

// A NoCounterError says that a machine has no RAPL zone that can be read.
type NoCounterError struct {
	Root   string // folder of the powercap class
	Reason string
}

func (e *NoCounterError) Error() string { return "no RAPL counter: " + e.Reason }

// discover finds the zones under root, each once, in the order of comparePlaces. A
// zone is an entry of the class folder, a folder in its parent's folder, or both.
func discover(root string) (zones []zone, notes []note.Note, err error) {
	entries, err := os.ReadDir(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, &NoCounterError{root, "there is no " + root}
	case errors.Is(err, fs.ErrPermission):
		return nil, nil, newPermissionError(root, root, err)
	case err != nil:
		return nil, nil, fmt.Errorf("listing the zones: %w", err)
	}
	s := search{folders: map[string]bool{}, places: map[string]bool{}}
	for _, entry := range entries {
		s.visit(filepath.Join(root, entry.Name()))
	}
	if len(s.zones) == 0 && len(s.notes) == 0 {
		return nil, nil, &NoCounterError{root, root + " holds no RAPL zone"}
	}
	slices.SortFunc(s.zones, func(a, b zone) int { return comparePlaces(a.place, b.place) })
	return s.zones, s.notes, nil
}

// A search collects zones. It identifies a folder by its resolved path and by its
// place, so that links to a zone and copies of it count once.
type search struct {
	folders map[string]bool
	places  map[string]bool
	zones   []zone
	notes   []note.Note
}

// visit adds the zone whose folder is path, if it is one, and the zones in it.
func (s *search) visit(path string) {
	p, ok := parsePlace(filepath.Base(path))
	if !ok || s.places[p.String()] {
		return
	}
	folder, err := filepath.EvalSymlinks(path)
	if err != nil {
		s.warn(path, err)
		return
	}
	if s.folders[folder] {
		return
	}
	s.folders[folder], s.places[p.String()] = true, true
	name, err := regularfile.Read(filepath.Join(path, "name"), regularfile.MaxValue)
	if err != nil {
		s.warn(path, err)
		return
	}
	z := zone{place: p, path: path, name: strings.TrimSpace(string(name))}
	z.wrap = readWrap(path)
	s.zones = append(s.zones, z)
	s.visitInside(path)
}

func (s *search) visitInside(path string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		s.warn(path, err)
		return
	}
	for _, entry := range entries {
		s.visit(filepath.Join(path, entry.Name()))
	}
}

func (s *search) warn(path string, err error) {
	s.notes = append(s.notes, note.ZoneNotCounted(path, err.Error()))
}

// readWrap returns 0 for a range that is missing, zero or no number: the zone can
// still be read, but a wrap of its counter cannot be corrected.
func readWrap(folder string) Energy {
	text, err := regularfile.Read(filepath.Join(folder, "max_energy_range_uj"), regularfile.MaxValue)
	if err != nil {
		return 0
	}
	wrap, err := parseEnergy(text)
	if err != nil {
		return 0
	}
	return wrap
}
