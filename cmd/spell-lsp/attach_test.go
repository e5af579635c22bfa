package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"spell-lsp/internal/childtest"
)

const serviceSource = `package main

import (
	"fmt"
	"net"
	"os"
	"io"
)

var sink uint64

//go:noinline
func Spin(n int) {
	for range n * 1000 {
		sink = sink*6364136223846793005 + 1442695040888963407
	}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	if len(os.Args) > 1 {
		go func() {
			for {
				Spin(100)
			}
		}()
	}
	io.Copy(io.Discard, os.Stdin)
}
`

// service starts a service that listens on a port, and computes if it has arguments.
func service(t *testing.T, args ...string) (dir string, pid int, port string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures")
	}
	if _, err := binary(); err != nil { // the service computes while it runs, so nothing is built then
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/service\n\ngo 1.26\n", "main.go": serviceSource} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", "service", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := childtest.Start(t, exec.CommandContext(t.Context(), filepath.Join(dir, "service"), args...))
	return dir, c.Process.Pid, c.First
}

// attachTo runs spell-lsp attach; the code is its exit code.
func attachTo(t *testing.T, each func(line string, self *os.Process), args ...string) (stdout, stderr string, code int) {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file, append([]string{"attach"}, args...)...)
	cmd.Env = append(os.Environ(), "SPELL_LSP_DATA="+t.TempDir(), "TMPDIR="+t.TempDir())
	var out bytes.Buffer
	cmd.Stdout = &out
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if each != nil {
			each(lines.Text(), cmd.Process)
		}
	}
	io.Copy(io.Discard, said)
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), all.String(), cmd.ProcessState.ExitCode()
}

// A service is found by its number or its URL, measured, and shown.
func TestAttachCommand(t *testing.T) {
	dir, pid, port := service(t, "compute")
	for _, name := range []string{strconv.Itoa(pid), "http://localhost:" + port + "/path"} {
		stdout, stderr, code := attachTo(t, nil, name, "-C", dir, "--for", "1s", "--meter", "model")
		shown := strings.Join(strings.Fields(stdout), " ")
		if code != exitDone || !strings.Contains(shown, "Spin") || !strings.Contains(shown, "main.go:13") || !strings.Contains(shown, "A round of 1 program takes") {
			t.Errorf("attach %s ended with %d, and showed\n%s%s", name, code, stdout, stderr)
		}
	}
}

// Interrupted, it shows what was complete, and says that this is not all.
func TestAttachInterrupted(t *testing.T) {
	dir, pid, _ := service(t, "compute")
	stdout, stderr, code := attachTo(t, func(line string, self *os.Process) {
		if strings.Contains(line, "round 2 of 10") {
			self.Signal(os.Interrupt) // it may have ended
		}
	}, strconv.Itoa(pid), "-C", dir, "--for", "10s", "--meter", "model", "--format", "json")
	if code != exitInterrupted || !strings.Contains(stdout, `"partial": true`) || !strings.Contains(stdout, "Spin") {
		t.Errorf("it ended with %d, and showed\n%.2000s%s", code, stdout, stderr)
	}
}

// silentPort is a port that this process has, so that no other gets it, and does not listen on.
func silentPort(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(name.(*syscall.SockaddrInet4).Port)
}

// What cannot be measured ends with the exit code that tells whether the command or the process is
// at fault, and says what to do.
func TestAttachRefused(t *testing.T) {
	dir, pid, _ := service(t)
	silent := silentPort(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"server"}, exitInput, `"server" is neither the number of a process nor a URL such as http://localhost:8080`},
		{[]string{"http://example.com:8080"}, exitInput, "example.com is not this machine"},
		{[]string{"http://localhost:" + silent}, exitInput, "nothing listens on port " + silent},
		{[]string{"999999999"}, exitInput, "there is no process 999999999"},
		{[]string{strconv.Itoa(pid), "-C", dir, "--for", "1ms"}, exitInput, "1ms is too short"},
		{[]string{strconv.Itoa(pid), "-C", t.TempDir()}, exitInput, "was built from example.com/service of module example.com/service; name a folder of its source with -C"},
		{[]string{strconv.Itoa(pid), "-C", dir, "--meter", "nonsense"}, exitInput, "nonsense"},
	} {
		stdout, stderr, code := attachTo(t, nil, c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("attach %v ended with %d, want %d and %q; it said\n%s%s", c.args, code, c.code, c.want, stdout, stderr)
		}
	}
}
