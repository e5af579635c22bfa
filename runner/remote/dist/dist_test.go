package dist

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Why: a program that needs libraries, or is for another processor, would be sent and then not start.
// The one that runs is sent where it can be, as it is certainly of this release.
func TestFind(t *testing.T) {
	const static, static64, other, script = "static", "static for arm64", "for macOS", "text"
	dir := t.TempDir()
	build := func(name, system, arch string) {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), "./testdata/empty")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	build(static, "linux", "amd64")
	build(static64, "linux", "arm64")
	build(other, "darwin", "arm64")
	if err := os.WriteFile(filepath.Join(dir, script), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, running, beside string // files above; "" for none
		system, arch          string
		want                  string // running, beside, or a part of the error
	}{
		{"the running program", static, static, "linux", "amd64", "running"},
		{"another processor", static, static64, "linux", "arm64", "beside"},
		{"a client with macOS", other, static64, "darwin", "arm64", "beside"},
		{"nothing beside", static, "", "linux", "arm64", "it is for another processor (EM_X86_64); "},
		{"nothing beside, on macOS", other, "", "darwin", "amd64", "spell-lsp-linux-amd64: there is none): make dist builds it"},
		{"the wrong file beside", other, static, "darwin", "arm64", "it is for another processor"},
		{"a text beside", other, script, "darwin", "arm64", "it is no program for Linux"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := t.TempDir()
			running, beside := filepath.Join(at, "spell-lsp"), filepath.Join(at, "spell-lsp-linux-"+c.arch)
			for file, content := range map[string]string{running: c.running, beside: c.beside} {
				if content == "" {
					continue
				}
				if err := os.Link(filepath.Join(dir, content), file); err != nil {
					t.Fatal(err)
				}
			}
			got, err := find(running, c.system, c.arch)
			var missing *MissingError
			switch c.want {
			case "running", "beside":
				if want := map[string]string{"running": running, "beside": beside}[c.want]; err != nil || got != want {
					t.Errorf("%s, %v; want %s", got, err, want)
				}
			default:
				if !errors.As(err, &missing) || missing.Arch != c.arch || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %v; want %s", got, err, c.want)
				}
			}
		})
	}
}

// Why: spell-lsp with the meter of GPUs is built with cgo: it must not be sent.
func TestAProgramThatNeedsLibrariesIsNotSent(t *testing.T) {
	for _, file := range []string{"/bin/sh", "/bin/ls"} { // of a system with shared libraries
		for _, arch := range Architectures {
			err := check(file, arch)
			if err == nil {
				t.Skipf("%s is static here", file)
			}
			if strings.Contains(err.Error(), "it needs libraries") {
				return
			}
		}
	}
	t.Skip("no program here needs libraries")
}

// Why: a link in ~/bin is how many start it; the file for the target is beside the program.
func TestALinkIsFollowed(t *testing.T) {
	at := t.TempDir()
	program, link := filepath.Join(at, "spell-lsp"), filepath.Join(t.TempDir(), "spell-lsp")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, link); err != nil {
		t.Skip(err)
	}
	_, err := find(link, "darwin", "amd64")
	if err == nil || !strings.Contains(err.Error(), filepath.Join(at, "spell-lsp-linux-amd64")) {
		t.Errorf("%v; want one of %s", err, at)
	}
}

// Why: the program that runs may be neither: the message must lead to one that can be sent.
func TestFindOfThisProgram(t *testing.T) {
	_, err := Find("riscv64")
	if err == nil || !strings.Contains(err.Error(), "there is no spell-lsp for linux/riscv64 to send") {
		t.Error(err)
	}
}
