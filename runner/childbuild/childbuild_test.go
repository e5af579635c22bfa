package childbuild

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/overlay"
)

func TestMain(m *testing.M) {
	if Called() {
		os.Exit(Main())
	}
	os.Exit(m.Run())
}

// The overlay is added where the go command takes it: behind -C, which must be the first flag, and
// before the packages and the arguments of a program. Flags that mean another build, and whatever
// is not known, leave the command as it is.
func TestOverlayIsAdded(t *testing.T) {
	for line, want := range map[string]string{
		"build":                              "build -overlay=O",
		"build -o x ./cmd/a ./cmd/b":         "build -overlay=O -o x ./cmd/a ./cmd/b",
		"build --o=x -ldflags=-s ./cmd/a":    "build -overlay=O --o=x -ldflags=-s ./cmd/a",
		"build -C dir -v .":                  "build -C dir -overlay=O -v .",
		"build -C=dir .":                     "build -C dir -overlay=O .",
		"build -tags a,b -trimpath":          "build -overlay=O -tags a,b -trimpath",
		"run . -race":                        "run -overlay=O . -race",
		"run a.go b.go c -o d.go":            "run -overlay=O a.go b.go c -o d.go",
		"run -exec time ./cmd/a -x":          "run -overlay=O -exec time ./cmd/a -x",
		"install ./...":                      "install -overlay=O ./...",
		"build -v -C dir .":                  "",
		"build -C a -C b .":                  "",
		"build -o":                           "",
		"build -overlay=mine .":              "",
		"build -race .":                      "",
		"build -cover .":                     "",
		"build -gcflags=all=-N .":            "",
		"build -buildmode=plugin .":          "",
		"build -n .":                         "",
		"build -some-flag-of-a-later-go 7 .": "",
		"build -- .":                         "",
		"test ./...":                         "",
		"vet":                                "",
		"":                                   "",
	} {
		got := ""
		if c, ok := parse(strings.Fields(line)); ok {
			got = strings.Join(c.with("O"), " ")
		}
		if got != want {
			t.Errorf("go %s becomes %q, want %q", line, got, want)
		}
	}
}

// Whether packages compile is found out with the flags that decide what is compiled, and without
// those that say what becomes of it.
func TestFlagsOfTheTrial(t *testing.T) {
	c, ok := parse(strings.Fields("run -C dir -v -exec time -tags=a -p 3 -ldflags -s . -tags=b"))
	want := command{
		verb: "run", dir: "dir", flags: strings.Fields("-v -exec time -tags=a -p 3 -ldflags -s"), builds: strings.Fields("-tags=a -p 3 -ldflags -s"),
		packages: []string{"."}, rest: []string{"-tags=b"},
	}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(command{})); diff != "" || !ok {
		t.Errorf("the command was read as (-want +got):\n%s", diff)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Programs of the modules that are measured get probes, and only where they are built for this
// machine and do not stay beside the programs of the user.
func TestWhatGetsProbes(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"m/go.mod": "module m\n", "m/cmd/a.go": "", "m/testdata/n/go.mod": "module n\n", "m/testdata/n/a.go": ""})
	module := filepath.Join(root, "m")
	if err := os.Symlink(module, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GOOS", "GOARCH", "GO111MODULE", "GOROOT", "GOFLAGS", "GOBIN"} {
		t.Setenv(name, "")
	}
	b := Build{Go: "/go/bin/go", Modules: []string{module}, GOFLAGS: "-mod=vendor", GOBIN: "/home/me/bin"}
	for _, test := range []struct {
		why, dir, line string
		env            [2]string
		want           bool
	}{
		{"the module", "m", "build .", [2]string{}, true},
		{"a folder of the module", "m/cmd", "run .", [2]string{}, true},
		{"the module by -C", "", "build -C m .", [2]string{}, true},
		{"the module by -C with a link", "", "build -C link/cmd .", [2]string{}, true},
		{"a module inside the module", "m/testdata/n", "build .", [2]string{}, false},
		{"a module inside the module, by -C", "m", "build -C testdata/n .", [2]string{}, false},
		{"no module", "", "build .", [2]string{}, false},
		{"a folder that is not there", "m", "build -C nowhere .", [2]string{}, false},
		{"a version of another module", "m", "run example.com/tool@latest", [2]string{}, false},
		{"another system", "m", "build .", [2]string{"GOOS", "plan9"}, false},
		{"this system, by name", "m", "build .", [2]string{"GOARCH", runtime.GOARCH}, true},
		{"another Go release", "m", "build .", [2]string{"GOROOT", "/other"}, false},
		{"without modules", "m", "build .", [2]string{"GO111MODULE", "off"}, false},
		{"flags of the environment that mean another build", "m", "build .", [2]string{"GOFLAGS", "-cover"}, false},
		{"an overlay of the environment", "m", "build .", [2]string{"GOFLAGS", "-trimpath -overlay=mine"}, false},
		{"flags of the environment that are known", "m", "build .", [2]string{"GOFLAGS", "-trimpath"}, true},
		{"flags with which everything is measured", "m", "build .", [2]string{"GOFLAGS", "-mod=vendor"}, true},
		{"installed where the user's programs are", "m", "install .", [2]string{}, false},
		{"installed where the user's programs are, by name", "m", "install .", [2]string{"GOBIN", "/home/me/bin"}, false},
		{"installed somewhere else", "m", "install .", [2]string{"GOBIN", "/tmp/bin"}, true},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Chdir(filepath.Join(root, test.dir))
			if test.env[0] != "" {
				t.Setenv(test.env[0], test.env[1])
			}
			c, ok := parse(strings.Fields(test.line))
			if got := ok && b.fits(c); got != test.want {
				t.Errorf("go %s gets probes: %t, want %t", test.line, got, test.want)
			}
		})
	}
	b.Env = []string{"GOROOT=/link"}
	t.Chdir(module)
	for line, want := range map[string]bool{"build .": true, "run .": false} {
		if c, ok := parse(strings.Fields(line)); !ok || b.fits(c) != want {
			t.Errorf("with a Go release that needs variables, which a program that is run would see, go %s gets probes: %t", line, !want)
		}
	}
}

// A program is built with the overlay where it compiles; its input, output, arguments and exit code
// are those of the go command. A build that fails, with the overlay or in any case, says what the
// go command says without the overlay.
func TestGoCommandOfAChild(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds")
	}
	dir := t.TempDir()
	const program = `package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	in, _ := io.ReadAll(os.Stdin)
	fmt.Println("%s", os.Args[1:], string(in), os.Getenv("VARIABLE"))
	os.Exit(len(os.Args) - 1)
}
`
	write(t, dir, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25\n", "good/main.go": strings.Replace(program, "%s", "plain", 1),
		"bad/main.go": "package main\n\nfunc main() {\n\tundefined()\n}\n", "odd/main.go": strings.Replace(program, "%s", "plain", 1),
	})
	description, err := overlay.Write(t.TempDir(), map[string][]byte{
		filepath.Join(dir, "good", "main.go"): []byte(strings.Replace(program, "%s", "probed", 1)),
		filepath.Join(dir, "odd", "main.go"):  []byte("package main\n\nfunc main() { missing() }\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	replaced, err := Build{Go: goCommand, Overlay: description, Modules: []string{dir}, GOFLAGS: os.Getenv("GOFLAGS")}.Install(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if replaced.Path != goCommand {
		t.Errorf("%s is replaced, want %s", replaced.Path, goCommand)
	}
	run := func(file, first string, args ...string) (said string, status int) {
		cmd := exec.Command(file, args...)
		cmd.Args[0], cmd.Dir = first, dir
		cmd.Env = append(os.Environ(), "VARIABLE=seen", "PWD="+dir)
		cmd.Stdin = strings.NewReader("input")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Run()
		return out.String(), cmd.ProcessState.ExitCode()
	}
	for _, test := range []struct {
		args   []string
		probed bool
	}{
		{[]string{"run", "./good", "a", "b"}, true},
		{[]string{"run", "./good"}, true},
		{[]string{"run", "./good/main.go", "c"}, true},
		{[]string{"run", "./odd", "a"}, false},
		{[]string{"run", "./bad"}, false},
		{[]string{"build", "./bad"}, false},
		{[]string{"build", "./nowhere"}, false},
		{[]string{"build", "-o", os.DevNull, "./good"}, false},
		{[]string{"build", "-wrong"}, false},
	} {
		want, wantStatus := run(goCommand, "go", test.args...)
		if test.probed {
			want = strings.Replace(want, "plain", "probed", 1)
		}
		got, status := run(replaced.By, replaced.Argument, test.args...)
		if got != want || status != wantStatus {
			t.Errorf("go %s ended with status %d and said\n%swant status %d and\n%s", strings.Join(test.args, " "), status, got, wantStatus, want)
		}
	}
}

// Without its settings, as after the end of the measurement, it is the go command of the PATH.
func TestWithoutSettings(t *testing.T) {
	cmd := exec.Command(os.Args[0], "env", "GOVERSION")
	cmd.Args[0] = filepath.Join(t.TempDir(), Name)
	got, err := cmd.CombinedOutput()
	want, wantErr := exec.Command("go", "env", "GOVERSION").CombinedOutput()
	if err != nil || wantErr != nil || string(got) != string(want) {
		t.Errorf("it said %q (%v), the go command %q (%v)", got, err, want, wantErr)
	}
}
