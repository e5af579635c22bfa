package steady

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/regularfile"
)

const (
	// stateFile is in a folder that only root can write, and that a restart clears.
	stateFile = "/run/spell-lsp/steady.json"
	// bootFile holds another text after each restart (Documentation/admin-guide/sysctl/kernel.rst).
	bootFile = "/proc/sys/kernel/random/boot_id"
	// folder is the one below which values are set.
	folder = "/sys/devices/system/cpu/"
)

// A state is the file in which values are remembered.
type state struct {
	Boot   string  `json:"boot_id"`
	Values []value `json:"values"` // in the order in which they were set
}

// A value of the kernel that was set.
type value struct {
	File string `json:"file"`
	Was  string `json:"was"`
	Set  string `json:"set"`
}

// remember notes that a value may have been changed; what it was at first stays.
func (s *state) remember(c Change) {
	s.Values = slices.Clone(s.Values)
	i := slices.IndexFunc(s.Values, func(v value) bool { return v.File == c.File })
	if i < 0 {
		s.Values = append(s.Values, value{c.File, c.From, c.To})
		return
	}
	s.Values[i].Set = c.To
}

// A StateError says that the file in which values are remembered cannot be used.
type StateError struct {
	Path string
	Err  error
}

func (e *StateError) Error() string {
	return fmt.Sprintf("%s does not say what the values were before: %v. Nothing was changed. Delete it; a restart of the machine puts all values back", e.Path, e.Err)
}

func (e *StateError) Unwrap() error { return e.Err }

// remembered reads the state. It is empty where nothing was set since the machine was started.
func (m Machine) remembered() (state, error) {
	now := state{Boot: m.boot()}
	path := m.path(stateFile)
	text, err := regularfile.Read(path, regularfile.MaxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return now, nil
	}
	var s state
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err == nil {
		err = s.check()
	}
	switch {
	case err != nil:
		return state{}, &StateError{path, err}
	case s.Boot != now.Boot:
		return now, nil
	}
	return s, nil
}

// check refuses files in which no value is set.
func (s state) check() error {
	for _, v := range s.Values {
		switch {
		case path.Clean(v.File) != v.File || !strings.HasPrefix(v.File, folder):
			return fmt.Errorf("%q is not below %s", v.File, folder)
		case v.Was == "" || strings.ContainsAny(v.Was+v.Set, "\n\x00"):
			return fmt.Errorf("%q is no value of %s", v.Was, v.File)
		}
	}
	return nil
}

func (m Machine) boot() string {
	text, err := regularfile.Read(m.path(bootFile), regularfile.MaxValue)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func (m Machine) save(s state) error {
	path := m.path(stateFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.ReplaceReadable(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// forget removes the state.
func (m Machine) forget() error {
	err := os.Remove(m.path(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
