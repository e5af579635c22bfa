package execution

import (
	"fmt"
	"os"

	"github.com/google/pprof/profile"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/stacks/owner"
	"spell-lsp/spell/regularfile"
)

// TakeProfile reads the CPU profile that a program left in a file, and removes the file.
func TakeProfile(file string, index probe.Index) ([]attribution.Stack, error) {
	stacks, err := readProfile(file, index)
	if err != nil {
		return nil, fmt.Errorf("reading the CPU profile: %w", err)
	}
	return stacks, os.Remove(file)
}

func readProfile(file string, index probe.Index) ([]attribution.Stack, error) {
	f, err := regularfile.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(regularfile.Limit(f, file, regularfile.MaxProfile))
	if err != nil {
		return nil, err
	}
	return profiled(p, index), nil
}

// profileFrames is how many frames of a stack a CPU profile has at most
// (maxCPUProfStack in the runtime).
const profileFrames = 64

func profiled(p *profile.Profile, index probe.Index) []attribution.Stack {
	var list []attribution.Stack
	for _, s := range p.Sample {
		frames := 0
		for _, l := range s.Location {
			frames += len(l.Line)
		}
		list = append(list, attribution.Stack{Rows: owner.Of(stack(s), index, "").Rows, Samples: uint64(s.Value[0]), NS: uint64(s.Value[1]), Cut: frames >= profileFrames})
	}
	return list
}

// stack lists the functions on a stack, the innermost first.
func stack(s *profile.Sample) []owner.Func {
	var list []owner.Func
	for _, l := range s.Location {
		for _, line := range l.Line { // the innermost of inlined functions first
			list = append(list, owner.Func{Name: line.Function.Name})
		}
	}
	return list
}
