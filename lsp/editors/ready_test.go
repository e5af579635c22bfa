// Package editors_test checks the ready files of editors that no test runs.
package editors_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
)

// commands lists the commands that the server announces.
func commands(t *testing.T) []string {
	t.Helper()
	e := lsptest.Connect(t, lsptest.Subprocess(t, exec.CommandContext(t.Context(), lsptest.BuildServer(t))))
	var answer struct {
		Capabilities struct {
			ExecuteCommandProvider struct{ Commands []string }
		}
	}
	if err := json.Unmarshal(e.Start(), &answer); err != nil {
		t.Fatal(err)
	}
	e.Quit()
	if len(answer.Capabilities.ExecuteCommandProvider.Commands) == 0 {
		t.Fatal("the server has no commands")
	}
	return answer.Capabilities.ExecuteCommandProvider.Commands
}

// named finds names of commands in quotes or after the editor's command for them.
var named = regexp.MustCompile(`(?:["']|workspace-command )(spell-lsp\.\w+)\b(?:["' ]|$)`)

// Every command in the ready files must exist: an editor does not say when the server does not
// have a command.
func TestCommandsAreTheServers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the server")
	}
	known := commands(t)
	for pattern, atLeast := range map[string]int{
		"neovim/spell-lsp.lua": 9, "emacs/spell-lsp.el": 9, "helix/config.toml": 4, "sublime/Default.sublime-commands": 4,
	} {
		text, err := os.ReadFile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			seen[m[1]] = true
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s names %s, which the server does not have", pattern, m[1])
			}
		}
		if len(seen) < atLeast {
			t.Errorf("only %d commands were found in %s", len(seen), pattern)
		}
	}
}

// Sublime Text silently ignores a file that is not JSON.
func TestSublime(t *testing.T) {
	var settings struct {
		Clients map[string]struct {
			Enabled  bool
			Command  []string
			Selector string
		}
	}
	parse(t, "sublime/LSP.sublime-settings", &settings)
	var palette []struct {
		Caption, Command string
		Args             struct {
			Session string           `json:"session_name"`
			Name    string           `json:"command_name"`
			Args    []map[string]any `json:"command_args"`
		}
	}
	parse(t, "sublime/Default.sublime-commands", &palette)
	for _, p := range palette {
		if p.Caption == "" || p.Command != "lsp_execute" || len(p.Args.Args) != 1 {
			t.Errorf("%+v is no entry that executes a command", p)
		}
		if c, ok := settings.Clients[p.Args.Session]; !ok || !c.Enabled || c.Selector != "source.go" || len(c.Command) == 0 {
			t.Errorf("%s is of the session %s, which is %+v", p.Caption, p.Args.Session, c)
		}
	}
}

// The settings of coc.nvim must be JSON and name the server.
func TestCoc(t *testing.T) {
	var settings struct {
		Languageserver map[string]struct {
			Command   string
			Filetypes []string
		}
	}
	parse(t, "vim/coc-settings.json", &settings)
	if s := settings.Languageserver["spell-lsp"]; s.Command != "spell-lsp" || !slices.Contains(s.Filetypes, "go") {
		t.Errorf("the server is %+v", s)
	}
}

var (
	bound     = regexp.MustCompile(`(?m)^\w = '(:lsp-workspace-command .*)'$`)
	expansion = strings.NewReplacer(`%sh{realpath "%{buffer_name}"}`, "/a/b.go", "%{selection}", "TestB")
)

// The text after the name of a command must be JSON once Helix has expanded it.
func TestHelix(t *testing.T) {
	text, err := os.ReadFile("helix/config.toml")
	if err != nil {
		t.Fatal(err)
	}
	keys := bound.FindAllStringSubmatch(string(text), -1)
	if len(keys) < 4 {
		t.Errorf("only %d keys are bound", len(keys))
	}
	for _, k := range keys {
		fields := strings.SplitN(k[1], " ", 3)
		var argument map[string]any
		if err := json.Unmarshal([]byte(expansion.Replace(fields[2])), &argument); err != nil {
			t.Errorf("%s: %v", k[1], err)
		}
	}
}

func parse(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
