package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/regularfile"
)

// A Baseline is a name for a run that others are compared with.
type Baseline struct{ Name, ID string }

// SetBaseline gives a run a name, and takes it from any other run. Names are like those
// of branches: main, release/1.0.
func (s *Store) SetBaseline(workspace, name, id string) error {
	ws, file, err := s.baseline(workspace, name)
	if err == nil {
		err = checkID(id)
	}
	if err == nil && !ws.exists() {
		err = ws.openError(id, fs.ErrNotExist)
	}
	if err == nil {
		err = ws.change(func() error {
			if _, err := ws.entry(id); err != nil {
				return err
			}
			return replace(file, func(w io.Writer) error {
				_, err := io.WriteString(w, id+"\n")
				return err
			})
		})
	}
	if err != nil {
		return fmt.Errorf("setting the baseline %s: %w", name, err)
	}
	return nil
}

// Baseline returns the id of the run of that name; ok is false if there is none.
func (s *Store) Baseline(workspace, name string) (id string, ok bool, err error) {
	_, file, err := s.baseline(workspace, name)
	if err == nil {
		id, err = readBaseline(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("looking for the baseline %s: %w", name, err)
	}
	return id, true, nil
}

// RemoveBaseline removes a name; the run stays. The error is fs.ErrNotExist if there
// is no baseline of that name.
func (s *Store) RemoveBaseline(workspace, name string) error {
	ws, file, err := s.baseline(workspace, name)
	if err == nil {
		_, err = os.Lstat(file)
	}
	if err == nil {
		err = ws.change(func() error { return errors.Join(os.Remove(file), atomicfile.SyncDir(ws.baselines())) })
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is none in %s: %w", ws.workspace, fs.ErrNotExist)
	}
	if err != nil {
		return fmt.Errorf("removing the baseline %s: %w", name, err)
	}
	return nil
}

// Baselines lists the baselines of a workspace by name. As with List, the list is valid
// even if an error names files that cannot be read.
func (s *Store) Baselines(workspace string) ([]Baseline, error) {
	ws, err := s.workspaceDir(workspace)
	if err != nil {
		return nil, fmt.Errorf("listing baselines: %w", err)
	}
	list, bad, err := ws.allBaselines()
	return list, errors.Join(joined(bad), err)
}

// baseline returns the file of a baseline, if its name is valid.
func (s *Store) baseline(workspace, name string) (ws workspaceDir, file string, err error) {
	if ws, err = s.workspaceDir(workspace); err != nil {
		return ws, "", err
	}
	if err := checkName(name); err != nil {
		return ws, "", err
	}
	return ws, filepath.Join(ws.baselines(), escape(name)), nil
}

func (ws workspaceDir) allBaselines() (list []Baseline, bad []*FileError, err error) {
	files, err := namesIn(ws.baselines())
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		if strings.HasPrefix(file, unfinishedPrefix) {
			continue
		}
		path := filepath.Join(ws.baselines(), file)
		name, ok := unescape(file)
		if !ok || checkName(name) != nil {
			bad = append(bad, &FileError{path, errors.New("is not the file of a baseline")})
			continue
		}
		id, err := readBaseline(path)
		var wrong *FileError
		switch {
		case errors.As(err, &wrong):
			bad = append(bad, wrong)
		case err == nil:
			list = append(list, Baseline{name, id})
		}
	}
	slices.SortFunc(list, func(a, b Baseline) int { return strings.Compare(a.Name, b.Name) })
	return list, bad, nil
}

// readBaseline reads an id. The error is fs.ErrNotExist or a *FileError.
func readBaseline(path string) (id string, err error) {
	data, err := regularfile.Read(path, regularfile.MaxValue)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fs.ErrNotExist
	case err != nil:
		return "", &FileError{path, fmt.Errorf("cannot be read: %w", err)}
	}
	id = strings.TrimSuffix(string(data), "\n")
	if checkID(id) != nil {
		return "", &FileError{path, errors.New("does not hold the id of a run")}
	}
	return id, nil
}

// namesByRun maps run ids to the sorted names of their baselines.
func namesByRun(list []Baseline) map[string][]string {
	names := make(map[string][]string)
	for _, b := range list {
		names[b.ID] = append(names[b.ID], b.Name)
	}
	return names
}

const (
	latestName  = "latest" // means the newest run, so no baseline may have this name
	maxFileName = 240      // bytes; file systems take 255
)

// checkName accepts names that a user can type and that cannot be mistaken for an id.
func checkName(name string) error {
	wrong := ""
	switch {
	case name == "":
		wrong = "is empty"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }):
		wrong = "has blanks or characters that are not printed"
	case strings.HasPrefix(name, "-"):
		wrong = "begins with -, as flags do"
	case name == latestName || checkID(name) == nil:
		wrong = "stands for a run already"
	case len(escape(name)) > maxFileName:
		wrong = "is too long"
	default:
		return nil
	}
	return fmt.Errorf("%q cannot be the name of a baseline: it %s", name, wrong)
}

// escape turns the name of a baseline into a file name. Bytes other than small letters,
// digits, -, _ and inner dots become % and two hexadecimal digits, so there are no
// separators, and file systems that ignore case keep all names apart.
func escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0 && i < len(name)-1 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// unescape is the reverse of escape; ok is false if escape cannot have produced the name.
func unescape(file string) (name string, ok bool) {
	var b strings.Builder
	for rest := file; rest != ""; rest = rest[1:] {
		c := rest[0]
		if c == '%' {
			code, err := hex.DecodeString(rest[1:min(3, len(rest))])
			if err != nil || len(code) != 1 {
				return "", false
			}
			c, rest = code[0], rest[2:]
		}
		b.WriteByte(c)
	}
	return b.String(), escape(b.String()) == file
}
