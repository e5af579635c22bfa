package sshtarget

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"spell-lsp/internal/childtest"
)

// Host is what ssh connects to, and User who it is there.
const (
	Host = "lab"
	User = "spell-target"
)

// Options say what a target is like.
type Options struct {
	// Folders of this machine that it shows, read-only, by their paths there.
	Folders map[string]string
	// Files that it has, by their paths there: text in place of what this machine has.
	Files map[string]string
	// Setup is lines of sh that run in its root before that becomes read-only. $uid is the user's number.
	Setup string
	// Network has ssh reach it by a line of its own, which can be taken down, and not by a Wire.
	Network bool
	// Server is lines of its sshd_config.
	Server string
}

// A Target is a machine that runs until the test ends.
type Target struct {
	Home  string // the user's home, as a path of this machine
	Wire  *Wire  // to its sshd; nil with Options.Network
	Here  string // this machine's address, as the target sees it, with Options.Network
	dir   string // keys and settings, of both sides
	UID   int    // the number of its user
	inner int    // a process in its namespaces
}

// New makes a target. The test is skipped where that is not possible: without root, sshd or namespaces.
func New(t *testing.T, o Options) *Target {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make another user's machine")
	}
	if _, err := os.Stat(sshd); err != nil {
		t.Skip("there is no sshd: make tools-sshd installs it")
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "-m", "-n", "-u", "true").CombinedOutput(); err != nil {
		t.Skipf("there are no namespaces here: %v: %s", err, out)
	}
	// The number is of this process, so that tests that run at the same time do not find each other's.
	m := &Target{dir: t.TempDir(), Home: t.TempDir(), UID: 1_000_000 + os.Getpid()}
	if err := os.Chown(m.Home, m.UID, m.UID); err != nil {
		t.Fatal(err)
	}
	m.accounts(t)
	m.start(t, o)
	if o.Network {
		m.connect(t, o)
	} else {
		m.Wire = &Wire{}
		m.pair(t, o, "127.0.0.1", m.Wire.listen(t, func() *exec.Cmd { return m.within(sshd, "-i", "-f", "/target/sshd_config") }))
	}
	t.Cleanup(func() { m.killAll() })
	return m
}

const sshd = "/usr/sbin/sshd"

func (m *Target) path(name string) string { return filepath.Join(m.dir, name) }

func (m *Target) write(t *testing.T, name, text string) {
	t.Helper()
	file := m.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

//go:embed pair
var pair string

// pair makes the keys of both sides, an ssh that knows the target at this address, and the settings of its sshd.
func (m *Target) pair(t *testing.T, o Options, address, port string) {
	t.Helper()
	server := "AllowUsers " + User + "\n" + o.Server
	client := fmt.Sprintf("HostName %s\nPort %s\nUser %s", address, port, User)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", pair, "pair", m.dir, Host, "/target", server, client)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("making keys and settings: %v: %s", err, out)
	}
}

// Accept makes a key the one that this side knows the host by; "" is none.
func (m *Target) Accept(t *testing.T, key string) {
	t.Helper()
	if key != "" {
		key = Host + " " + key
	}
	m.write(t, "here/known", key)
}

// UserKey is the public key of the user here, which no host has.
func (m *Target) UserKey(t *testing.T) string {
	t.Helper()
	return read(t, m.path("here/user.pub"))
}

// accounts are those of this machine and the user's, which is not locked and has no password.
func (m *Target) accounts(t *testing.T) {
	t.Helper()
	for name, line := range map[string]string{
		"passwd": fmt.Sprintf("%s:x:%d:%d::/home/%s:/bin/sh", User, m.UID, m.UID, User),
		"group":  fmt.Sprintf("%s:x:%d:", User, m.UID),
		"shadow": User + ":*:19000:0:99999:7:::",
	} {
		m.write(t, "there/"+name, strings.TrimSuffix(read(t, "/etc/"+name), "\n")+"\n"+line+"\n")
		if err := os.Chmod(m.path("there/"+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// script makes the root in a tmpfs. The process then stays in it until its standard input ends, so until this one has.
const script = `
set -e
root=$1 there=$2 home=$3 user=$4; export uid=$5
echo lab >/proc/sys/kernel/hostname
ip link set lo up
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir -p proc sys dev etc usr run/sshd target "home/$user"
for d in sys usr etc; do mount --bind -o ro "/$d" "$d"; done
for d in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$d" ]; then cp -P "/$d" .; elif [ -d "/$d" ]; then mkdir "$d"; mount --bind -o ro "/$d" "$d"; fi
done
mount -t proc proc proc
for f in null zero full random urandom; do : >"dev/$f"; mount --bind "/dev/$f" "dev/$f"; done
for f in passwd group shadow; do mount --bind "$there/$f" "etc/$f"; done
for d in usr/local usr/lib/go*; do [ ! -d "$d" ] || mount -t tmpfs -o ro tmpfs "$d"; done
mount --bind -o ro "$there" target
mount --bind "$home" "home/$user"
`

// start starts the process that holds the namespaces.
func (m *Target) start(t *testing.T, o Options) {
	t.Helper()
	var more strings.Builder
	for _, at := range slices.Sorted(maps.Keys(o.Folders)) {
		fmt.Fprintf(&more, "mkdir -p '.%s'\nmount --bind -o ro '%s' '.%s'\n", at, o.Folders[at], at)
	}
	for i, at := range slices.Sorted(maps.Keys(o.Files)) {
		file := fmt.Sprintf("there/file%d", i)
		m.write(t, file, o.Files[at])
		if err := os.Chmod(m.path(file), 0o755); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&more, "mount --bind '%s' '.%s'\n", m.path(file), at)
	}
	lines := script + more.String() + o.Setup + "\nmount -o remount,ro,mode=755 \"$root\"\necho ready\nexec chroot . cat\n"
	cmd := exec.CommandContext(t.Context(), "unshare", "-m", "-n", "-u", "sh", "-c", lines, "target", t.TempDir(), m.path("there"), m.Home, User, strconv.Itoa(m.UID))
	cmd.Stderr = os.Stderr
	m.inner = childtest.Start(t, cmd).Process.Pid
}

// within is a command that runs on the target, as root.
func (m *Target) within(args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), "nsenter", append([]string{"-t", strconv.Itoa(m.inner), "-m", "-n", "-u", "-r", "--"}, args...)...)
}

// Do executes a command of sh on the target, as its user by way of ssh, and returns what it prints.
func (m *Target) Do(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), m.path("bin/ssh"), Host, command)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.TrimSpace(string(out))
}

// Path is a PATH whose ssh knows the target. ssh reads its user's configuration whatever HOME says.
func (m *Target) Path() string {
	return m.path("bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
}

// A Process runs on the target.
type Process struct {
	PID  int
	Line string // its command line, with blanks
}

// Processes lists what runs of the user, but for the processes of sshd.
func (m *Target) Processes() (list []Process) {
	for pid, name := range m.processes() {
		if !strings.HasPrefix(name, "sshd") {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			list = append(list, Process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
		}
	}
	return list
}

// Sessions are the processes of sshd that run as the user.
func (m *Target) Sessions() (list []int) {
	for pid, name := range m.processes() {
		if strings.HasPrefix(name, "sshd") {
			list = append(list, pid)
		}
	}
	return list
}

// processes are those of the user, with their names. What has ended but is not waited for does not count.
func (m *Target) processes() map[int]string {
	found := make(map[int]string)
	entries, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, entry := range entries {
		text, _ := os.ReadFile(entry) // it may be gone
		fields := make(map[string]string)
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, ":")
			fields[key] = strings.TrimSpace(value)
		}
		uid, _, _ := strings.Cut(fields["Uid"], "\t")
		if uid == strconv.Itoa(m.UID) && !strings.HasPrefix(fields["State"], "Z") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(entry)))
			found[pid] = fields["Name"]
		}
	}
	return found
}

func (m *Target) killAll() {
	for pid := range m.processes() {
		syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may be gone
	}
}

// Files lists the files in the user's home, with slashes and relative to it. Nothing else there can be
// written but what the options made.
func (m *Target) Files(t *testing.T) (list []string) {
	t.Helper()
	err := filepath.WalkDir(m.Home, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(m.Home, name)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
