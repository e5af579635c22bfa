package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/sshtarget"
)

// uname makes a target that says it is another machine.
func uname(machine, kernel string) sshtarget.Options {
	return sshtarget.Options{Files: map[string]string{
		"/usr/bin/uname": fmt.Sprintf("#!/bin/sh\ncase $1 in -s) echo Linux;; -m) echo %s;; -r) echo %s;; *) echo lab;; esac\n", machine, kernel),
	}}
}

// cacheIn makes a target whose cache is on a file system of its own.
func cacheIn(options string) sshtarget.Options {
	return sshtarget.Options{
		Setup:  "mkdir cache\nmount -t tmpfs -o mode=700,uid=$uid," + options + " tmpfs cache",
		Server: "SetEnv XDG_CACHE_HOME=/cache",
	}
}

// Why: what is wrong is on another machine, so the text is all that a user has to mend it by. It must name the
// machine, say what is wrong there and what to do. Scripts go by the exit code.
func TestMachineThatCannotMeasure(t *testing.T) {
	long(t)
	program, err := static()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	const there = "lab: "
	for _, c := range []struct {
		name   string
		of     sshtarget.Options
		change func(*testing.T, *sshtarget.Target)
		args   []string
		want   []string
		// left lists, by sh, what must not be left outside of the user's home; "" for none.
		left string
	}{
		{name: "an unknown host", args: []string{"--on", "no-such-host.invalid"},
			want: []string{"no-such-host.invalid: ssh knows no host of that name: compare with ~/.ssh/config, or try ssh no-such-host.invalid"}},
		{name: "a host that nobody has accepted", change: func(t *testing.T, lab *sshtarget.Target) { lab.Accept(t, "") },
			want: []string{there + "its host key is not known: connect once by hand (ssh lab), and accept the key if it is the right one"}},
		{name: "a host with another key", change: func(t *testing.T, lab *sshtarget.Target) { lab.Accept(t, lab.UserKey(t)) },
			want: []string{there + "the host has another key than when you accepted it: find out why before you go on", "REMOTE HOST IDENTIFICATION HAS CHANGED"}},
		{name: "another processor", of: uname("riscv64", "6.1.0"),
			want: []string{there + "its processor is riscv64: there are programs for x86_64 and aarch64 only"}},
		{name: "an old kernel", of: uname("x86_64", "3.10.0-1160.el7"),
			want: []string{there + "its kernel is 3.10.0-1160.el7: at least Linux 4.1 is needed"}},
		{name: "no space for the program", of: cacheIn("size=1m"),
			want: []string{there + "there is no space left for the program in /cache/spell-lsp/remote/bin there: free some, or XDG_CACHE_HOME there", "No space left on device"}},
		{name: "no space for the content", of: cacheIn(fmt.Sprintf("size=%d", info.Size()+1<<20)),
			want: []string{there, "/cache/spell-lsp/remote/content", "free space on it", "XDG_CACHE_HOME there names another place"},
			left: "find /cache -type f ! -path '*/remote/bin/*' ! -path '*/remote/content/*' -o -name 'new-*'"},
		{name: "noexec", of: cacheIn("noexec"),
			want: []string{there + "no program can be started in its cache folder (a file system mounted noexec?): XDG_CACHE_HOME there"}},
		{name: "no counter", args: []string{"--meter", "rapl"},
			want: []string{there + "meter rapl does not work here: no RAPL counter", "to make it work: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lab := newTarget(t, c.of)
			if c.change != nil {
				c.change(t, lab)
			}
			m := measureThere(t, restless(t), append([]string{"--no-calm", "--meter", "none", "--rounds", "1"}, c.args...)...)
			code := m.end()
			said := strings.Join(m.said, "\n")
			if code != exitNothing || m.out.Len() > 0 {
				t.Errorf("exit code %d, want %d; it printed %q", code, exitNothing, m.out.String())
			}
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("it said\n%s\nwant %s", said, want)
				}
			}
			leftNothing(t, lab)
			if c.left != "" {
				if left := lab.Do(t, c.left); left != "" {
					t.Errorf("left there: %s", left)
				}
			}
			m.gone(t)
			if left, _ := filepath.Glob(filepath.Join(m.temp, "*")); len(left) > 0 {
				t.Errorf("left here: %s", left)
			}
		})
	}
}
