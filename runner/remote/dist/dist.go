// Package dist finds the spell-lsp that is sent to another machine: a program for Linux that needs
// no library there.
package dist

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"spell-lsp/spell/regularfile"
)

// Architectures are those for which make dist builds the program, as GOARCH has them.
var Architectures = []string{"amd64", "arm64"}

// A MissingError says that there is no program for an architecture.
type MissingError struct {
	Arch string
	Why  []string // what was looked at, and why it cannot be sent
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("there is no spell-lsp for linux/%s to send (%s): make dist builds it, or put %s beside this program",
		e.Arch, strings.Join(e.Why, "; "), name(e.Arch))
}

// Find returns the path of a static spell-lsp for Linux: the program that runs, if it is one for that
// architecture, or the file spell-lsp-linux-ARCH beside it. The error is a [*MissingError], or says
// that the running program cannot be found.
func Find(arch string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	return find(program, runtime.GOOS, arch)
}

func find(program, system, arch string) (string, error) {
	if resolved, err := filepath.EvalSymlinks(program); err == nil { // a link to it in another folder
		program = resolved
	}
	missing := &MissingError{Arch: arch}
	candidates := []string{filepath.Join(filepath.Dir(program), name(arch))}
	if system == "linux" {
		candidates = append([]string{program}, candidates...)
	}
	for _, c := range candidates {
		err := check(c, arch)
		if err == nil {
			return c, nil
		}
		missing.Why = append(missing.Why, fmt.Sprintf("%s: %v", c, err))
	}
	return "", missing
}

func name(arch string) string { return "spell-lsp-linux-" + arch }

// check says why a file is no static program for Linux on an architecture.
func check(file, arch string) error {
	f, err := regularfile.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is none")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	program, err := elf.NewFile(f)
	if err != nil {
		return errors.New("it is no program for Linux")
	}
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	if program.Machine != machines[arch] || program.Data != elf.ELFDATA2LSB {
		return fmt.Errorf("it is for another processor (%v)", program.Machine)
	}
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			return errors.New("it needs libraries (it was built with cgo)")
		}
	}
	return nil
}
