package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"spell-lsp/spell/ownership"
)

// linkFolders are where links are made, the first that will do: the user's own folder for what lasts as long as a session
// (XDG_RUNTIME_DIR of the XDG Base Directory Specification, as /run/user/1000), or that of all users with the shortest name,
// in which only the owner of a link can replace it (the sticky bit).
var linkFolders = func() []string {
	if own := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(own) {
		return []string{filepath.Clean(own), "/tmp"}
	}
	return []string{"/tmp"}
}

const (
	longestLink = 10 // bytes of a link's own name
	linkTries   = 100
)

// Link makes a link to something in the folder, with an absolute name of at most longest bytes. It is removed with
// the folder. The error is an [*ownership.Error] if other users could replace the link, or what it leads to.
func (s *Folder) Link(to string, longest int) (name string, err error) {
	for _, in := range linkFolders() {
		name, fault := s.linkIn(in, to, longest)
		if fault == nil {
			return name, nil
		}
		err = errors.Join(err, fmt.Errorf("making a link: %w", fault))
	}
	return "", err
}

func (s *Folder) linkIn(folder, to string, longest int) (string, error) {
	room := min(longest-len(folder)-1, longestLink)
	if room < 1 {
		return "", fmt.Errorf("no name in %s has %d bytes or less", folder, longest)
	}
	in, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	name := ""
	for range linkTries {
		name = randomName(room)
		if err = in.Symlink(to, name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		in.Close()
		return "", err
	}
	s.links = append(s.links, func() {
		defer in.Close()
		removeLink(in, name, to)
	})
	full := filepath.Join(folder, name)
	return full, ownership.Check(full)
}

// randomName is one of n letters and digits.
func randomName(n int) string {
	text := strconv.FormatUint(rand.Uint64(), 36) // #nosec G404 -- a name that is taken is no other's to use
	return text[max(0, len(text)-n):]
}

// removeLink removes a link, if it is the one that leads there.
func removeLink(in *os.Root, name, to string) {
	if target, err := in.Readlink(name); err == nil && target == to {
		in.Remove(name) //nolint:errcheck // only its owner can
	}
}

// removeOrphanLinks removes links to scratch folders that have been gone for long: where the folder is in a container
// that shares the folder of links, it only seems to be gone.
func removeOrphanLinks(from string) {
	in, err := os.OpenRoot(from)
	if err != nil {
		return
	}
	defer in.Close()
	f, err := in.Open(".")
	if err != nil {
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		info, err := e.Info()
		if err != nil || !isOwn(info) || time.Since(info.ModTime()) < abandonedAfter {
			continue
		}
		to, err := in.Readlink(e.Name())
		if _, gone := os.Lstat(to); err == nil && strings.Contains(to, string(filepath.Separator)+prefix) && errors.Is(gone, fs.ErrNotExist) {
			removeLink(in, e.Name(), to)
		}
	}
}
