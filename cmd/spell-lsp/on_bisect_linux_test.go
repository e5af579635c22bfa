package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/sshtarget"
)

// Why: the counter that can tell which commit costs more is on another machine. The search is the same, and leaves
// as little there.
func TestBisectOnAnotherMachine(t *testing.T) {
	lab := newTarget(t, sshtarget.Options{})
	sum := func(inner string) string {
		return "package demo\n\n// Sum adds up.\nfunc Sum(n int) (sum int) {\n\tfor i := range n {\n\t\tfor j := range " + inner + " {\n\t\t\tsum += i ^ j\n\t\t}\n\t}\n\treturn sum\n}\n"
	}
	dir := module(t, map[string]string{
		"go.mod":      "module example.com/demo\n\ngo 1.26\n",
		"sum.go":      sum("100"),
		"sum_test.go": "package demo\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(200000) == 0 {\n\t\tt.Error(0)\n\t}\n}\n",
	})
	git := gitIn(t, dir)
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	if err := os.WriteFile(filepath.Join(dir, "sum.go"), []byte(sum("1000")), 0o600); err != nil {
		t.Fatal(err)
	}
	git("commit", "-q", "-a", "-m", "Sum more often")
	file, err := static()
	if err != nil {
		t.Fatal(err)
	}
	lab.Wire.Reset(0, nil)
	cmd := exec.CommandContext(t.Context(), file, "bisect", "-C", dir, "--on", sshtarget.Host, "--test", "TestSum", "--meter", "model", "--restart", "HEAD~1", "HEAD")
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "SPELL_LSP_DATA="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if want := git("rev-parse", "--short=7", "HEAD") + " made TestSum more expensive"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("error %v, want %q:\n%s", err, want, out)
	}
	if sent, _ := lab.Wire.Passed(); sent == 0 {
		t.Error("nothing was sent: it was measured here")
	}
	leftNothing(t, lab)
}

// gitIn runs git in a folder.
func gitIn(t *testing.T, dir string) func(args ...string) string {
	return func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=Test", "-c", "user.email=test@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}
