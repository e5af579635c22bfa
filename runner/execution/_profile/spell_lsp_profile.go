package main

// The names of imports must not be those of anything else in the package.
import (
	spellIO "io"
	spellOS "os"
	spellPprof "runtime/pprof"
	spellTrace "runtime/trace"
	spellStrconv "strconv"
	spellStrings "strings"
	_ "unsafe" // for go:linkname
)

// spellVariable is PID:FILE, the process that measures, and where the execution trace goes. Of what that
// process starts, only the program itself finds its parent there.
const spellVariable = "SPELL_LSP_PROFILE"

type spellHook struct {
	F            func()
	RunOnFailure bool
}

// spellAtExit has a function run when main returns, and in os.Exit.
//
//go:linkname spellAtExit internal/runtime/exithook.Add
func spellAtExit(spellHook)

// The first variable of the package: its other ones may take time.
var _ = spellProfile()

func spellProfile() bool {
	parent, file, found := spellStrings.Cut(spellOS.Getenv(spellVariable), ":")
	spellOS.Unsetenv(spellVariable)
	if !found || parent != spellStrconv.Itoa(spellOS.Getppid()) {
		return false
	}
	f, err := spellOS.OpenFile(file, spellOS.O_WRONLY|spellOS.O_CREATE|spellOS.O_EXCL, 0o600)
	if err != nil || spellTrace.Start(f) != nil {
		return false
	}
	// The trace has the profiler's samples, with the time of each.
	if spellPprof.StartCPUProfile(spellIO.Discard) != nil {
		return false
	}
	spellAtExit(spellHook{F: spellTrace.Stop, RunOnFailure: true})
	return true
}
