// Package childbuild builds the programs that tests build with the go command, so that they have
// probes too. Package syscall of a process that is measured starts this program in the place of
// the go command, for the commands build, install and run. It adds the overlay and becomes the go
// command itself, so that signals, descriptors, environment and exit code are the go command's.
//
// It becomes the go command without the overlay where that could end otherwise: outside of the
// modules that are measured, for another system, with flags that are not known, and where the
// packages do not compile with probes. So a build that fails says what it says without probes.
package childbuild

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/atomicfile"
	"spell-lsp/spell/regularfile"
)

// Name is that of the process until it becomes the go command.
const Name = "spell-lsp-go"

// Called reports whether this process stands for the go command. It must then call Main, and
// nothing else.
func Called() bool { return filepath.Base(os.Args[0]) == Name }

// A Build is the instrumented build that programs of tests are built by.
type Build struct {
	Go      string   // the go command that tests start
	Overlay string   // the description for -overlay
	Modules []string // folders of the modules that are measured
	Env     []string // what the go command needs beside its environment, to build with the overlay
	// GOFLAGS and GOBIN as they are where the measurement was started.
	GOFLAGS, GOBIN string
}

// Install writes into an empty folder what processes need that are measured.
func (b Build) Install(dir string) (probe.GoCommand, error) {
	self, err := os.Executable()
	if err != nil {
		return probe.GoCommand{}, err
	}
	name := filepath.Join(dir, Name)
	text, err := json.Marshal(b)
	if err != nil {
		return probe.GoCommand{}, err
	}
	err = atomicfile.ReplacePrivate(name+".json", "", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return probe.GoCommand{}, err
	}
	link := filepath.Join(dir, "go") // the name of a process is that of its file
	if err := os.Symlink(self, link); err != nil {
		return probe.GoCommand{}, err
	}
	return probe.GoCommand{Path: b.Go, By: link, Argument: name}, nil
}

// Main becomes the go command. It returns the exit code where that fails.
func Main() int {
	args, env := os.Args[1:], os.Environ()
	command := "go"
	if b, err := read(os.Args[0] + ".json"); err == nil {
		command = b.Go
		if c, ok := parse(args); ok && b.fits(c) && b.compiles(c) {
			args, env = c.with(b.Overlay), slices.Concat(b.Env, env) // of one name twice the first counts
		}
	}
	file, err := exec.LookPath(command)
	if err == nil {
		err = syscall.Exec(file, append([]string{"go"}, args...), env)
	}
	fmt.Fprintf(os.Stderr, "%s: starting the go command: %v\n", Name, err)
	return 1
}

func read(name string) (b Build, err error) {
	text, err := regularfile.Read(name, regularfile.MaxIndex)
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	return b, err
}

// A command is a command line of the go command.
type command struct {
	verb     string   // build, install or run
	dir      string   // of -C, "" for none
	flags    []string // with their values, without -C
	builds   []string // of them, those that change what packages are built of, or how
	packages []string
	rest     []string // arguments of the program that is run
}

// The flags that are known to do no harm, by whether they have a value that may stand behind them.
// Not among them are those for which the standard library has to be built once more, such as -race,
// and those that leave no room for probes, such as -cover and -gcflags.
var (
	withValue = map[string]bool{
		"v": false, "trimpath": false, "modcacherw": false, "buildvcs": false,
		"C": true, "o": true, "p": true, "exec": true, "ldflags": true, "tags": true, "mod": true, "modfile": true,
	}
	buildFlags = []string{"trimpath", "modcacherw", "buildvcs", "p", "ldflags", "tags", "mod", "modfile"}
)

// parse reads the arguments. ok is false for what is not known.
func parse(args []string) (c command, ok bool) {
	if len(args) == 0 || !slices.Contains([]string{"build", "install", "run"}, args[0]) {
		return c, false
	}
	c.verb = args[0]
	args = args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := c.takeFlag(args)
		if n == 0 {
			return c, false
		}
		args = args[n:]
	}
	n := len(args)
	if c.verb == "run" {
		n = programIn(args)
	}
	c.packages, c.rest = args[:n], args[n:]
	return c, true
}

// takeFlag takes the flag that arguments begin with. It returns how many of them it is, 0 if it is
// not known.
func (c *command) takeFlag(args []string) int {
	n := 1
	name, value, assigned := strings.Cut(strings.TrimPrefix(args[0][1:], "-"), "=")
	needsValue, known := withValue[name]
	if needsValue && !assigned && len(args) > 1 {
		n, value = 2, args[1]
	}
	switch {
	case !known, needsValue && !assigned && n == 1, name == "C" && (c.dir != "" || len(c.flags) > 0):
		return 0 // the go command may refuse it
	case name == "C":
		c.dir = value
	default:
		c.flags = append(c.flags, args[:n]...)
		if slices.Contains(buildFlags, name) {
			c.builds = append(c.builds, args[:n]...)
		}
	}
	return n
}

// programIn is how many arguments of go run name the program: a package, or all files in front.
func programIn(args []string) int {
	n := slices.IndexFunc(args, func(a string) bool { return !strings.HasSuffix(a, ".go") })
	if n < 0 {
		return len(args)
	}
	return max(1, n)
}

// with is the command with an overlay.
func (c command) with(overlay string) []string {
	return slices.Concat(c.begin(c.verb), []string{"-overlay=" + overlay}, c.flags, c.packages, c.rest)
}

// begin is the beginning of a go command in the same folder: -C must be the first flag.
func (c command) begin(verb string) []string {
	if c.dir == "" {
		return []string{verb}
	}
	return []string{verb, "-C", c.dir}
}

// fits says whether the command builds programs of the modules that are measured, for this system.
func (b Build) fits(c command) bool {
	for name, here := range map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH, "GO111MODULE": "on", "GOROOT": filepath.Dir(filepath.Dir(b.Go))} {
		if value := os.Getenv(name); value != "" && value != here && (name != "GO111MODULE" || value != "auto") {
			return false
		}
	}
	if flags := os.Getenv("GOFLAGS"); flags != b.GOFLAGS {
		if given, ok := parse(append([]string{"build"}, strings.Fields(flags)...)); !ok || given.dir != "" || len(given.packages) > 0 {
			return false
		}
	}
	if slices.ContainsFunc(c.packages, func(pkg string) bool { return strings.Contains(pkg, "@") }) {
		return false // a version of another module
	}
	switch gobin := os.Getenv("GOBIN"); {
	case c.verb == "install" && (gobin == "" || gobin == b.GOBIN):
		return false // it stays where the user's own programs are
	case c.verb == "run" && len(b.Env) > 0:
		return false // the program would see the variables
	}
	return slices.Contains(b.Modules, moduleOf(c.dir))
}

// moduleOf is the folder of the module that the go command finds in a folder, as it calls it: by
// PWD, or, behind -C, without symbolic links.
func moduleOf(dir string) string {
	at, err := os.Getwd()
	if err != nil {
		return ""
	}
	if dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(at, dir)
		}
		if at, err = filepath.EvalSymlinks(dir); err != nil {
			return ""
		}
	}
	for {
		if info, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && !info.IsDir() {
			return at
		}
		above := filepath.Dir(at)
		if above == at {
			return ""
		}
		at = above
	}
}

// compiles says whether the packages compile with the overlay. What is compiled is in the build
// cache for the command itself.
func (b Build) compiles(c command) bool {
	cmd := exec.CommandContext(context.Background(), b.Go, slices.Concat(c.begin("list"), []string{"-export", "-f=", "-overlay=" + b.Overlay}, c.builds, c.packages)...)
	cmd.Env = append(os.Environ(), b.Env...)
	endWithParent(cmd)
	return cmd.Run() == nil
}
