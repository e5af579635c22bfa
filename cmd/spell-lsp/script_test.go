package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/unprivileged"
	"spell-lsp/runner/childbuild"
	"spell-lsp/runner/sampler"
)

// If the first argument is simulator, the test binary is a simulated machine.
const simulator = "powercap-simulator"

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	if childbuild.Called() {
		os.Exit(childbuild.Main())
	}
	if len(os.Args) > 2 && os.Args[1] == simulator {
		os.Exit(powercapsim.Main(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == unprivileged.WithoutPerf {
		fmt.Fprintln(os.Stderr, unprivileged.ExecWithoutPerf(os.Args[2:]))
		os.Exit(1)
	}
	if stuck := stuckCommands[os.Getenv(stuckVariable)]; stuck != nil {
		stuck()
	}
	// Programs that tests start: with the race detector each would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	code := m.Run()
	os.RemoveAll(binaryDir)
	os.Exit(code)
}

// Each script is a promise about the command, told as a user would try it. They run the
// command as it is built for users, and share its cache, as it would be filled by
// somebody who works with it.
func TestScripts(t *testing.T) {
	command, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	shared := t.TempDir()
	cache, err := exec.CommandContext(context.Background(), "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(cache))
	example, err := filepath.Abs("../../examples/parking")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "record": recordCommand},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(command)+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("XDG_CACHE_HOME", shared)
			env.Setenv("GOCACHE", dirs[0])
			env.Setenv("GOMODCACHE", dirs[1])
			env.Setenv("GOFLAGS", "-buildvcs=false")
			env.Setenv("EXAMPLE", example)
			env.Setenv("SELF", self)
			env.Setenv("SPELL_LSP_DATA", filepath.Join(env.WorkDir, ".data"))
			// What the command leaves behind would be seen here.
			temp := filepath.Join(env.WorkDir, ".tmp")
			env.Setenv("TMPDIR", temp)
			return os.MkdirAll(temp, 0o755)
		},
	})
}

// status runs a command and fails unless it ends with the exit code:
//
//	status 2 spell-lsp measure --nonsense
func status(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s ended with %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}
