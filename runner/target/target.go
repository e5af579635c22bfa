// Package target finds a process that runs already, and what its executable says of itself: the
// package it was built from, and at which commit. It reads procfs and the executable, and starts
// nothing.
package target

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"spell-lsp/spell/regularfile"
)

// A Process is a process of a Go program.
type Process struct {
	PID      int
	Name     string // of the process (proc_pid_comm(5))
	Path     string // import path of its main package
	Module   string // path of its main module
	Go       string // release of Go that built it
	Revision string // commit, "" if it is not known
	Modified bool   // the commit's files had been changed
	Profile  string // URL at which net/http/pprof would serve its CPU profile; "" if it was named by its number
}

// Of describes a process. The error says what is wrong with it, and what to do.
func Of(pid int) (*Process, error) { return of("/proc", pid) }

func of(proc string, pid int) (*Process, error) {
	dir := filepath.Join(proc, strconv.Itoa(pid))
	name, err := regularfile.Read(filepath.Join(dir, "comm"), regularfile.MaxValue)
	if err != nil {
		return nil, fmt.Errorf("there is no process %d: list processes with ps, or name a service by its URL", pid)
	}
	p := &Process{PID: pid, Name: strings.TrimSpace(string(name))}
	file, err := regularfile.Open(filepath.Join(dir, "exe"))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("process %d (%s) belongs to another user, or has privileges: run spell-lsp as that user", pid, p.Name)
	case err != nil:
		return nil, fmt.Errorf("process %d (%s) has no executable: %w", pid, p.Name, err)
	}
	defer file.Close() // it was only read
	info, err := buildinfo.Read(file)
	if err != nil {
		return nil, fmt.Errorf("process %d (%s) is no program of Go, or was built without its build information: %w", pid, p.Name, err)
	}
	if info.Main.Path == "" || info.Path == "command-line-arguments" {
		return nil, fmt.Errorf("process %d (%s) does not say of which package it was built: build it from its package (go build ./cmd/NAME), not from files", pid, p.Name)
	}
	p.Path, p.Module, p.Go = info.Path, info.Main.Path, info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Revision = s.Value
		case "vcs.modified":
			p.Modified = s.Value == "true"
		}
	}
	return p, nil
}
