package ssh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A place is a target without ssh: the command runs on this machine, as sshd would start it.
type place struct {
	shell string // the login shell and its option before the command
	setup string // lines of sh that run before
	home  string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{shell: "sh -c", home: t.TempDir()}
}

// target writes a program in the place of ssh, whose last argument is the command.
func (p *place) target(t *testing.T) Target {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ssh")
	text := fmt.Sprintf("#!/bin/sh\nfor last; do :; done\nunset XDG_CACHE_HOME TMPDIR GOTMPDIR\nHOME=%s; export HOME\n%s\nexec %s \"$last\"\n", p.home, p.setup, p.shell)
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return Target{Host: "there", Program: file, Binary: ownProgram}
}

// stored lists what is in the folder of programs.
func (p *place) stored(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".cache/spell-lsp/remote/bin/*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Why: sshd gives the command to the user's login shell, whichever it is. What its start-up files
// print must not matter, and the second time nothing may be sent.
func TestLoginShells(t *testing.T) {
	for _, shell := range []string{"sh -c", "dash -c", "bash -c", "busybox sh -c", "zsh -c", "fish -c", "tcsh -c", "busybox ash -c"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(strings.Fields(shell)[0]); err != nil {
				t.Skip(err)
			}
			p := newPlace(t)
			p.shell, p.setup = shell, "echo Welcome!; printf 'no end of line'"
			for i := range 2 {
				told := int64(0)
				target := p.target(t)
				target.Sending = func(sent, _ int64) { told = sent }
				l, err := Dial(t.Context(), target)
				if err != nil {
					t.Fatal(err)
				}
				r, err := ask(t.Context(), l)
				if err != nil {
					t.Fatal(l.Lost(err))
				}
				if first := i == 0; first != (l.Facts.Sent > 0) || told != l.Facts.Sent {
					t.Errorf("connection %d sent %d bytes, and told %d", i, l.Facts.Sent, told)
				}
				if l.Facts.System != "Linux" || l.Facts.Cache != p.home+"/.cache" || !strings.HasPrefix(r.Folder, p.home) {
					t.Errorf("%+v, %+v", l.Facts, r)
				}
				l.Close()
				r.gone(t)
			}
			if files := p.stored(t); len(files) != 1 {
				t.Errorf("stored: %q", files)
			}
		})
	}
}

// Why: busybox is all that some targets have: its tools read and count in ways of their own.
func TestATargetWithBusyboxOnly(t *testing.T) {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Skip(err)
	}
	p := newPlace(t)
	tools := t.TempDir()
	if out, err := exec.Command(busybox, "--install", "-s", tools).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	p.setup = "PATH=" + tools
	l, err := Dial(t.Context(), p.target(t))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if files := p.stored(t); len(files) != 1 || l.Facts.Sent == 0 {
		t.Errorf("stored: %q, sent %d", files, l.Facts.Sent)
	}
}

// Why: a program that a crash or a full disk cut short must be replaced, and not be started for ever;
// and where there is no sha256sum, its length tells.
func TestADamagedProgramIsReplaced(t *testing.T) {
	for name, damage := range map[string]func(text []byte) []byte{
		"cut short": func(text []byte) []byte { return text[:len(text)/2] },
		"changed":   func(text []byte) []byte { text[len(text)/2] ^= 1; return text },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			for range 2 {
				l, err := Dial(t.Context(), p.target(t))
				if err != nil {
					t.Fatal(err)
				}
				l.Close()
				if l.Facts.Sent == 0 {
					t.Fatal("nothing was sent")
				}
				file := p.stored(t)[0]
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, damage(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// without hides a tool of the target.
func without(t *testing.T, tool string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "uname", "wc", "sha256sum", "mkdir", "rm", "head", "chmod", "mv", "touch", "find", "sleep", "setsid", "mount", "unshare"} {
		if path, err := exec.LookPath(name); err == nil && name != tool {
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return "PATH=" + dir
}

// Why: without sha256sum the program compares its own hash when it starts.
func TestATargetWithoutSHA256Sum(t *testing.T) {
	p := newPlace(t)
	p.setup = without(t, "sha256sum")
	l, err := Dial(t.Context(), p.target(t))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	file := p.stored(t)[0]
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, _ := f.Stat()
	f.WriteAt(nil, 0)
	f.Close()
	// One byte of what follows the program's code: it still runs.
	if err := os.Truncate(file, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	if f, err = os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		t.Fatal(err)
	}
	f.WriteString("?")
	f.Close()
	_, err = Dial(t.Context(), p.target(t))
	says(t, err, NoStart, "is not what was sent")
}

// fakeUname makes a target of another kind.
func fakeUname(t *testing.T, system, machine, release string) string {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf("#!/bin/sh\ncase $1 in -s) echo %s;; -m) echo %s;; -r) echo %s;; *) echo there;; esac\n", system, machine, release)
	if err := os.WriteFile(filepath.Join(dir, "uname"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + ":$PATH"
}

// Why: each of these needs another remedy, and the message is all that a user has, as what happens is on
// another machine.
func TestTargetsThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(t *testing.T, p *place) string
		cause Cause
		want  string
	}{
		{"macOS", func(t *testing.T, _ *place) string { return fakeUname(t, "Darwin", "arm64", "23.1.0") }, NotLinux, "there: its system is Darwin: energy is measured on Linux only"},
		{"a Raspberry Pi with 32 bits", func(t *testing.T, _ *place) string { return fakeUname(t, "Linux", "armv7l", "6.1.21-v7+") }, WrongArchitecture, "its processor is armv7l: there are programs for x86_64 and aarch64 only"},
		{"an old kernel", func(t *testing.T, _ *place) string { return fakeUname(t, "Linux", "x86_64", "3.10.0-1160.el7") }, OldKernel, "its kernel is 3.10.0-1160.el7: at least Linux 4.1 is needed"},
		{"no uname", func(t *testing.T, _ *place) string { return without(t, "uname") }, NoAnswer, "it says of itself only"},
		{"no home", func(*testing.T, *place) string { return "HOME=" }, NoCache, "neither HOME nor XDG_CACHE_HOME has an absolute path there"},
		{"a home that is a file", func(t *testing.T, p *place) string {
			if err := os.WriteFile(filepath.Join(p.home, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return "HOME=$HOME/file"
		}, NoCache, "/file/.cache/spell-lsp/remote/bin cannot be made there: XDG_CACHE_HOME there"},
		{"no head", func(t *testing.T, _ *place) string { return without(t, "head") }, NoCache, "head"},
		{"an account without a shell", func(*testing.T, *place) string { return "echo This account is not available.; exit 1" }, NoAnswer, `the target's shell printed "This account is not available."`},
		{"an endless message", func(*testing.T, *place) string { return "exec yes" }, NoAnswer, "printed more than 64 KiB"},
		{"another answer", func(*testing.T, *place) string {
			return "echo 'spell-lsp target: Linux x86_64 6.1 /tmp'; read x; echo 'spell-lsp target: why?'; exit 1"
		}, NoAnswer, `its shell answered "why?"`},
		{"an end before the program", func(*testing.T, *place) string { return "echo 'spell-lsp target: Linux x86_64 6.1 /tmp'; exit 1" }, Lost, "while spell-lsp was being put there"},
		{"a program that changed on its way", func(*testing.T, *place) string {
			return "head() { command head \"$@\" | tr a b; }; export -f head"
		}, Damaged, "damaged on its way"},
		{"a full file system", func(t *testing.T, _ *place) string { return mounted(t, "size=1m") }, NoSpace, "/.cache/spell-lsp/remote/bin there: free some, or XDG_CACHE_HOME"},
		{"noexec", func(t *testing.T, _ *place) string { return mounted(t, "noexec") }, NoExec, "no program can be started in its cache folder (a file system mounted noexec?): XDG_CACHE_HOME"},
		{"read-only", func(t *testing.T, _ *place) string { return mounted(t, "ro") }, NoCache, "cannot be made there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.setup = c.setup(t, p)
			if strings.Contains(p.setup, "export -f") {
				p.shell = "bash -c"
				p.setup = fakeHead(t)
			}
			_, err := Dial(t.Context(), p.target(t))
			says(t, err, c.cause, c.want)
			for _, file := range p.stored(t) {
				if len(filepath.Base(file)) != 64 {
					t.Errorf("%s was left", file)
				}
			}
		})
	}
}

// fakeHead makes a target whose head changes what it reads.
func fakeHead(t *testing.T) string {
	t.Helper()
	head, err := exec.LookPath("head")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "head"), []byte("#!/bin/sh\n"+head+" \"$@\" | tr a b\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + ":$PATH"
}

// mounted makes the home of the target a file system of its own, in its own mount namespace.
func mounted(t *testing.T, options string) string {
	t.Helper()
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v: %s", err, out)
	}
	return fmt.Sprintf(`if [ -z "$MOUNTED" ]; then MOUNTED=1; export MOUNTED; exec unshare -m "$0" "$last"; fi
mount -t tmpfs -o %s tmpfs "$HOME"`, options)
}

// Why: what this machine lacks must not look like a fault of the target.
func TestWhatThisMachineLacks(t *testing.T) {
	p := newPlace(t)
	target := p.target(t)
	for _, c := range []struct {
		name   string
		change func(*Target)
		cause  Cause
		want   string
	}{
		{"ssh", func(t *Target) { t.Program = "no-such-ssh" }, NoProgram, "there is no program ssh on this machine: install OpenSSH's client"},
		{"an ssh that starts", func(t *Target) { t.Program = noProgram }, NoProgram, "ssh cannot be started"},
		{"a program for the target", func(t *Target) {
			t.Binary = func(arch string) (string, error) { return "", errors.New("run make dist for " + arch) }
		}, NoBinary, "run make dist for a"},
		{"the file", func(t *Target) { t.Binary = func(string) (string, error) { return "/nonexistent/file", nil } }, NoBinary, "/nonexistent/file"},
		{"a program", func(t *Target) { t.Binary = func(string) (string, error) { return noProgram, nil } }, NoStart, "spell-lsp does not start there"},
		{"a name", func(t *Target) { t.Host = "" }, BadHost, "no name of a host"},
		{"a name that is no option", func(t *Target) { t.Host = "-oProxyCommand=touch /tmp/x" }, BadHost, "no name of a host"},
		{"a name without a space", func(t *Target) { t.Host = "a b" }, BadHost, "no name of a host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			noProgram = filepath.Join(p.home, "text")
			if err := os.WriteFile(noProgram, []byte{0x7f, 'E', 'L', 'F', 0}, 0o700); err != nil {
				t.Fatal(err)
			}
			target := target
			c.change(&target)
			_, err := Dial(t.Context(), target)
			says(t, err, c.cause, c.want)
		})
	}
}

var noProgram string

// Why: a user who interrupts while the program is being sent must not wait for it, and it must not be
// left half there.
func TestCancelWhileSending(t *testing.T) {
	p := newPlace(t)
	target := p.target(t)
	ctx, cancel := context.WithCancel(t.Context())
	target.Sending = func(int64, int64) { cancel() }
	if _, err := Dial(ctx, target); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, target); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l, err := Dial(t.Context(), p.target(t)) // and then it works
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
