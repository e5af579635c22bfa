package location

import (
	"os"
	"path/filepath"
)

// A Folder is one of the workspace.
type Folder struct {
	Path  string // without symbolic links
	Named string // as the client names it
}

// NewFolder is the folder that a client names by the URI u.
func NewFolder(u string) (Folder, error) {
	named, err := NamedPath(u)
	return Folder{Path: Resolve(named), Named: named}, err
}

// Innermost is the innermost of the folders that path is in, the zero folder if
// there is none.
func Innermost(path string, folders []Folder) Folder {
	var best Folder
	for _, f := range folders {
		if Within(path, f.Path) && len(f.Path) > len(best.Path) {
			best = f
		}
	}
	return best
}

// FolderFor is a folder itself, and that of a file, also of one that is not
// saved yet.
func FolderFor(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}
