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

// pathOf gives the path of a file URI without symbolic links: an editor may
// name a file by other ones than the go command does.
func Path(u string) (string, error) {
	name, err := NamedPath(u)
	if err != nil {
		return "", err
	}
	return Resolve(name), nil
}

// nameOf gives the clean path of a file URI as the client names it. It refuses
// every other URI.
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

// key is what an open document is found by, however the client writes its
// URI: the path of a file as the client names it, or else the URI in its
// canonical form.
func Key(u string) (string, error) {
	if strings.HasPrefix(u, "file:") {
		return NamedPath(u)
	}
	canonical, err := uri.Parse(u)
	return string(canonical), err
}

// resolve gives a path without symbolic links, but for the last one of a file:
// the go command takes a file by its name in its folder. Of what is not there
// yet it resolves the folders that are.
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

// within reports whether path is dir or below it.
func Within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// isIn reports whether a path or a folder above it is among the given ones.
func InAny(path string, given map[string]bool) bool {
	for ; !given[path]; path = filepath.Dir(path) {
		if path == filepath.Dir(path) {
			return false
		}
	}
	return true
}
