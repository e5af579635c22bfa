package execution

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/trace"

	"spell-lsp/instrument/pclntab"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/scratch"
	"spell-lsp/runner/stacks/frames"
	"spell-lsp/spell/regularfile"
)

// An ownProfile is where a program that the kernel may not sample leaves the samples of its own CPU
// profiler. The profile itself has no times; the execution trace has each of its samples with one.
type ownProfile struct{ dir string }

func newOwnProfile(program string) (*ownProfile, error) {
	dir, err := scratch.Sub(filepath.Dir(program), "profile-"+filepath.Base(program))
	if err != nil {
		return nil, err
	}
	o := &ownProfile{dir}
	o.remove() // of an execution that went wrong
	return o, nil
}

func (o *ownProfile) trace() string { return filepath.Join(o.dir, "trace") }
func (o *ownProfile) cpu() string   { return filepath.Join(o.dir, "cpu") }

// env has a program of [Source.Profiled] write it.
func (o *ownProfile) env() string {
	return fmt.Sprintf("SPELL_LSP_PROFILE=%d:%s", os.Getpid(), o.trace())
}

// flags have a test program write it.
func (o *ownProfile) flags() []string {
	return []string{"-test.trace=" + o.trace(), "-test.cpuprofile=" + o.cpu()}
}

func (o *ownProfile) remove() {
	os.Remove(o.cpu())   //nolint:errcheck // the folder is removed in the end
	os.Remove(o.trace()) //nolint:errcheck // the folder is removed in the end
}

// take books the samples and removes the files. A program that ended before its tests began has left
// none; of one that was killed, the trace ends anywhere, and lacks about a second.
func (o *ownProfile) take(s *sampling, main string, killed bool) error {
	defer o.remove()
	f, err := regularfile.Open(o.trace())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() == 0 { // it ended before the trace began
		return nil
	}
	if err := s.addTrace(regularfile.Limit(f, o.trace(), mostTrace), main); err != nil && !killed {
		return fmt.Errorf("reading its execution trace: %w", err)
	}
	return nil
}

// checkProfile finds out how much of a program's CPU time the samples of its own profiler stand for, and
// whether the program had the profiler itself.
func checkProfile(e *Execution) {
	var used, sampled float64
	for _, w := range e.Log.Windows {
		used += e.Line.Interval(&attribution.Machine{}, w, attribution.ProbeCost{}).ProgramNS
		sampled += float64(w.SchedulerNS)
		for _, c := range w.Counts {
			sampled += float64(c.SelfNS)
		}
	}
	e.Sampled.NS, e.Sampled.MissedNS = int64(sampled), int64(max(0, used-sampled))
	e.ProfilerTaken = slices.ContainsFunc(takenProfilers, func(said string) bool { return strings.Contains(e.Output, said) })
}

// takenProfilers are the errors of pprof.StartCPUProfile and trace.Start where these run already.
var takenProfilers = []string{"cpu profiling already in use", "tracing is already enabled"}

// traceDelay is how much later than they are taken samples are in the trace of a program that goes on: the
// runtime writes it by generations, of a second each.
const traceDelay = 2 * time.Second

// mostTrace is how long a trace may be.
const mostTrace = 64 << 30

// ProfilePeriod is the CPU time for which a sample of a program's own profiler stands.
const ProfilePeriod = 10 * time.Millisecond

// addTrace books the samples in an execution trace, whose clock is CLOCK_MONOTONIC. main is the import
// path of package main.
func (s *sampling) addTrace(from io.Reader, main string) error {
	r, err := trace.NewReader(from)
	for err == nil {
		var e trace.Event
		if e, err = r.ReadEvent(); err == nil && e.Kind() == trace.EventStackSample {
			s.addTraced(int64(e.Time()), e.Stack(), main)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// addTraced books one sample.
func (s *sampling) addTraced(at int64, stack trace.Stack, main string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []frames.Frame
	for f := range stack.Frames() {
		found = append(found, frames.Frame{Frame: pclntab.Frame{
			Function: f.Func, File: f.File, Line: int(f.Line), Assembly: strings.HasSuffix(f.File, ".s"),
		}})
	}
	s.add(s.place(s.placeOf(found, main, isCut(found))), at, int64(ProfilePeriod))
	s.stats.Samples, s.stats.NS = s.stats.Samples+1, s.stats.NS+int64(ProfilePeriod)
}
