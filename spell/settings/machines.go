package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"spell-lsp/spell/ownership"
	"spell-lsp/spell/regularfile"
)

// Machines are the machines that the user has given names, in a file of the user's own: a workspace can choose
// one by its name, and cannot say where it is. Values are what ssh takes as the destination.
type Machines struct {
	File string // where they stand, or would
	Of   map[string]string
}

// MachinesFile is the file of the user's machines: spell-lsp/machines.yaml in the folder for configurations
// (os.UserConfigDir).
func MachinesFile() (string, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the folder of your configuration: %w", err)
	}
	return filepath.Join(base, "spell-lsp", "machines.yaml"), nil
}

// UserMachines reads [MachinesFile]. With an error it returns at least the name of the file, unless that is what is
// not known.
func UserMachines() (Machines, error) {
	file, err := MachinesFile()
	if err != nil {
		return Machines{}, err
	}
	return LoadMachines(file)
}

// LoadMachines reads the file of the user's machines; without it there are none. A file that other users can
// change is refused.
func LoadMachines(file string) (Machines, error) {
	all := Machines{File: file, Of: map[string]string{}}
	data, err := regularfile.Read(file, regularfile.MaxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = ownedFile(file)
	}
	if err != nil {
		return all, fmt.Errorf("reading your machines: %w", err)
	}
	root, err := document(data, file)
	if err != nil {
		return all, err
	}
	const allowed = "a group of machines: names, and what ssh connects to, as in lab: me@lab.example.org"
	if root.kind != groupKind {
		if root.kind == nullKind {
			return all, nil
		}
		return all, root.mustBe(allowed)
	}
	for _, e := range root.group {
		if err := machineName(e.name); err != nil || e.name == "" {
			return all, e.errorf("is no name of a machine: it must have letters, digits, - and _, and begin with a letter")
		}
		if _, twice := all.Of[e.name]; twice {
			return all, e.errorf("is there twice, remove one")
		}
		if e.value.kind != textKind {
			return all, e.value.mustBe("what ssh connects to, such as me@lab.example.org")
		}
		if err := Destination(e.value.text); err != nil {
			return all, e.value.errorf("%w", err)
		}
		all.Of[e.name] = e.value.text
	}
	return all, nil
}

// ownedFile refuses a file that other users can change.
func ownedFile(name string) error {
	file, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	const others = 0o022
	if runtime.GOOS != "windows" && info.Mode().Perm()&others != 0 {
		return fmt.Errorf("other users can change %s: run chmod go-w %s", file, file)
	}
	return ownership.Check(filepath.Dir(file))
}

// Destination checks what ssh is to connect to: it must not be taken for an option, or for several words.
func Destination(text string) error {
	switch {
	case text == "":
		return errors.New("is empty: name the machine, as ssh takes it")
	case strings.HasPrefix(text, "-"):
		return fmt.Errorf("is %q: a machine cannot begin with -, which ssh would take for an option", text)
	case strings.ContainsFunc(text, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }):
		return fmt.Errorf("is %q: a machine cannot have blanks; give options of ssh in ~/.ssh/config", text)
	}
	return nil
}

func machineName(name string) error {
	if name != "" && !isScenarioName(name) && name != "all" {
		return errors.New("it must have letters, digits, - and _, and begin with a letter")
	}
	return nil
}
