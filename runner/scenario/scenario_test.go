package scenario

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

// A command is what a user would type: the words of a shell, with go run or without.
func TestCommands(t *testing.T) {
	for _, test := range []struct {
		command, pkg string
		args         []string
	}{
		{"./cmd/server", "./cmd/server", nil},
		{".", ".", nil},
		{"example.com/shop/cmd/server -addr :0", "example.com/shop/cmd/server", []string{"-addr", ":0"}},
		{"go run ./cmd/convert -o out.xml", "./cmd/convert", []string{"-o", "out.xml"}},
		{"go run .", ".", nil},
		{"go", "go", nil}, // a package may be called so
		{`./convert 'big file.xml' "a b" c\ d ""`, "./convert", []string{"big file.xml", "a b", "c d", ""}},
		{`./convert '$HOME' "$(date)" '*' '|' '>'`, "./convert", []string{"$HOME", "$(date)", "*", "|", ">"}},
		{"./convert $HOME *.xml ~ $(date) `date`", "./convert", []string{"$HOME", "*.xml", "~", "$(date)", "`date`"}}, // no shell expands them
		{"./convert -- -x go run", "./convert", []string{"--", "-x", "go", "run"}},
		{" \t./convert\n-v ", "./convert", []string{"-v"}},
		{"./grüße 'naïve'", "./grüße", []string{"naïve"}},
	} {
		s, err := Program(test.command)
		if err != nil {
			t.Errorf("%s: %v", test.command, err)
			continue
		}
		if s.Package != test.pkg || !slices.Equal(s.Args, test.args) {
			t.Errorf("%s: package %q with %q, want %q with %q", test.command, s.Package, s.Args, test.pkg, test.args)
		}
		if s.Name != Main || s.Stop != syscall.SIGTERM || s.Ready != nil || s.Load != nil || s.Ends() {
			t.Errorf("%s: %+v has more than was asked for", test.command, s)
		}
	}
}

// Each mistake says which key has it, what is wrong, and what to write.
func TestMistakes(t *testing.T) {
	server := settings.Scenario{Exec: "./cmd/server"}
	with := func(change func(*settings.Scenario)) settings.Scenario {
		s := server
		change(&s)
		return s
	}
	exec := func(command string) settings.Scenario { return settings.Scenario{Exec: command} }
	ready := func(text string) settings.Scenario {
		return with(func(s *settings.Scenario) { s.Ready = text })
	}
	load := func(text string) settings.Scenario { return with(func(s *settings.Scenario) { s.Load = text }) }
	for _, test := range []struct {
		s         settings.Scenario
		key, want string
	}{
		{exec(""), "exec", `the command "" names no program: write a main package and its arguments, such as './cmd/server -addr :0'`},
		{exec("   "), "exec", "names no program"},
		{exec("go run"), "exec", `the command "go run" names no program`},
		{exec("go run -race ./cmd/server"), "exec", "flags of go run are not taken: name the package behind run, and build tags with --tags"},
		{exec("main.go"), "exec", "main.go is a file: name its package (.)"},
		{exec("go run cmd/server/main.go -v"), "exec", "cmd/server/main.go is a file: name its package (./cmd/server)"},
		{exec("/src/cmd/main.go"), "exec", "name its package (/src/cmd)"},
		{exec("../x/main.go"), "exec", "name its package (../x)"},
		{exec("./server | tee log"), "exec", `the command "./server | tee log": no shell runs it: it is split into words, which may be quoted, but pipes, redirections and further commands are not taken (| tee log)`},
		{exec("./server > log"), "exec", "(> log)"},
		{exec("./server 2> log"), "exec", "no shell runs it"},
		{exec("./server; rm x"), "exec", "(; rm x)"},
		{exec("./server &"), "exec", "(&)"},
		{exec("./server 'a"), "exec", "no shell runs it"},
		{ready("http://"), "ready", `"http://" is no URL`},
		{ready("http://a b/"), "ready", "is no URL"},
		{ready("0"), "ready", "0 is no port: it must be from 1 to 65535"},
		{ready(":65536"), "ready", "65536 is no port"},
		{ready("localhost:99999"), "ready", "99999 is no port"},
		{ready("listening at ("), "ready", `"listening at (" is neither a URL nor a port, and no regular expression: `},
		{load("hey | cat"), "load", `the command "hey | cat": no shell runs it`},
		{load("''"), "load", ""}, // a name that no program has: known when it is started
		{load("  "), "load", "names no program"},
		{load("hey $1"), "load", "$1 is a group of the regular expression of ready, which has 0: put brackets around what it stands for"},
		{with(func(s *settings.Scenario) { s.Ready, s.Load = "at (.*)", "hey http://$2/" }), "load", "$2 is a group of the regular expression of ready, which has 1"},
		{with(func(s *settings.Scenario) { s.Stop = "SIGSTOPP" }), "stop", `"SIGSTOPP" is no signal: name one such as SIGTERM, SIGINT or SIGUSR1`},
		{with(func(s *settings.Scenario) { s.Stop = "15" }), "stop", `"15" is no signal`},
	} {
		_, err := Parse("serve", test.s)
		if test.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", test.s, err)
			}
			continue
		}
		wrong := new(Error)
		if !errors.As(err, &wrong) || wrong.Key != test.key || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v:\ngot  %v\nwant %s: ... %s", test.s, err, test.key, test.want)
		}
	}
}

func TestReady(t *testing.T) {
	for text, want := range map[string]string{
		"http://localhost:8080/health": "http://localhost:8080/health",
		"https://[::1]:8443":           "https://[::1]:8443",
		"8080":                         "localhost:8080",
		":8080":                        "localhost:8080",
		"127.0.0.1:8080":               "127.0.0.1:8080",
		"[::1]:8080":                   "[::1]:8080",
		"db-1.local:5432":              "db-1.local:5432",
		"ready":                        `a line that matches "ready"`,
		"listening at (.*)":            `a line that matches "listening at (.*)"`,
		"started: [0-9]+":              `a line that matches "started: [0-9]+"`,
		"port:http":                    `a line that matches "port:http"`,
		`\d+:80`:                       `a line that matches "\\d+:80"`,
	} {
		r, err := readiness(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := r.String(); got != want {
			t.Errorf("%s waits for %s, want %s", text, got, want)
		}
	}
}

// The address that a service was given is known when it is ready: what the groups matched stands
// in the load command, also within words and as they are, with quotes and blanks.
func TestLoading(t *testing.T) {
	s, err := Parse("serve", settings.Scenario{Exec: ".", Ready: "at (.*), (.*)", Load: `hey -n 10 'http://$1/x?q=$2' $1$2 '$HOME' $$1`, For: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"hey", "-n", "10", `http://[::]:80/x?q=a 'b' $2`, `[::]:80a 'b' $2`, "$HOME", "$[::]:80"}
	if diff := cmp.Diff(want, s.Loading([]string{"at", "[::]:80", "a 'b' $2"})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if s.Load[3] != "http://$1/x?q=$2" {
		t.Errorf("the scenario itself has changed: %q", s.Load)
	}
	if !s.Ends() || s.For != time.Minute {
		t.Errorf("%+v does not end", s)
	}
	if none := (&Scenario{}).Loading(nil); none != nil {
		t.Errorf("a scenario without load loads with %q", none)
	}
}

// Whatever is written, reading it neither fails without naming a key, nor invents or loses words.
func FuzzParse(f *testing.F) {
	for _, seed := range [][4]string{
		{"./cmd/server -addr :0", "8080", "hey http://localhost:8080/", "SIGINT"},
		{`go run . 'a b' "c\"d"`, "at (.*)", "hey $1", ""},
		{"./x | y", "(", "'", "SIGFOO"}, {"a\x00b", ":", "$9", "sigterm"}, {`\`, "http://", "``", "0"}, {"$(x)", "[::1]:1", "a;b", "\xff"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, exec, ready, load, stop string) {
		s, err := Parse("x", settings.Scenario{Exec: exec, Ready: ready, Load: load, Stop: stop})
		if err != nil {
			if wrong := new(Error); !errors.As(err, &wrong) || !slices.Contains([]string{"exec", "ready", "load", "stop"}, wrong.Key) {
				t.Fatalf("%v names no key", err)
			}
			return
		}
		if s.Package == "" && !strings.ContainsAny(exec, `'"`) || s.Stop <= 0 || (s.Ready == nil) != (ready == "") || (len(s.Load) == 0) != (load == "") {
			t.Errorf("%q %q %q %q became %+v", exec, ready, load, stop, s)
		}
		if r := s.Ready; r != nil {
			if n := len(slices.DeleteFunc([]bool{r.URL != "", r.Address != "", r.Line != nil}, func(set bool) bool { return !set })); n != 1 {
				t.Errorf("%q became %+v, want one of the three", ready, r)
			}
		}
		s.Loading([]string{"", "1", "2"})
	})
}
