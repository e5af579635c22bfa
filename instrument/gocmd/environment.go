// Package gocmd knows the go command: which release a folder uses and with what settings,
// the modules and the go.work that it sees there, and how to run it so that it writes to
// none of them. It does not know what is built.
package gocmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"spell-lsp/spell/capture"
)

// Environment is what the go command says of a folder.
type Environment struct {
	GOROOT, GOMODCACHE, GOMOD, GOWORK, GOVERSION, GOFLAGS, GO111MODULE, GOOS, GOARCH string

	GOCACHE, GOAMD64, GOARM64, GOEXPERIMENT string
	CgoEnabled                              string `json:"CGO_ENABLED"`

	platform Platform
}

// A Platform is what programs are built for, as GOOS and GOARCH have it. The zero value is this machine.
type Platform struct{ OS, Arch string }

// Env has the go command build for it.
func (p Platform) Env() []string {
	if p == (Platform{}) {
		return nil
	}
	return []string{"GOOS=" + p.OS, "GOARCH=" + p.Arch}
}

// Compiler lists the settings that decide what is compiled, and how.
func (e *Environment) Compiler() []string {
	return []string{e.GOVERSION, e.GOFLAGS, e.GOOS, e.GOARCH, e.GOAMD64, e.GOARM64, e.GOEXPERIMENT, e.CgoEnabled}
}

// A FolderError says that the go command knows no module in a folder, or cannot use its go.mod.
type FolderError struct{ error }

// Unwrap is the cause.
func (e *FolderError) Unwrap() error { return e.error }

// Ask asks the go command about a folder whose programs are built for a platform, and refuses a folder that cannot be
// measured.
func Ask(ctx context.Context, dir string, platform Platform) (*Environment, error) {
	env, err := ask(ctx, dir, platform)
	if err != nil {
		return nil, err
	}
	if env.Root() == "" {
		return nil, &FolderError{env.noModule(ctx, dir)}
	}
	if built, here := env.GOOS+"/"+env.GOARCH, runtime.GOOS+"/"+runtime.GOARCH; platform == (Platform{}) && built != here {
		return nil, fmt.Errorf("the go command builds for %s, and this is %s: take GOOS and GOARCH out of the environment (go env -u GOOS GOARCH if they were set with go env -w)", built, here)
	}
	if why := env.unfit(); why != "" {
		return nil, fmt.Errorf("GOFLAGS has %s: take it out of GOFLAGS (GOFLAGS=-mod=readonly for this once; go env -u GOFLAGS if it was set with go env -w)", why)
	}
	return env, nil
}

// Describe asks the go command about a folder, whatever it is.
func Describe(ctx context.Context, dir string) (*Environment, error) {
	return ask(ctx, dir, Platform{})
}

func ask(ctx context.Context, dir string, platform Platform) (*Environment, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder: name the folder of a Go module with -C", dir)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOMODCACHE", "GOMOD", "GOWORK", "GOVERSION", "GOFLAGS", "GO111MODULE", "GOOS", "GOARCH",
		"GOCACHE", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CGO_ENABLED")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), platform.Env()...)
	var stderr capture.Output
	var stdout capture.Answer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("the go command is not on the PATH: install Go, or add its bin folder to the PATH")
	}
	if err != nil {
		return nil, &FolderError{fmt.Errorf("running go env in %s: %w\n%s", dir, err, stderr.String())}
	}
	env := Environment{platform: platform}
	if err := json.Unmarshal(stdout.Bytes(), &env); err != nil {
		return nil, fmt.Errorf("reading the output of go env: %w", err)
	}
	return &env, nil
}

// unfit names a flag in GOFLAGS that makes a measurement impossible, and says why; ""
// if there is none.
func (e *Environment) unfit() string {
	if e.mode() == "mod" {
		return "-mod=mod, with which the go command writes go.mod and go.sum, and a measurement must not write to the module (run go mod tidy if go.mod is not complete)"
	}
	for _, name := range []string{"cover", "covermode", "coverpkg"} {
		if value := e.Flag(name); value != "" && value != "false" {
			return "-" + name + ", with which the go command compiles copies of the original files, without probes"
		}
	}
	if e.Flag("overlay") != "" {
		return "-overlay, and a measurement needs an overlay of its own"
	}
	return ""
}

// mode is the value of -mod in GOFLAGS, or "".
func (e *Environment) mode() string { return e.Flag("mod") }

// Flag is the value of a flag in GOFLAGS: "true" for a flag without a value, "" if it is
// not set.
func (e *Environment) Flag(name string) (value string) {
	for _, flag := range words(e.GOFLAGS) {
		key, v, assigned := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		switch {
		case key != name:
		case assigned:
			value = v
		default:
			value = "true"
		}
	}
	return value
}

// words splits GOFLAGS as the go command does, which has accepted it: a quote counts only at the beginning of a
// word, up to the next one of its kind.
func words(goflags string) (list []string) {
	for rest := strings.TrimSpace(goflags); rest != ""; rest = strings.TrimSpace(rest) {
		end, word := " \t\n\r", rest
		if rest[0] == '\'' || rest[0] == '"' {
			end, word = rest[:1], rest[1:]
		}
		rest = ""
		if i := strings.IndexAny(word, end); i >= 0 {
			word, rest = word[:i], word[i+1:]
		}
		list = append(list, word)
	}
	return list
}

// Workspace reads go.work; nil if there is none.
func (e *Environment) Workspace(temp string) (*Workspace, error) {
	if !e.inWorkspace() {
		return nil, nil
	}
	return openWorkspace(e.GOWORK, e.mode(), temp)
}

// Root is the folder of the workspace, "" if there is none.
func (e *Environment) Root() string {
	if e.inWorkspace() {
		return filepath.Dir(e.GOWORK)
	}
	return e.module()
}

// inWorkspace reports whether the go command uses a go.work.
func (e *Environment) inWorkspace() bool { return e.GOWORK != "" && e.GOWORK != "off" }

// module is the folder of the module, "" if there is none.
func (e *Environment) module() string {
	if e.GOMOD == "" || e.GOMOD == os.DevNull {
		return ""
	}
	return filepath.Dir(e.GOMOD)
}
