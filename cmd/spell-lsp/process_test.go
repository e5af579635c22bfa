package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/record/recordjson"
)

// binaryDir is where built commands are; "" before the first.
var binaryDir string

var binaries = sync.OnceValues(func() (dir string, err error) {
	binaryDir, err = os.MkdirTemp("", "spell-binary-")
	return binaryDir, err
})

// binary builds the command once for all tests that need it as a process of
// its own.
var binary = sync.OnceValues(func() (string, error) { return built("spell-lsp", nil) })

// static builds it so that it can be sent to another machine.
var static = sync.OnceValues(func() (string, error) {
	return built("spell-lsp-static", []string{"CGO_ENABLED=0"}, "-trimpath", "-ldflags=-s -w")
})

func built(name string, env []string, flags ...string) (file string, err error) {
	dir, err := binaries()
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, name)
	cmd := exec.CommandContext(context.Background(), "go", append(append([]string{"build", "-o", file}, flags...), ".")...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, out)
	}
	return file, nil
}

// A measuring is a spell-lsp measure that runs as a process of its own.
type measuring struct {
	*exec.Cmd
	temp   string // its temporary folder
	mark   string // in the environment of it and all that it starts
	stderr *bufio.Scanner
	said   []string // lines of stderr that were read
	last   string   // of them, after end
	out    bytes.Buffer
}

func startMeasuring(t *testing.T, dir string, args ...string) *measuring {
	t.Helper()
	return startMeasuringIn(t, t.TempDir(), dir, args...)
}

func startMeasuringIn(t *testing.T, temp, dir string, args ...string) *measuring {
	t.Helper()
	long(t)
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return startMeasuringBy(t, file, temp, dir, append([]string{"--no-calm"}, args...)...)
}

// startMeasuringBy starts another build of the command.
func startMeasuringBy(t *testing.T, file, temp, dir string, args ...string) *measuring {
	t.Helper()
	m := &measuring{temp: temp, mark: fmt.Sprintf("SPELL_TEST=%s-%d", t.Name(), time.Now().UnixNano())}
	m.Cmd = exec.CommandContext(t.Context(), file, append([]string{"measure", "-C", dir}, args...)...)
	m.Env = append(os.Environ(), "TMPDIR="+m.temp, "SPELL_LSP_DATA="+t.TempDir(), m.mark)
	m.Stdout = &m.out
	stderr, err := m.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	m.stderr = bufio.NewScanner(stderr)
	if err := m.Start(); err != nil {
		t.Fatal(err)
	}
	return m
}

// until reads the progress up to a line that contains the text.
func (m *measuring) until(t *testing.T, text string) {
	t.Helper()
	for m.stderr.Scan() {
		m.said = append(m.said, m.stderr.Text())
		if strings.Contains(m.stderr.Text(), text) {
			return
		}
	}
	t.Fatalf("%q was never said:\n%s", text, strings.Join(m.said, "\n"))
}

// saying reads on unless a line that contains the text was read before.
func (m *measuring) saying(t *testing.T, text string) {
	t.Helper()
	if !slices.ContainsFunc(m.said, func(line string) bool { return strings.Contains(line, text) }) {
		m.until(t, text)
	}
}

// end reads what is left of the progress and waits.
func (m *measuring) end() (code int) {
	for m.stderr.Scan() {
		m.last = m.stderr.Text()
		m.said = append(m.said, m.last)
	}
	m.Wait()
	return m.ProcessState.ExitCode()
}

// family lists the living processes that have the mark in their environment.
func (m *measuring) family() []string {
	var found []string
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range entries {
		environ, err := os.ReadFile(name)
		if err == nil && bytes.Contains(environ, []byte(m.mark)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// gone waits until no process of the family is left.
func (m *measuring) gone(t *testing.T) {
	t.Helper()
	eventually(t, "no process of the measurement is left", func() bool { return len(m.family()) == 0 })
}

// scratch lists the measurement's own temporary folders.
func (m *measuring) scratch() []string {
	left, _ := filepath.Glob(filepath.Join(m.temp, "*spell-lsp*"))
	return left
}

// stubborn writes a module whose second round never ends: its test ignores
// signals, burns a processor and has a child.
func stubborn(t *testing.T) string {
	t.Helper()
	return module(t, map[string]string{
		"go.mod": "module example.com/stubborn\n\ngo 1.26\n",
		"x.go":   "package stubborn\n\nfunc F() {}\n",
		"x_test.go": `package stubborn

import (
	"os"
	"os/exec"
	"os/signal"
	"testing"
)

func TestFirst(t *testing.T) { F() }

func TestStubborn(t *testing.T) {
	if os.Mkdir(os.TempDir()+"/once", 0o755) == nil {
		return
	}
	signal.Ignore(os.Interrupt)
	exec.Command("sleep", "600").Start()
	os.WriteFile(os.TempDir()+"/stuck", nil, 0o644)
	for {
		F()
	}
}
`,
	})
}

func (m *measuring) stuck(t *testing.T) {
	t.Helper()
	m.until(t, "round 2")
	eventually(t, "the test is stuck", func() bool {
		_, err := os.Stat(filepath.Join(m.temp, "stuck"))
		return err == nil
	})
}

// Ctrl-C ends everything at once, and what had been measured is shown.
func TestInterruptLeavesNothing(t *testing.T) {
	m := startMeasuring(t, stubborn(t), "--meter", "none", "--warmup", "0", "--rounds", "5", "--format", "json")
	m.stuck(t)
	if err := m.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	m.gone(t)
	if code := m.end(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if left := m.scratch(); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	run, err := recordjson.Read(&m.out)
	if err != nil {
		t.Fatalf("the round that was complete is lost: %v", err)
	}
	if !run.Partial || run.Rounds != 1 || len(run.Tests) != 2 {
		t.Errorf("run has partial %v, %d rounds, %d tests; want a partial one of one round and two tests", run.Partial, run.Rounds, len(run.Tests))
	}
}

// An interrupt while the go command builds must end that too, and so must a
// terminal that is closed.
func TestInterruptWhileBuilding(t *testing.T) {
	hearHangup(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			m := startMeasuring(t, stubborn(t), "--meter", "none")
			m.until(t, "building")
			if err := m.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			m.gone(t)
			if code := m.end(); code != exitInterrupted {
				t.Errorf("exit code %d, want %d", code, exitInterrupted)
			}
			if m.last != "spell-lsp: interrupted" {
				t.Errorf("the last word was %q", m.last)
			}
			if left := m.scratch(); len(left) > 0 {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// The protocol wants exit code 1 from a server whose client goes without
// shutdown; the client knows why, so nothing is said.
func TestExitWithoutShutdown(t *testing.T) {
	const exit = `{"jsonrpc":"2.0","method":"exit"}`
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file, "serve", "--log-level", "error")
	cmd.Stdin = strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(exit), exit))
	out, _ := cmd.CombinedOutput() // the exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code != exitNoShutdown || len(out) > 0 {
		t.Errorf("exit code %d, want %d; it said %q", code, exitNoShutdown, out)
	}
}

// copied copies a module from the module cache to a folder that can be written.
func copied(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	if err != nil {
		t.Fatalf("downloading %s: %v\n%s", module, err, out)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "module")
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "chmod", "-R", "u+w", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// fingerprint is a hash of each file's content, mode and time.
func fingerprint(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		if info.Mode().IsRegular() {
			if content, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		files[name] = fmt.Sprintf("%x %v %v", sha256.Sum256(content), info.Mode(), info.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// plainOutcomes are those of go test itself.
func plainOutcomes(t *testing.T, dir string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-vet=off", "./...")
	cmd.Dir = dir
	out, _ := cmd.Output() // failing tests are outcomes too
	outcomes := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`).FindAllStringSubmatch(string(out), -1) {
		outcomes[m[2]] = strings.ToLower(m[1])
	}
	return outcomes
}

// A real module behaves as with go test, and not a byte of it changes, not
// even when the measurement is killed in the middle.
func TestRealModuleIsMeasuredAndNotTouched(t *testing.T) {
	dir := copied(t, "github.com/google/btree@v1.1.3")
	plain := plainOutcomes(t, dir)
	before := fingerprint(t, dir)

	m := startMeasuring(t, dir, "--warmup", "0", "--rounds", "1", "--format", "json")
	if code := m.end(); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	run, err := recordjson.Read(&m.out)
	if err != nil {
		t.Fatal(err)
	}
	measured := make(map[string]string)
	for _, test := range run.Tests {
		measured[strings.TrimPrefix(test.Name, "github.com/google/btree.")] = string(test.Outcome)
	}
	if diff := cmp.Diff(plain, measured); diff != "" || len(plain) == 0 {
		t.Errorf("outcomes differ (-go test +spell-lsp):\n%s", diff)
	}
	if worst := run.Imbalance(); worst > 0.005 {
		t.Errorf("parts and counter differ by %g", worst)
	}
	if diff := cmp.Diff(before, fingerprint(t, dir)); diff != "" {
		t.Errorf("the folder changed:\n%s", diff)
	}

	killed := startMeasuring(t, dir, "--meter", "none", "--rounds", "100")
	killed.until(t, "round 1")
	if err := killed.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed.gone(t)
	killed.end()
	if diff := cmp.Diff(before, fingerprint(t, dir)); diff != "" {
		t.Errorf("the folder changed when the measurement was killed:\n%s", diff)
	}
	if len(killed.scratch()) == 0 {
		t.Fatal("the kill came too late to leave a folder: this test shows nothing")
	}
	// What a kill leaves behind, the next measurement removes.
	next := startMeasuringIn(t, killed.temp, dir, "--meter", "none", "--warmup", "0", "--rounds", "1")
	next.end()
	if left := next.scratch(); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
}

// hearHangup makes a test and the programs that it starts hear of a closed terminal,
// also where the tests themselves were started with nohup: the programs of a process
// inherit what it ignores, not what it catches.
func hearHangup(t *testing.T) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
}

// Without TMPDIR everything temporary stands in the user's cache folder, where no
// other user can write. What a kill leaves there, the next measurement removes.
func TestKillLeavesNothingInTheCache(t *testing.T) {
	builds, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Setenv("GOCACHE", strings.TrimSpace(string(builds)))
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("GOTMPDIR", "")
	dir := module(t, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"x.go":      "package m\n\nfunc F() {}\n",
		"x_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n",
	})
	left := func() []string {
		names, _ := filepath.Glob(filepath.Join(cache, "spell-lsp", "scratch", "*"))
		return names
	}
	killed := startMeasuringIn(t, "", dir, "--meter", "none")
	killed.until(t, "building")
	if err := killed.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed.gone(t)
	killed.end()
	if len(left()) != 1 {
		t.Fatalf("left after the kill: %s; want one folder, or this test shows nothing", left())
	}
	next := startMeasuringIn(t, "", dir, "--meter", "none", "--warmup", "0", "--rounds", "1")
	if code := next.end(); code != exitDone {
		t.Errorf("exit code %d: %s", code, next.last)
	}
	if len(left()) > 0 {
		t.Errorf("left behind: %s", left())
	}
}

// What was started with nohup goes on when the terminal is closed.
func TestNohupIsRespected(t *testing.T) {
	hearHangup(t)
	if !slices.Contains(endings(), os.Signal(syscall.SIGHUP)) {
		t.Error("a closed terminal does not end a measurement")
	}
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	if slices.Contains(endings(), os.Signal(syscall.SIGHUP)) {
		t.Error("the signal that nohup had ignored is caught again")
	}
}
