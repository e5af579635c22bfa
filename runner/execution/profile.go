package execution

import (
	"fmt"
	"os"
	"strings"

	"github.com/google/pprof/profile"

	"spell-lsp/instrument/pclntab"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/stacks/frames"
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
	rule := owner.NewRule(index, nil)
	for _, s := range p.Sample {
		found := framesOf(s)
		list = append(list, attribution.Stack{Rows: rule.Of(frames.Functions(found), "").Rows, Samples: uint64(s.Value[0]), NS: uint64(s.Value[1]), Cut: isCut(found)})
	}
	return list
}

// framesOf are the frames of a stack of a CPU profile, the innermost first.
func framesOf(s *profile.Sample) []frames.Frame {
	var list []frames.Frame
	for _, l := range s.Location {
		for i, line := range l.Line { // the innermost of inlined functions first
			list = append(list, frames.Frame{Frame: pclntab.Frame{
				Function: line.Function.Name, File: line.Function.Filename, Line: int(line.Line),
				Inlined: i < len(l.Line)-1, Assembly: strings.HasSuffix(line.Function.Filename, ".s"),
			}})
		}
	}
	return list
}

// isCut says of a stack that the runtime's profiler saw whether its outermost functions may be missing.
// Only traces have the function with which goroutines begin.
func isCut(found []frames.Frame) bool {
	return len(found) >= profileFrames && found[len(found)-1].Function != "runtime.goexit"
}
