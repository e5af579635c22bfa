package ssh

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A server is a real sshd, which ssh starts as its ProxyCommand: no port is taken. Its cache folder is one of the
// test.
type server struct {
	dir    string
	sshd   string
	config string // of ssh
}

func newServer(t *testing.T) *server {
	t.Helper()
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		if sshd, err = exec.LookPath("/usr/sbin/sshd"); err != nil {
			t.Skip("there is no sshd: make tools-sshd installs it")
		}
	}
	if os.Geteuid() == 0 { // where it gives up its privileges
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &server{dir: t.TempDir(), sshd: sshd}
	s.config = s.path("config")
	s.key(t, "host")
	s.key(t, "user")
	s.write(t, "authorized", s.read(t, "user.pub"))
	s.write(t, "known", "target "+s.read(t, "host.pub"))
	s.write(t, "sshd_config", strings.Join([]string{
		"HostKey " + s.path("host"), "AuthorizedKeysFile " + s.path("authorized"), "StrictModes no", "UsePAM no", "PermitRootLogin yes",
		"PidFile none", "SetEnv XDG_CACHE_HOME=" + s.path("cache"), "LogLevel ERROR", "",
	}, "\n"))
	s.write(t, "config", strings.Join([]string{
		"Host target", "ProxyCommand " + sshd + " -i -e -f " + s.path("sshd_config"), "IdentityFile " + s.path("user"), "IdentitiesOnly yes",
		"UserKnownHostsFile " + s.path("known"), "GlobalKnownHostsFile /dev/null", "IdentityAgent none", "",
		"Host closed", "HostName 127.0.0.1", "Port 1", "",
	}, "\n"))
	return s
}

func (s *server) path(name string) string { return filepath.Join(s.dir, name) }

// key makes a pair of keys.
func (s *server) key(t *testing.T, name string) {
	t.Helper()
	os.Remove(s.path(name))
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(name)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func (s *server) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *server) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (s *server) target() Target {
	return Target{Host: "target", Config: s.config, Binary: ownProgram}
}

// dial connects, and asks who runs there.
func (s *server) dial(t *testing.T) (*Link, report) {
	t.Helper()
	l, err := Dial(t.Context(), s.target())
	if err != nil {
		t.Fatal(err)
	}
	r, err := ask(t.Context(), l)
	if err != nil {
		t.Fatal(l.Lost(err))
	}
	return l, r
}

// Why: a stand-in for ssh shows what we think that it does. With the real one, the program is sent once, and when
// the link is closed nothing stays there but the program.
func TestRealSSH(t *testing.T) {
	s := newServer(t)
	for i := range 2 {
		l, r := s.dial(t)
		if first := i == 0; first != (l.Facts.Sent > 0) || l.Facts.Cache != s.path("cache") {
			t.Errorf("connection %d: %+v", i, l.Facts)
		}
		l.Close()
		r.gone(t)
	}
	var left []string
	err := filepath.WalkDir(s.path("cache"), func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, strings.TrimPrefix(name, s.path("cache")))
		}
		return err
	})
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0], "/spell-lsp/remote/bin/") {
		t.Errorf("left: %q, %v", left, err)
	}
}

// Why: sshd does not end what its client left running. Whatever dies, the daemon that the work started must end.
func TestWhatDies(t *testing.T) {
	t.Run("sshd", func(t *testing.T) {
		l, r := newServer(t).dial(t)
		if err := syscall.Kill(parentOf(t, r.Supervisor), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		r.gone(t)
		_, err := l.Conn.Receive(t.Context())
		says(t, l.Lost(err), Lost, "the connection has ended")
	})
	t.Run("ssh", func(t *testing.T) {
		l, r := newServer(t).dial(t)
		if err := l.ssh.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		r.gone(t)
		l.Close()
	})
	t.Run("the client", func(t *testing.T) {
		client := exec.Command(os.Args[0], "client", newServer(t).config)
		client.Stderr = os.Stderr
		out, err := client.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Start(); err != nil {
			t.Fatal(err)
		}
		var r report
		line, err := bufio.NewReader(out).ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		r.gone(t)
		client.Wait() // it was killed
	})
}

// parentOf is the process that started another.
func parentOf(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// Why: ssh tells only by its words what went wrong, and each needs another remedy. None may end with a question.
func TestWhatRealSSHRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*testing.T, *server, *Target)
		cause  Cause
		want   string
	}{
		{"a host that nobody has accepted", func(t *testing.T, s *server, _ *Target) { s.write(t, "known", "") }, HostKeyUnknown, "connect once by hand (ssh target)"},
		{"a host with another key", func(t *testing.T, s *server, _ *Target) { s.key(t, "host") }, HostKeyChanged, "find out why before you go on"},
		{"a key that is not accepted", func(t *testing.T, s *server, _ *Target) { s.write(t, "authorized", "") }, AccessDenied, "it accepts none of your keys"},
		{"a closed port", func(_ *testing.T, _ *server, g *Target) { g.Host = "closed" }, Unreachable, "it cannot be reached"},
		{"an unknown name", func(_ *testing.T, _ *server, g *Target) { g.Host = "no-such-host.invalid" }, UnknownHost, "ssh knows no host of that name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t)
			target := s.target()
			c.change(t, s, &target)
			_, err := Dial(t.Context(), target)
			says(t, err, c.cause, c.want)
		})
	}
}
