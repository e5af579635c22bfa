package location

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/uri"
)

// Path returns the path of a file URI with symbolic links resolved (see [Resolve]): an
// editor may name a file differently from the go command.
func Path(u string) (string, error) {
	name, err := NamedPath(u)
	if err != nil {
		return "", err
	}
	return Resolve(name), nil
}

// NamedPath returns the clean path of a file URI as the client names it. It rejects every
// other URI.
func NamedPath(u string) (string, error) {
	if !strings.HasPrefix(u, "file:") {
		return "", errors.New("it must be the URI of a file or folder on disk")
	}
	if text, err := url.PathUnescape(u); err != nil || !utf8.ValidString(text) {
		return "", errors.New("it has a bad escape: after a % there must be two hexadecimal digits, and they must make UTF-8")
	}
	if rest, ok := strings.CutPrefix(u, "file://localhost/"); ok {
		u = "file:///" + rest
	}
	parsed, err := uri.Parse(u)
	if err != nil {
		return "", err
	}
	if host := parsed.Authority(); host != "" {
		return "", fmt.Errorf("it names the host %q: only files of this machine can be used", host)
	}
	path := parsed.FsPath()
	if !filepath.IsAbs(path) {
		return "", errors.New("its path must be absolute")
	}
	return filepath.Clean(path), nil
}

// Key returns the key of an open document, which does not depend on how the client writes
// its URI: for a file the path as the client names it, otherwise the canonical URI.
func Key(u string) (string, error) {
	if strings.HasPrefix(u, "file:") {
		return NamedPath(u)
	}
	canonical, err := uri.Parse(u)
	return string(canonical), err
}

// Resolve returns a path with the symbolic links in its folders resolved. A link that is
// itself a file is kept, because the go command identifies a file by its name in its
// folder. The part of the path that does not exist is kept as it is.
func Resolve(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return realFolder(path)
	}
	return filepath.Join(realFolder(filepath.Dir(path)), filepath.Base(path))
}

func realFolder(dir string) string {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	if dir == filepath.Dir(dir) {
		return dir
	}
	return filepath.Join(realFolder(filepath.Dir(dir)), filepath.Base(dir))
}

// Within reports whether path is dir or below it. Both are absolute and clean.
func Within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// InAny reports whether a path or a folder above it is in the set.
func InAny(path string, given map[string]bool) bool {
	for ; !given[path]; path = filepath.Dir(path) {
		if path == filepath.Dir(path) {
			return false
		}
	}
	return true
}
