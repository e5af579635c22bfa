package target

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spell-lsp/internal/unprivileged"
)

// socket is a line of /proc/net/tcp (proc_pid_net(5)).
func socket(local string, port int, state string, inode int) string {
	return fmt.Sprintf("   0: %s:%04X 00000000:0000 %s 00000000:00000000 00:00000000 00000000  1000        0 %d 1 0000000000000000 100 0 0 10 0\n", local, port, state, inode)
}

const tableHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

// procfs is a simulated procfs: files with their content, links of descriptors with what they name.
func procfs(t testing.TB, files, links map[string]string) string {
	t.Helper()
	root := t.TempDir()
	add := func(name string, create func(path string) error) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := create(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		add(name, func(path string) error { return os.WriteFile(path, []byte(text), 0o644) })
	}
	for name, to := range links {
		add(name, func(path string) error { return os.Symlink(to, path) })
	}
	return root
}

// A process is found by its number, or by the port on which it listens.
func TestFind(t *testing.T) {
	const listens, established = "0A", "01"
	root := procfs(t, map[string]string{
		"net/tcp": tableHead + socket("0100007F", 8080, listens, 11) + socket("0100007F", 9090, established, 12) + socket("0100007F", 7070, listens, 13) +
			socket("0100007F", 80, listens, 15) + "short\n" + socket("0100007F", 6060, listens, 0),
		"net/tcp6": tableHead + socket("00000000000000000000000000000000", 4040, listens, 14) + socket("00000000000000000000000001000000", 443, listens, 16),
	}, map[string]string{
		"100/fd/3": "socket:[12]", "100/fd/4": "/dev/null", "101/fd/5": "socket:[11]", "102/fd/6": "socket:[14]", "103/fd/0": "socket:[15]", "104/fd/0": "socket:[16]",
		"self/fd/0": "socket:[13]",
	})
	const nothing, foreign, elsewhere, neither = "nothing listens on port %s", "what listens on port %s belongs to another user", "%s is not this machine", "%q is neither"
	for text, want := range map[string]any{
		"4711": 4711, "7x": fmt.Sprintf(neither, "7x"), "0": "0 is no process", "-5": "-5 is no process",
		"http://localhost:8080": 101, "http://127.0.0.1:8080/debug": 101, "localhost:8080": 101, ":8080": 101, "127.5.5.5:8080": 101,
		"http://[::1]:4040": 102, "http://localhost:4040/": 102, "http://localhost": 103, "https://localhost/x": 104,
		"http://localhost:9090": fmt.Sprintf(nothing, "9090"), "http://localhost:1": fmt.Sprintf(nothing, "1"), "http://localhost:7070": fmt.Sprintf(foreign, "7070"),
		"http://example.com:8080": fmt.Sprintf(elsewhere, "example.com"), "http://10.0.0.7:8080": fmt.Sprintf(elsewhere, "10.0.0.7"), "10.0.0.7:8080": fmt.Sprintf(elsewhere, "10.0.0.7"),
		"": fmt.Sprintf(neither, ""), "server": fmt.Sprintf(neither, "server"), "localhost:http": fmt.Sprintf(neither, "localhost:http"),
		"localhost:0": fmt.Sprintf(neither, "localhost:0"), "localhost:65536": fmt.Sprintf(neither, "localhost:65536"), "localhost": fmt.Sprintf(neither, "localhost"),
		"ftp://localhost": fmt.Sprintf(neither, "ftp://localhost"), "99999999999999999999": fmt.Sprintf(neither, "99999999999999999999"),
	} {
		pid, err := find(root, text)
		if number, is := want.(int); is && (err != nil || pid != number) {
			t.Errorf("%q is process %d (%v), want %d", text, pid, err, number)
		}
		if words, is := want.(string); is && (err == nil || !strings.Contains(err.Error(), words)) {
			t.Errorf("%q is process %d (%v), want an error with %q", text, pid, err, words)
		}
	}
}

// Whatever stands in the kernel's table and whatever is asked for, there is a process that the
// simulated procfs has, or an error.
func FuzzFind(f *testing.F) {
	f.Add("http://localhost:8080", tableHead+socket("0100007F", 8080, "0A", 11))
	f.Add("localhost:80", "0: :0050 0 0A 0 0 0 0 0 11\n")
	f.Add("http://[::1%25lo]:8080", "\n\n0: 0:1F90 x 0A\n")
	f.Add("//localhost:8080", strings.Repeat("x", 100_000))
	f.Fuzz(func(t *testing.T, text, table string) {
		root := procfs(t, map[string]string{"net/tcp": table}, map[string]string{"101/fd/5": "socket:[11]"})
		pid, err := find(root, text)
		number, isNumber := strconv.Atoi(text)
		switch {
		case err != nil:
			if err.Error() == "" || pid != 0 {
				t.Errorf("process %d, and the error %q", pid, err)
			}
		case isNumber == nil && number == pid && pid > 0:
		case pid != 101:
			t.Errorf("%q is process %d", text, pid)
		}
	})
}

// built is an executable of a package in a module, or of a file alone.
func built(t *testing.T, arguments ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/shop\n\ngo 1.26\n", "cmd/shop/main.go": "package main\n\nfunc main() {}\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", filepath.Join(dir, "shop")}, arguments...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "shop")
}

// An executable says of which package and module it was built, also without symbols.
func TestOfAGoProgram(t *testing.T) {
	program := built(t, "-buildvcs=false", "-ldflags=-s -w", "./cmd/shop")
	root := procfs(t, map[string]string{"5/comm": "shop\n"}, map[string]string{"5/exe": program})
	p, err := of(root, 5)
	if err != nil {
		t.Fatal(err)
	}
	if p.PID != 5 || p.Name != "shop" || p.Path != "example.com/shop/cmd/shop" || p.Module != "example.com/shop" || !strings.HasPrefix(p.Go, "go1.") || p.Revision != "" {
		t.Errorf("process is %+v", p)
	}
}

// What cannot be measured is named, with what to do.
func TestNoTarget(t *testing.T) {
	fromFile := built(t, "-buildvcs=false", filepath.Join("cmd", "shop", "main.go"))
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	root := procfs(t,
		map[string]string{"1/comm": "sh\n", "2/comm": "gone\n", "3/comm": "shop\n", "4/comm": "text\n", "text": "no program"},
		map[string]string{"1/exe": shell, "2/exe": "/nonexistent", "3/exe": fromFile, "4/exe": "../text"},
	)
	for pid, want := range map[int]string{
		1: "process 1 (sh) is no program of Go", 2: "process 2 (gone) has no executable", 3: "process 3 (shop) does not say of which package it was built: build it from its package",
		4: "process 4 (text) is no program of Go", 9: "there is no process 9",
	} {
		if p, err := of(root, pid); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("process %d is %+v (%v), want an error with %q", pid, p, err, want)
		}
	}
}

// A process of another user is refused. The test binary asks for its parent as nobody.
func TestProcessOfAnotherUser(t *testing.T) {
	const variable = "SPELL_TEST_TARGET"
	if pid, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		_, err := Of(pid)
		fmt.Println(err)
		os.Exit(0)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	dir := unprivileged.Dir(t)
	cmd := exec.CommandContext(t.Context(), unprivileged.CopyOfSelf(t, dir, "target"), "-test.run=^TestProcessOfAnotherUser$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), variable+"="+strconv.Itoa(os.Getpid()))
	unprivileged.Restrict(cmd)
	out, err := cmd.Output()
	if want := "belongs to another user, or has privileges: run spell-lsp as that user"; err != nil || !bytes.Contains(out, []byte(want)) {
		t.Errorf("nobody was told %q (%v), want %q", out, err, want)
	}
}

// Profiles are asked for at the host and port that were named, whatever the path.
func TestProfileURL(t *testing.T) {
	for text, want := range map[string]string{
		"4711":                           "",
		"localhost:6060":                 "http://localhost:6060/debug/pprof/profile",
		"127.0.0.1:6060":                 "http://127.0.0.1:6060/debug/pprof/profile",
		"https://localhost:8443/a?b=c":   "https://localhost:8443/debug/pprof/profile",
		"http://[::1]:6060/debug/pprof/": "http://[::1]:6060/debug/pprof/profile",
	} {
		if got := ProfileURL(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
