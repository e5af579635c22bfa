package instrument

import (
	"os/exec"
	"path/filepath"
	"strings"

	"spell-lsp/instrument/cache"
	"spell-lsp/instrument/gocmd"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// Params say what to instrument.
type Params struct {
	Dir      string            // a folder of the module
	Patterns []string          // packages, as the go command takes them; none means ./...
	Tags     []string          // build tags
	Exclude  []string          // what gets no probes: globs of files or folders, IDs of functions; see package exclusion
	Buffers  map[string][]byte // text that stands for a file, by absolute path: an editor's unsaved buffers
	Temp     string            // an empty folder for the overlay
	Cache    string            // a folder that keeps what can be used again; "" is one in the user's cache folder
	Block    string            // a function whose loop and branch bodies are components too; "" for none
	Reach    string            // a function: only tests whose program has its package are built; "" for all
	Fallback bool              // leave the runtime as it is: the probe is a package of its own
	Programs bool              // the patterns are of main packages, whose programs are built in place of tests
	Sampled  bool              // find the functions, but make no probes: the build is the user's own
	Platform gocmd.Platform    // of the machine that measures

	// Run runs a go command, and all that it starts, to its end; nil is
	// (*exec.Cmd).Run. Several may run at once.
	Run func(*exec.Cmd) error
	// Progress, if not nil, is called before each step that takes long.
	Progress func(message string)
}

// A Build is an instrumented build, ready for the go command.
type Build struct {
	Root      string   // of the workspace: the module's folder, or that of go.work
	Module    string   // paths of the modules that the patterns are of, joined by commas
	Modules   []string // folders of the modules that packages are of
	Beside    []string // folders of other modules, without those that were downloaded: what replace directives and go.work name
	GOROOT    string
	Toolchain *gocmd.Toolchain `json:"-"` // what builds with the overlay
	GoVersion string
	Fallback  string // why the runtime is not edited; "" if it is
	Overlay   string // the file for -overlay
	// Plain are files that even a build without probes needs in its overlay, beside an
	// editor's buffers, by absolute path: the go command would write an incomplete
	// go.work.sum.
	Plain map[string][]byte `json:"-"`
	// Component i has row i+1 in the probe's table. One whose ID is "" stands for
	// a row that is not used: packages keep their rows while others grow.
	Components []spell.Component
	Counted    []bool // by component: it is counted only, samples tell its time
	Defers     []bool // by component: the runtime runs deferred calls of its code, without a probe too
	// Sizes are by component what its timed calls tell the probe as they begin, at most two: "n" or "len(s)".
	Sizes [][]string
	// Indexes of the function whose blocks are components, and of its first and last
	// block. Without blocks LastBlock is 0.
	Owner, FirstBlock, LastBlock int
	// Reach is the ID of the function that Params.Reach names, or "". With it, Tests,
	// Components and the rest cover only the test programs that contain its package.
	Reach string

	// Bare are the functions written in Go that have no probe: excluded, or unable to have
	// one. They are no components, but they belong to their packages, files and types.
	Bare     []spell.Component
	Unprobed []string // runtime names of these, and of functions without a Go body
	Packages []string // packages of main modules, as runtime names of their functions spell them before the dot
	// Commands are the packages main among these, by their folders, both as runtime names spell
	// import paths.
	Commands map[string]string
	Tests    []Package   // those with tests, by import path; with Params.Programs, those with a main function
	LeftOut  []string    // why test files are not built, where no package has others
	Notes    []note.Note // what has no probe, and why
	// Budgets are comments above functions with a body, TestBudgets above those of test files,
	// whose ID is what a test would be called: import path, dot, name.
	Budgets, TestBudgets []cache.Budget

	StdStale bool // the next build builds the edited standard library first
}

// A Package is one whose program is built: its tests or, with Params.Programs, its main function.
type Package struct{ Path, Dir string }

// buildFlags choose what is built, and keep the go command from asking git about the
// repository of the module, whose configuration can name programs.
func (p *Params) buildFlags() []string {
	flags := []string{"-buildvcs=false"}
	if len(p.Tags) > 0 {
		flags = append(flags, "-tags="+strings.Join(p.Tags, ","))
	}
	return flags
}

// place puts the components of a part into the rows from first on.
func (b *Build) place(first int, p *cache.Part) {
	if need := first - 1 + len(p.Components); need > len(b.Components) {
		b.Components = append(b.Components, make([]spell.Component, need-len(b.Components))...)
		b.Counted = append(b.Counted, make([]bool, need-len(b.Counted))...)
		b.Defers = append(b.Defers, make([]bool, need-len(b.Defers))...)
		b.Sizes = append(b.Sizes, make([][]string, need-len(b.Sizes))...)
	}
	if len(p.Components) > 0 {
		copy(b.Components[first-1:], p.Components)
		copy(b.Counted[first-1:], p.Counted)
		copy(b.Defers[first-1:], p.Defers)
		copy(b.Sizes[first-1:], p.Sizes)
	}
}

func (b *Build) relative(name string) string {
	rel, err := filepath.Rel(b.Root, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}
