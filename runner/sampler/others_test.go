package sampler

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"spell-lsp/runner/meter"
)

// What counts as another measurement: a process with the sampler's name that lives. A name
// can hold anything, also what looks like the end of a name.
func TestParseSampler(t *testing.T) {
	for _, test := range []struct {
		why, stat   string
		pid, parent int
		ok          bool
	}{
		{"a sampler", "4711 (spell-lsp-sampl) S 4700 4711 4700 0 -1 4194304\n", 4711, 4700, true},
		{"stopped", "4711 (spell-lsp-sampl) T 1 4711 4700\n", 4711, 1, true},
		{"a zombie", "4711 (spell-lsp-sampl) Z 1 4711 4700\n", 0, 0, false},
		{"another program", "4711 (spell-lsp) S 4700 4711 4700\n", 0, 0, false},
		{"a longer name", "4711 (spell-lsp-sample) S 4700 4711 4700\n", 0, 0, false},
		{"a name with the name in it", "4711 (a (spell-lsp-sampl) S 1) S 4700 4711 4700\n", 0, 0, false},
		{"a name that ends like one", "4711 (a) (spell-lsp-s) S 4700 4711 4700\n", 0, 0, false},
		{"cut off", "4711 (spell-lsp-sampl) S", 0, 0, false},
		{"nothing", "", 0, 0, false},
	} {
		if pid, parent, ok := parseSampler([]byte(test.stat)); pid != test.pid || parent != test.parent || ok != test.ok {
			t.Errorf("%s: %d, %d, %v; want %d, %d, %v", test.why, pid, parent, ok, test.pid, test.parent, test.ok)
		}
	}
}

// A measurement does not warn of itself. Its sampler would be found by others.
func TestOwnSamplerIsNoOther(t *testing.T) {
	s, err := Open("model", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
	if err != nil {
		t.Skip("this system has no /proc")
	}
	if pid, parent, ok := parseSampler(stat); !ok || pid != s.PID() || parent != os.Getpid() {
		t.Errorf("the sampler cannot be found: %d, %d, %v from %q", pid, parent, ok, stat)
	}
	if slices.Contains(Others(), s.PID()) {
		t.Error("the own sampler is another's")
	}
}
