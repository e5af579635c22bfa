package meters

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/regularfile"
)

// Fixes lists the configuration files that the doctor can write, in the order of
// Drivers.
func Fixes() []meter.Fix {
	var fixes []meter.Fix
	for _, d := range Drivers() {
		fixes = append(fixes, d.Fixes...)
	}
	return fixes
}

// FixNamed finds a fix by name; the error lists all names.
func FixNamed(name string) (meter.Fix, error) {
	var all []string
	for _, f := range Fixes() {
		if f.Name == name {
			return f, nil
		}
		all = append(all, f.Name)
	}
	return meter.Fix{}, fmt.Errorf("there is no fix %q: must be one of %s", name, strings.Join(all, ", "))
}

// marker is the start of every file that the doctor wrote, and may therefore replace.
const marker = "# Written by spell-lsp doctor --fix="

// fixContent is the content of the whole file.
func fixContent(f meter.Fix) string {
	return marker + f.Name + ". To undo it, delete this file and restart the machine.\n" + f.Content
}

// ShowFix writes what WriteFix would do, and who could then read what.
func ShowFix(w io.Writer, f meter.Fix) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the file %s\n", f.Name, f.Path)
	indent(&b, "    ", fixContent(f))
	b.WriteString("What it exposes:\n")
	indent(&b, "    ", f.Opens)
	b.WriteString("What makes it take effect:\n")
	indent(&b, "    ", strings.Join(f.Activate, "\n"))
	_, err := io.WriteString(w, b.String())
	return err
}

// A RefusedError says that the file of a fix exists and was not written by the
// doctor.
type RefusedError struct {
	Path string
	Why  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s is there already and %s: nothing was written. Look at it, and move it away if it may go", e.Path, e.Why)
}

// A RightsError says that this user may not write the file of a fix.
type RightsError struct {
	Fix  string
	Path string
	Err  error
}

func (e *RightsError) Error() string {
	return fmt.Sprintf("this user may not write %s. As the machine's owner, run:\n  sudo \"$(command -v spell-lsp)\" doctor --fix=%s", e.Path, e.Fix)
}

func (e *RightsError) Unwrap() error { return e.Err }

// WriteFix writes the file of a fix, below the folder root instead of /, and
// returns its path. It replaces only files that it wrote itself, and writes the
// whole file or nothing. The error is a *RefusedError, a *RightsError, or one of
// the system.
func WriteFix(root string, f meter.Fix) (path string, err error) {
	path = filepath.Join(root, f.Path)
	if err := replaceable(path); err != nil {
		return "", rights(f, path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", rights(f, path, err)
	}
	err = atomicfile.ReplaceReadable(path, func(w io.Writer) error {
		_, err := io.WriteString(w, fixContent(f))
		return err
	})
	if err != nil {
		return "", rights(f, path, err)
	}
	return path, nil
}

func rights(f meter.Fix, path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &RightsError{f.Name, path, err}
	}
	return err
}

// replaceable refuses an existing file that the doctor did not write. It does not
// follow links.
func replaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &RefusedError{path, "is not a regular file"}
	}
	content, err := regularfile.Read(path, regularfile.MaxSettings)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(content), marker) {
		return &RefusedError{path, "was not written by spell-lsp"}
	}
	return nil
}
