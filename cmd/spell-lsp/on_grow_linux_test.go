package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"spell-lsp/internal/sshtarget"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/scaling"
)

// Why: the machine with the counter is asked how a function grows, and which of several is greenest, too. The calls
// that try the sizes are made here.
func TestGrowAndChooseOnAnotherMachine(t *testing.T) {
	lab := newTarget(t, sshtarget.Options{})
	file, err := static()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": `package m

func Once(list []int) (sum int) {
	for _, v := range list {
		sum += v
	}
	return sum
}

func Twice(list []int) int { return Once(list) + Once(list) }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there := func(into any, args ...string) {
		t.Helper()
		args = append(args, "-C", dir, "--on", sshtarget.Host, "--meter", "none", "--warmup", "0", "--rounds", "1", "--format", "json")
		cmd := exec.CommandContext(t.Context(), file, args...)
		cmd.Env = append(os.Environ(), "SPELL_LSP_DATA="+t.TempDir())
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, &said)
		}
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatal(err)
		}
		leftNothing(t, lab)
	}
	var grown scaling.Result
	there(&grown, "grow", "m.Once", "--sizes", "1024..65536")
	// Their order is that of their exponents, which are near 1 for the function and for its benchmark.
	once := func(g scaling.Growth) bool { return g.Subject == "example.com/m.Once" && len(g.Points) == 7 }
	if !slices.ContainsFunc(grown.Growths, once) {
		t.Errorf("the growths are %+v, want that of Once with 7 sizes", grown.Growths)
	}
	var chosen alternatives.Result
	there(&chosen, "choose", "m.Once", "m.Twice", "--sizes", "1024,65536")
	if len(chosen.Groups) != 1 || len(chosen.Groups[0].Sizes) != 2 || len(chosen.Groups[0].Sizes[0].Alternatives) != 2 {
		t.Errorf("the groups are %+v, want one of two functions with two sizes", chosen.Groups)
	}
}
