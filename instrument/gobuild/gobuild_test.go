package gobuild

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/instrument/overlay"
)

// The user's arguments stay as they are, but for the overlay: it is joined with ours.
func TestArguments(t *testing.T) {
	for _, test := range []struct{ args, want, overlay, chdir string }{
		{"", "-overlay=O", "", ""},
		{"./cmd/server", "-overlay=O ./cmd/server", "", ""},
		{"-race -o bin/ -ldflags -s ./...", "-overlay=O -race -o bin/ -ldflags -s ./...", "", ""},
		{"-C shop -tags prod .", "-C shop -overlay=O -tags prod .", "", "shop"},
		{"--C=shop .", "--C=shop -overlay=O .", "", "shop"},
		{"-v -overlay own.json .", "-overlay=O -v .", "own.json", ""},
		{"-overlay=a.json --overlay b.json .", "-overlay=O .", "b.json", ""},
		{"-o -overlay=x .", "-overlay=O -o -overlay=x .", "", ""}, // a file of that name
		{". -overlay=x", "-overlay=O . -overlay=x", "", ""},       // go build will say what is wrong
		{"-v -C shop .", "-overlay=O -v -C shop .", "", ""},       // here, too
	} {
		a, err := parse(strings.Fields(test.args))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.with("O"), " "); got != test.want || a.overlay != test.overlay || a.chdir != test.chdir {
			t.Errorf("%q: %q with the overlay %q in %q, want %q", test.args, got, a.overlay, a.chdir, test.want)
		}
	}
	if _, err := parse([]string{"-v", "-o"}); err == nil || !strings.Contains(err.Error(), "-o: a value is missing") {
		t.Errorf("a flag without its value: %v", err)
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func installed(t *testing.T) string {
	t.Helper()
	env, err := gocmd.Describe(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	return env.GOROOT
}

// An overlay of the user's keeps what it replaces, adds and deletes.
func TestOverlaysAreJoined(t *testing.T) {
	dir, root := t.TempDir(), installed(t)
	own := write(t, filepath.Join(dir, "own.json"), `{"Replace":{"a.go":"b.go","/x/c.go":"","d.go":"/y/d.go"}}`)
	name, err := describe(root, dir, "own.json", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := overlay.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"net/http/pprof/pprof.go", "net/http/pprof/spellenergy.go", "net/http/internal/spellenergy/energy.go"} {
		file = filepath.Join(root, "src", file)
		if text, err := os.ReadFile(got[file]); err != nil || len(text) == 0 {
			t.Errorf("%s is not replaced: %v", file, err)
		}
		delete(got, file)
	}
	want := map[string]string{filepath.Join(dir, "a.go"): filepath.Join(dir, "b.go"), "/x/c.go": "", filepath.Join(dir, "d.go"): "/y/d.go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the user's part (-want +got):\n%s", diff)
	}
	if text, _ := os.ReadFile(own); !json.Valid(text) || strings.Contains(string(text), "pprof") {
		t.Error("the user's file was changed")
	}
}

func TestOverlaysThatAreRefused(t *testing.T) {
	dir, root := t.TempDir(), installed(t)
	taken := map[string]map[string]string{"Replace": {filepath.Join(root, "src/net/http/pprof/pprof.go"): "/mine.go"}}
	text, err := json.Marshal(taken)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "taken.json"), string(text))
	write(t, filepath.Join(dir, "text"), "Replace")
	for name, why := range map[string]string{"taken.json": "so does spell-lsp build: take it out there", "text": "-overlay text: reading the overlay", "nowhere": "-overlay nowhere: "} {
		if _, err := describe(root, dir, name, t.TempDir()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", name, err, why)
		}
	}
}

// A Go release whose net/http/pprof is another one is left alone, and the error says what to do.
func TestUnknownRelease(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "src", "net", "http", "pprof")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "pprof.go"), "package pprof\n\nfunc Index() {}\n")
	if _, err := describe(root, root, "", t.TempDir()); err == nil || !strings.Contains(err.Error(), "Index has not the shape") || !strings.Contains(err.Error(), "copy the handler into the program (docs/services.md)") {
		t.Errorf("the error is %v", err)
	}
}

// go build's exit code is kept, and what it says goes where it was asked to go.
func TestFailedBuild(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.25\n")
	write(t, filepath.Join(dir, "m.go"), "package main\n\nfunc main() { undefined() }\n")
	var said strings.Builder
	err := Run(t.Context(), Params{Args: []string{"."}, Dir: dir, Temp: t.TempDir(), Stdout: &said, Stderr: &said})
	if exit := (*ExitError)(nil); !errors.As(err, &exit) || exit.Code != 1 || !strings.Contains(said.String(), "m.go:3:15: undefined: undefined") {
		t.Errorf("%v\n%s", err, &said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, Params{Args: []string{"."}, Dir: dir, Temp: t.TempDir(), Stdout: &said, Stderr: &said}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
