package lsp_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
)

// A process is a real server on its standard input and output, in a module whose only test never
// ends.
type process struct {
	cmd  *exec.Cmd
	conn io.ReadWriteCloser
	e    *lsptest.Editor
	dir  string // the measured folder
	temp string // its folder for temporary files
	done chan error
}

func startProcess(t *testing.T, binary string) *process {
	t.Helper()
	p := &process{
		cmd: exec.Command(binary, "serve", "--log-level", "error"), temp: t.TempDir(), done: make(chan error, 1),
		dir: module(t, map[string]string{
			"a.go":      "package a\n\nfunc Spin(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i\n\t}\n\treturn sum\n}\n",
			"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestSpin(t *testing.T) {\n\tfor {\n\t\tSpin(1000)\n\t}\n}\n",
		}),
	}
	p.cmd.Env = append(os.Environ(), "TMPDIR="+p.temp, "SPELL_LSP_DATA="+t.TempDir())
	p.conn = lsptest.Subprocess(t, p.cmd)
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // it should have ended
	p.e = lsptest.Connect(t, p.conn)
	p.e.Folders = []string{p.dir}
	return p
}

// exit waits for the end of the process and returns its exit code.
func (p *process) exit(t *testing.T) int {
	t.Helper()
	go func() { p.done <- p.cmd.Wait() }()
	select {
	case err := <-p.done:
		var code *exec.ExitError
		if err != nil && !errors.As(err, &code) {
			t.Fatal(err)
		}
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(hang):
		t.Fatal("the server is still running")
		return 0
	}
}

func TestProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the server and measures")
	}
	binary := lsptest.BuildServer(t)

	// The exit code tells the editor whether the session ended properly.
	t.Run("shutdown and exit", func(t *testing.T) {
		p := startProcess(t, binary)
		p.e.Start()
		p.e.Quit()
		if code := p.exit(t); code != 0 {
			t.Errorf("exit code %d, must be 0", code)
		}
	})
	t.Run("exit without shutdown", func(t *testing.T) {
		p := startProcess(t, binary)
		p.e.Start()
		p.e.Notify("exit", nil)
		if code := p.exit(t); code != 1 {
			t.Errorf("exit code %d, must be 1", code)
		}
	})

	// When an editor dies during a measurement, both pipes break at once, or stay open in one of
	// its children. No process and no file of the measurement may be left. The bench of the
	// server measures how soon.
	dies := func(t *testing.T, set func(*process), die func(*process) error) {
		p := startProcess(t, binary)
		set(p)
		p.e.Start()
		p.e.ExecuteWithProgress("token", "spell-lsp.measure", map[string]any{"scope": "workspace"})
		eventually(t, "the test runs", func() bool { return len(processesIn(p.dir, "-test.")) > 0 })
		if err := die(p); err != nil {
			t.Fatal(err)
		}
		p.exit(t)
		eventually(t, "the test is gone", func() bool { return len(processesIn(p.dir, "")) == 0 })
		left, err := os.ReadDir(p.temp)
		if err != nil || len(left) > 0 {
			t.Errorf("left in the temporary folder: %v, %v", left, err)
		}
	}
	t.Run("the editor dies", func(t *testing.T) {
		dies(t, func(*process) {}, func(p *process) error {
			return errors.Join(p.conn.Close(), p.conn.(interface{ CloseRead() error }).CloseRead())
		})
	})
	t.Run("the editor dies, the pipes stay open", func(t *testing.T) {
		editor := sleeper(t)
		dies(t, func(p *process) { p.e.ProcessID = editor.Process.Pid }, func(*process) error { return editor.Process.Kill() })
	})
}

// eventually polls a condition that depends on other processes, or only shows in a log.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v until %s", hang, what)
		}
	}
}

// processesIn lists the processes whose working folder is in a folder, and whose command line
// contains a text.
func processesIn(dir, argument string) []string {
	var found []string
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // only a bad pattern is an error
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(cwd, dir) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
		if err == nil && strings.Contains(string(line), argument) {
			found = append(found, string(line))
		}
	}
	return found
}
