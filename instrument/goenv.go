package instrument

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

// goEnvironment is what the go command says of a folder.
type goEnvironment struct{ GOROOT, GOMODCACHE, GOMOD, GOWORK, GOVERSION, GOFLAGS, GO111MODULE, GOOS, GOARCH string }

// goEnv asks the go command, and refuses a folder that cannot be measured.
func goEnv(ctx context.Context, dir string) (*goEnvironment, error) {
	env, err := askGoEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	if env.root() == "" {
		return nil, env.noModule(ctx, dir)
	}
	if built, here := env.GOOS+"/"+env.GOARCH, runtime.GOOS+"/"+runtime.GOARCH; built != here {
		return nil, fmt.Errorf("the go command builds for %s, and this is %s: take GOOS and GOARCH out of the environment (go env -u GOOS GOARCH if they were set with go env -w)", built, here)
	}
	if why := env.unfit(); why != "" {
		return nil, fmt.Errorf("GOFLAGS has %s: take it out of GOFLAGS (GOFLAGS=-mod=readonly for this once; go env -u GOFLAGS if it was set with go env -w)", why)
	}
	return env, nil
}

func askGoEnv(ctx context.Context, dir string) (*goEnvironment, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder: name the folder of a Go module with -C", dir)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOMODCACHE", "GOMOD", "GOWORK", "GOVERSION", "GOFLAGS", "GO111MODULE", "GOOS", "GOARCH")
	cmd.Dir = dir
	var stderr capture.Output
	var stdout capture.Answer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("the go command is not on the PATH: install Go, or add its bin folder to the PATH")
	}
	if err != nil {
		return nil, fmt.Errorf("running go env in %s: %w\n%s", dir, err, stderr.String())
	}
	var env goEnvironment
	if err := json.Unmarshal(stdout.Bytes(), &env); err != nil {
		return nil, fmt.Errorf("reading the output of go env: %w", err)
	}
	return &env, nil
}

// unfit names a flag in GOFLAGS with which nothing can be measured, and says
// why, or is "".
func (e *goEnvironment) unfit() string {
	if e.mode() == "mod" {
		return "-mod=mod, with which the go command writes go.mod and go.sum, and a measurement must not write to the module (run go mod tidy if go.mod is not complete)"
	}
	for _, name := range []string{"cover", "covermode", "coverpkg"} {
		if value := e.flag(name); value != "" && value != "false" {
			return "-" + name + ", with which the go command compiles copies of the original files, without probes"
		}
	}
	if e.flag("overlay") != "" {
		return "-overlay, and a measurement needs an overlay of its own"
	}
	return ""
}

// mode is the value of -mod in GOFLAGS, or "".
func (e *goEnvironment) mode() string { return e.flag("mod") }

// flag is the value of a flag in GOFLAGS: "true" where it has none, "" where
// it is not there.
func (e *goEnvironment) flag(name string) (value string) {
	for flag := range strings.FieldsSeq(e.GOFLAGS) {
		key, v, assigned := strings.Cut(strings.TrimLeft(strings.Trim(flag, `'"`), "-"), "=")
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

// workspace is that of go.work, nil if there is none.
func (e *goEnvironment) workspace(temp string) (*workspace, error) {
	if !e.inWorkspace() {
		return nil, nil
	}
	return openWorkspace(e.GOWORK, e.mode(), temp)
}

// root is the folder of the workspace, "" if there is none.
func (e *goEnvironment) root() string {
	if e.inWorkspace() {
		return filepath.Dir(e.GOWORK)
	}
	return e.module()
}

// inWorkspace says that there is a go.work, and the go command reads it.
func (e *goEnvironment) inWorkspace() bool { return e.GOWORK != "" && e.GOWORK != "off" }

// module is the folder of the module, "" if there is none.
func (e *goEnvironment) module() string {
	if e.GOMOD == "" || e.GOMOD == os.DevNull {
		return ""
	}
	return filepath.Dir(e.GOMOD)
}
