package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/sshtarget"
)

// Why: two measurements at a time would measure each other. The second says whose it waits for, so that one can ask
// a colleague how long it takes, and begins when the first has ended.
func TestMachineThatIsBusy(t *testing.T) {
	lab := newTarget(t, sshtarget.Options{Network: true})
	dir := module(t, map[string]string{
		"go.mod": "module example.com/patient\n\ngo 1.26\n",
		"x.go":   "package patient\n\nfunc F() {}\n",
		// It ends when its user has a file there.
		"x_test.go": `package patient

import (
	"os"
	"testing"
	"time"
)

func TestF(*testing.T) {
	F()
	for {
		if _, err := os.Stat(os.Getenv("HOME") + "/go-on"); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
`,
	})
	args := []string{"--no-calm", "--meter", "none", "--warmup", "0", "--rounds", "1"}
	first := measureThere(t, dir, args...)
	first.until(t, "round 1 of 1")
	second := measureThere(t, dir, args...)
	second.until(t, fmt.Sprintf("waiting for lab, where another measurement runs: %s from %s since ", sshtarget.User, lab.Here))
	if slices.ContainsFunc(second.said, func(line string) bool { return strings.HasPrefix(line, "round") }) {
		t.Errorf("the second measured beside the first: %q", second.said)
	}
	goOn := filepath.Join(lab.Home, "go-on")
	if err := os.WriteFile(goOn, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*measuring{first, second} {
		if run := m.result(t, exitDone); run.Rounds != 1 || run.Partial {
			t.Errorf("the run has %d rounds, partial %v", run.Rounds, run.Partial)
		}
	}
	if err := os.Remove(goOn); err != nil {
		t.Fatal(err)
	}
	leftNothing(t, lab)
}
