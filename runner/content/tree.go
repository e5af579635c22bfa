// Package content names files by the hash of their content, so that a measurement on another machine
// gets only what that machine lacks: [Scan] lists the files of a workspace as a [Tree], a [Source]
// reads what a tree names, a [Store] keeps content on the target, and [Store.Lay] makes the files of
// a tree from it.
//
// A tree comes over a wire, and a store outlives the measurement: neither is trusted. Nothing outside
// the folder that a tree is laid out in is touched, whatever the tree says.
//
// It does not know what the files are for, nor how content travels.
package content

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Tree lists the files, folders and symbolic links of a folder. A folder comes before what is in it.
type Tree struct {
	Entries []Entry

	// Skipped are the paths that another machine cannot have: sockets, pipes and devices, names that
	// are no UTF-8 or have a line break or NUL, and links to such names. The JSON form lacks them.
	Skipped []string
	// Outside are the symbolic links whose target is absolute or above the folder: on the target
	// they lead to whatever is there. The JSON form lacks the list.
	Outside []string
}

// Kind says what an entry is.
type Kind uint8

// The kinds of entries.
const (
	File Kind = iota + 1
	Folder
	Link // a symbolic link
)

// An Entry is a file, a folder or a symbolic link.
type Entry struct {
	Path      string // below the tree's folder, with forward slashes
	Kind      Kind
	Perm      fs.FileMode // permission bits, 0 to 0777; 0 for links
	ModTimeNs int64       // modification time since 1970, in nanoseconds; 0 for links
	Size      int64       // in bytes; 0 for folders and links
	Hash      string      // SHA-256 of a file's content: 64 lower-case hexadecimal digits
	Target    string      // of a link
}

// Limits of a tree. Tests change maxEntries and maxFile.
var (
	maxEntries       = 1_000_000
	maxFile    int64 = 4 << 30
)

// maxPath limits paths and targets of links, in bytes (PATH_MAX of Linux).
const maxPath = 4096

const hashDigits = 64

// Hashes are those of the tree's files, sorted, each once.
func (t Tree) Hashes() []string {
	var list []string
	for _, e := range t.Entries {
		if e.Kind == File {
			list = append(list, e.Hash)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Size is the sum of the sizes of all files, in bytes: what the tree takes when it is laid out.
func (t Tree) Size() (bytes int64) {
	for _, e := range t.Entries {
		bytes += e.Size
	}
	return bytes
}

// check refuses trees that no Scan makes: names that lead out of the folder, files below anything but
// a folder of the tree, names that occur twice.
func (t Tree) check() error {
	if len(t.Entries) > maxEntries {
		return fmt.Errorf("the tree has %d entries, over the limit of %d", len(t.Entries), maxEntries)
	}
	kinds := map[string]Kind{".": Folder}
	for _, e := range t.Entries {
		err := e.check()
		switch {
		case err != nil:
		case kinds[e.Path] != 0:
			err = fmt.Errorf("the name occurs twice")
		case kinds[path.Dir(e.Path)] != Folder:
			err = fmt.Errorf("no folder of the tree comes before what is in it")
		}
		if err != nil {
			return fmt.Errorf("the tree of files is not valid: entry %q: %w", shortened(e.Path), err)
		}
		kinds[e.Path] = e.Kind
	}
	return nil
}

func (e Entry) check() error {
	switch {
	case !fs.ValidPath(e.Path) || e.Path == "." || !portable(e.Path):
		return fmt.Errorf("its path is not one below the folder")
	case e.Perm&^fs.ModePerm != 0:
		return fmt.Errorf("its permissions are %#o", uint32(e.Perm))
	case e.Kind == File:
		has := Entry{Size: e.Size, Hash: e.Hash, Perm: e.Perm, ModTimeNs: e.ModTimeNs}
		return cmp.Or(checkContent(e.Hash, e.Size), e.only(has))
	case e.Kind == Folder:
		return e.only(Entry{Perm: e.Perm, ModTimeNs: e.ModTimeNs})
	case e.Kind == Link && (e.Target == "" || !portable(e.Target)):
		return fmt.Errorf("the target of the link is %q", shortened(e.Target))
	case e.Kind == Link:
		return e.only(Entry{Target: e.Target})
	}
	return fmt.Errorf("its kind is %d", e.Kind)
}

// only fails unless the entry has just what its kind has.
func (e Entry) only(has Entry) error {
	has.Path, has.Kind = e.Path, e.Kind
	if e != has {
		return fmt.Errorf("it has what entries of its kind lack")
	}
	return nil
}

// checkContent fails unless a hash is well formed and a size within the limit.
func checkContent(hash string, size int64) error {
	if _, err := hex.DecodeString(hash); err != nil || len(hash) != hashDigits || strings.ToLower(hash) != hash {
		return fmt.Errorf("%q is not a hash: it must have %d lower-case hexadecimal digits", shortened(hash), hashDigits)
	}
	if size < 0 || size > maxFile {
		return fmt.Errorf("its size is %d bytes, must be 0 to %d", size, maxFile)
	}
	return nil
}

// portable tells whether a name or target survives JSON and lines of text.
func portable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsAny(name, "\x00\n\r") && len(name) <= maxPath
}

// shortened bounds what a hostile name adds to an error.
func shortened(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return name[:most] + "..."
}
