// Package frames finds the functions on stacks that package stacks sampled, from the tables
// of functions in the executables.
package frames

import (
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"slices"

	"spell-lsp/instrument/pclntab"
	"spell-lsp/runner/stacks"
	"spell-lsp/runner/stacks/owner"
	"spell-lsp/spell/gosource"
)

// A Frame is a function on a stack.
type Frame struct {
	pclntab.Frame
	// Module is where the code is if it is not Go's: Kernel, [vdso], the file of a library or of
	// a program in another language; Unknown for addresses without a file. Function is "" then.
	Module string
}

// Modules that are no files.
const (
	Kernel  = "[kernel]"
	Unknown = "[unknown]"
)

// Names finds functions. It keeps what it found of each executable, so it is to be used for all
// samples of a Sampler, and no longer than that is open. It is not safe for concurrent use.
type Names struct {
	programs map[io.ReaderAt]*program
}

// New knows no program yet.
func New() *Names { return &Names{make(map[io.ReaderAt]*program)} }

// A program is an executable.
type program struct {
	table *pclntab.Table // nil if err is set
	err   error
	main  string
	known map[uint64][]Frame // by address as linked
}

// Frames appends the functions on a stack to frames, the innermost first. With a sample in the
// kernel, that is the first.
func (n *Names) Frames(frames []Frame, s *stacks.Sample) []Frame {
	p := n.program(s.Process)
	if s.Kernel {
		frames = append(frames, Frame{Module: Kernel})
	}
	for i, pc := range n.Stack(s) {
		if i > 0 {
			pc-- // in the call, not behind it
		}
		frames = p.append(frames, s.Process, pc)
	}
	return frames
}

// Stack is the sample's stack of program counters, with the caller of the innermost function,
// which frame pointers miss where that function has no frame, or not yet, or no longer. Samples
// of a process that have the same one, and are in the kernel or not alike, have the same frames.
func (n *Names) Stack(s *stacks.Sample) []uint64 { return n.program(s.Process).complete(s) }

// Functions are the functions on a stack as an owner.Rule takes them.
func Functions(frames []Frame) []owner.Func {
	list := make([]owner.Func, len(frames))
	for i, f := range frames {
		list[i] = owner.Func{Name: f.Function, File: f.File, Line: f.Line}
	}
	return list
}

// Main is the import path, as names of functions have it, of the package main of a process:
// its functions are called main.F in the program. It is "" if the go command did not build it
// from a package.
func (n *Names) Main(p *stacks.Process) string { return n.program(p).main }

// Err says why no functions of a process's program can be named; nil if they can.
func (n *Names) Err(p *stacks.Process) error {
	if err := n.program(p).err; err != nil {
		return fmt.Errorf("naming the functions of process %d (%s): %w", p.PID, p.Program, err)
	}
	return nil
}

func (n *Names) program(of *stacks.Process) *program {
	file := of.Executable()
	p := n.programs[file]
	if p == nil {
		p = read(file)
		n.programs[file] = p
	}
	return p
}

func read(file io.ReaderAt) *program {
	p := &program{known: make(map[uint64][]Frame)}
	if file == nil {
		p.err = errors.New("it ended before its executable was opened, or there were too many")
		return p
	}
	p.table, p.err = pclntab.Open(file)
	if p.err != nil {
		p.table = nil
		return p
	}
	const noPackage = "command-line-arguments"
	if info, err := buildinfo.Read(file); err == nil && info.Path != noPackage {
		p.main = gosource.RuntimeName(info.Path, info.Path)
	}
	return p
}

// append appends what is at an address.
func (p *program) append(frames []Frame, of *stacks.Process, pc uint64) []Frame {
	m, ok := of.At(pc)
	if !ok || m.File == "" {
		return append(frames, Frame{Module: Unknown})
	}
	linked, ok := p.linked(of, m, pc)
	if !ok {
		return append(frames, Frame{Module: m.File})
	}
	found, known := p.known[linked]
	if !known {
		for _, f := range p.table.Frames(nil, linked) {
			found = append(found, Frame{Frame: f})
		}
		if found == nil {
			found = []Frame{{Module: m.File}} // C in the same executable
		}
		p.known[linked] = found
	}
	return append(frames, found...)
}

// linked is the address for which what is at an address was linked, in the program itself.
func (p *program) linked(of *stacks.Process, m stacks.Mapping, pc uint64) (uint64, bool) {
	if p.table == nil || m.File != of.Program {
		return 0, false
	}
	return p.table.Linked(pc - m.Start + m.Offset)
}

// complete is the stack with the caller of the innermost function.
func (p *program) complete(s *stacks.Sample) []uint64 {
	if p.table == nil || len(s.Stack) == 0 || len(s.Return) < 2 {
		return s.Stack
	}
	m, ok := s.Process.At(s.Stack[0])
	if !ok {
		return s.Stack
	}
	linked, ok := p.linked(s.Process, m, s.Stack[0])
	if !ok {
		return s.Stack
	}
	depth, ok := p.table.StackDepth(linked)
	caller := returnAddress(p.table.Machine(), depth, s.Return)
	if !ok || caller == 0 || len(s.Stack) > 1 && s.Stack[1] == caller || !p.isCode(s.Process, caller) {
		return s.Stack
	}
	return slices.Insert(slices.Clone(s.Stack), 1, caller)
}

// returnAddress finds the return address of a function whose frame may not be complete, by the
// depth of its stack, in bytes; 0 if the frame is complete. amd64 has saved the frame pointer
// when the stack is 8 bytes deep, and sets it in the next instruction. arm64 has the address in
// a register as long as there is no frame, and at the stack pointer otherwise.
func returnAddress(machine elf.Machine, depth int, at []uint64) uint64 {
	const word = 8
	switch {
	case depth == 0:
		return at[0]
	case machine == elf.EM_X86_64 && depth == word, machine == elf.EM_AARCH64:
		return at[1]
	}
	return 0
}

// isCode says whether a return address is in a function of the program.
func (p *program) isCode(of *stacks.Process, pc uint64) bool {
	m, ok := of.At(pc - 1)
	if !ok {
		return false
	}
	linked, ok := p.linked(of, m, pc-1)
	return ok && len(p.table.Frames(nil, linked)) > 0
}
