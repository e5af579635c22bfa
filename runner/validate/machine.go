package validate

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner/execution"
	"spell-lsp/runner/fitness"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/virtual"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/units"
	"spell-lsp/spell/validation"
)

// machine is what this machine says of itself. Of another one only what a run records is known.
func machine(p Params) validation.Machine {
	if p.Site != nil {
		return validation.Machine{}
	}
	m := validation.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
	m.Virtual, m.Hypervisor = virtual.Machine(p.Meters)
	release, _ := regularfile.Read(p.Meters.Proc("sys", "kernel", "osrelease"), regularfile.MaxValue) // "" where it is not known
	m.Kernel = numbers(string(release))
	m.Governor = fitness.Look(p.Meters).Governors()
	return m
}

// numbers is the version at the start of a kernel's release: its builder chose what follows, and may
// have put a name there.
func numbers(release string) string { return regexp.MustCompile(`^[0-9.]*[0-9]`).FindString(release) }

// isShare says whether notes tell that the host fills the counter.
func isShare(notes []note.Note) bool {
	return slices.ContainsFunc(notes, func(n note.Note) bool { return n.Code == note.HostsShareCode })
}

// counter says whether a counter of this machine can be read, or the machine is another one. Where there is none,
// the result says why, and what to do. The error is about the name of a meter.
func (s *session) counter() (found bool, err error) {
	if s.Site != nil {
		return true, nil
	}
	var why []string
	m, err := execution.OpenMeter(s.Meter, s.Meters)
	open := (*meters.OpenError)(nil)
	switch {
	case errors.As(err, &open):
		why = []string{open.Error()}
	case err != nil:
		return false, err
	default:
		defer m.Close()
		if isShare(m.Info().Notes) { // the first look says so
			return true, nil
		}
		if m.Info().Source == record.Measured {
			return !s.tooSlow(m.Info().Resolution), nil
		}
		for _, r := range m.Reasons() {
			why = append(why, (&meters.OpenError{Reason: r}).Error())
		}
	}
	s.result.Refuse(validation.NoCounter, "No energy counter can be read on this machine, and an estimate proves nothing. spell-lsp doctor says what makes one work; or validate a machine that has one with --on HOST.")
	s.result.Detail = strings.Join(why, "\n")
	return false, nil
}

// slowest is the interval of a counter from which on the calls of workloads, some milliseconds long, and the
// rounds, some seconds, are too short to compare.
const slowest = time.Second

// tooSlow refuses a counter that changes at such intervals, and says whether it did.
func (s *session) tooSlow(interval time.Duration) bool {
	if interval < slowest {
		return false
	}
	s.result.Refuse(validation.Slow, fmt.Sprintf("The counter changes only every %s: workloads run for seconds and their calls for milliseconds, which such a counter cannot tell apart. Validate with one that changes more often, as --meter rapl.", units.Duration(float64(interval)/float64(time.Millisecond))))
	return true
}
