// Package scenario says how a program or a service is run while it is measured: its main package
// and arguments, how it is seen to be ready, what loads it, and how it is stopped. It reads what
// the user wrote; it starts nothing.
package scenario

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-shellwords"

	"spell-lsp/spell/settings"
)

// A Scenario is a row of the matrix: one way to run a program.
type Scenario struct {
	Name    string   // of the row, unique in a measurement
	Package string   // import path, or folder, of the main package
	Args    []string // of the program
	// Ready says when the measured time begins; nil: when the program does.
	Ready *Ready
	// Load is a command that is started when the program is ready; the measured time ends when
	// it does. nil: none.
	Load []string
	For  time.Duration // of the measured time; 0 is no limit
	Stop syscall.Signal
}

// Main is the name of the row of a program that is run without a name.
const Main = settings.MainScenario

// Program is the scenario of a program that ends by itself.
func Program(command string) (Scenario, error) {
	return Parse(Main, settings.Scenario{Exec: command})
}

// An Error says which key of a scenario cannot be read.
type Error struct {
	Key string // exec, ready, load or stop
	Err error
}

func (e *Error) Error() string { return e.Key + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Parse reads a scenario. The error is an *Error.
func Parse(name string, s settings.Scenario) (Scenario, error) {
	parsed := Scenario{Name: name, For: s.For, Stop: syscall.SIGTERM}
	var err error
	if parsed.Package, parsed.Args, err = program(s.Exec); err != nil {
		return Scenario{}, &Error{"exec", err}
	}
	if s.Ready != "" {
		if parsed.Ready, err = readiness(s.Ready); err != nil {
			return Scenario{}, &Error{"ready", err}
		}
	}
	if s.Load != "" {
		if parsed.Load, err = load(s.Load, parsed.Ready); err != nil {
			return Scenario{}, &Error{"load", err}
		}
	}
	if s.Stop != "" {
		if parsed.Stop, err = Signal(s.Stop); err != nil {
			return Scenario{}, &Error{"stop", err}
		}
	}
	return parsed, nil
}

// load splits the load command. What it takes from the line that shows that the program is ready
// must be a group of the expression.
func load(command string, ready *Ready) ([]string, error) {
	list, err := words(command)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the command %q: %w", command, err)
	case len(list) == 0:
		return nil, fmt.Errorf("the command %q names no program", command)
	}
	groups := 0
	if ready != nil && ready.Line != nil {
		groups = ready.Line.NumSubexp()
	}
	for _, word := range list {
		for _, name := range group.FindAllString(word, -1) {
			if int(name[1]-'0') > groups {
				return nil, fmt.Errorf("the command %q: %s is a group of the regular expression of ready, which has %d: put brackets around what it stands for", command, name, groups)
			}
		}
	}
	return list, nil
}

// program splits a command into a main package and arguments: "./cmd/server -addr :0", with "go
// run" in front or not.
func program(command string) (pkg string, args []string, err error) {
	list, err := words(command)
	if err != nil {
		return "", nil, fmt.Errorf("the command %q: %w", command, err)
	}
	if len(list) > 1 && list[0] == "go" && list[1] == "run" {
		list = list[2:]
		if len(list) > 0 && strings.HasPrefix(list[0], "-") {
			return "", nil, fmt.Errorf("the command %q: flags of go run are not taken: name the package behind run, and build tags with --tags", command)
		}
	}
	switch {
	case len(list) == 0:
		return "", nil, fmt.Errorf("the command %q names no program: write a main package and its arguments, such as './cmd/server -addr :0'", command)
	case strings.HasSuffix(list[0], ".go"):
		return "", nil, fmt.Errorf("the command %q: %s is a file: name its package (%s)", command, list[0], folderOf(list[0]))
	}
	return list[0], list[1:], nil
}

func folderOf(file string) string {
	dir := path.Dir(file)
	if dir == "." || path.IsAbs(dir) || strings.HasPrefix(dir, "..") {
		return dir
	}
	return "./" + dir
}

// errSyntax is the error of a command that only a shell could run.
var errSyntax = errors.New("no shell runs it: it is split into words, which may be quoted, but pipes, redirections and further commands are not taken")

// words splits a command as a shell does, with quotes and backslashes, and nothing else: $1 to $9
// are kept, see [Scenario.Loading].
func words(command string) ([]string, error) {
	parser := shellwords.NewParser()
	list, err := parser.Parse(command)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w (%w)", errSyntax, err)
	case parser.Position >= 0: // of ; & | < or >
		return nil, fmt.Errorf("%w (%s)", errSyntax, command[parser.Position:])
	}
	return list, nil
}

// Signal reads the name of a signal, such as SIGTERM or INT.
func Signal(name string) (syscall.Signal, error) {
	upper := strings.ToUpper(name)
	if !strings.HasPrefix(upper, "SIG") {
		upper = "SIG" + upper
	}
	if s := signalNumber(upper); s != 0 {
		return s, nil
	}
	return 0, fmt.Errorf("%q is no signal: name one such as SIGTERM, SIGINT or SIGUSR1", name)
}

// Loading is the load command with what the groups of the expression of Ready matched in the
// place of $1 to $9.
func (s *Scenario) Loading(groups []string) []string {
	list := slices.Clone(s.Load)
	for i := range list {
		list[i] = group.ReplaceAllStringFunc(list[i], func(name string) string {
			if n := int(name[1] - '0'); n < len(groups) {
				return groups[n]
			}
			return name
		})
	}
	return list
}

var group = regexp.MustCompile(`\$[1-9]`)

// Ends says whether something other than the program itself ends the measured time.
func (s *Scenario) Ends() bool { return s.For > 0 || len(s.Load) > 0 }
