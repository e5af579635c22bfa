package location

import (
	"os"
	"path/filepath"
)

// A Folder is a folder of the workspace.
type Folder struct {
	Path  string // without symbolic links
	Named string // as the client names it
}

// NewFolder returns the folder with the URI u.
func NewFolder(u string) (Folder, error) {
	named, err := NamedPath(u)
	return Folder{Path: Resolve(named), Named: named}, err
}

// Innermost returns the innermost of the folders that contain path, or the zero folder.
func Innermost(path string, folders []Folder) Folder {
	var best Folder
	for _, f := range folders {
		if Within(path, f.Path) && len(f.Path) > len(best.Path) {
			best = f
		}
	}
	return best
}

// FolderFor returns a folder itself, and the folder of a file, which need not exist yet.
func FolderFor(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}
