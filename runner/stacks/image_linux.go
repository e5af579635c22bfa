//go:build linux && (amd64 || arm64)

package stacks

import (
	"os"
	"syscall"

	"spell-lsp/spell/regularfile"
)

// A file identifies an executable, of which one descriptor is kept for all processes.
type file struct{ device, inode uint64 }

// mostFiles bounds the executables that are kept open.
const mostFiles = 256

// image finds out what a process executes now. Of one that has ended meanwhile nothing is known.
func (s *Sampler) image(pid int) *Process {
	p := &Process{PID: pid}
	s.images[pid] = p
	link := s.proc.path(pid, "exe")
	name, err := os.Readlink(link)
	if err != nil {
		return p
	}
	p.Program = name
	p.Mappings, _ = s.proc.code(pid) // it has ended where that fails
	f, err := regularfile.Open(link)
	if err != nil {
		return p
	}
	info, err := f.Stat()
	if stat, ok := sysStat(info); err == nil && ok {
		id := file{stat.Dev, stat.Ino}
		if s.files[id] == nil && len(s.files) < mostFiles {
			s.files[id], p.file = f, f
			return p
		}
		p.file = s.files[id]
	}
	f.Close()
	return p
}

func sysStat(info os.FileInfo) (*syscall.Stat_t, bool) {
	if info == nil {
		return nil, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return stat, ok
}
