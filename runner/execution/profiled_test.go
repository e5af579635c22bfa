package execution

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
)

// profiled.trace is the trace of a test program whose TestA computed in m.A for some 300 ms and whose
// TestB sorted in m.B, with -test.trace and -test.cpuprofile.
func recordedTrace(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "profiled.trace"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The samples of a program's own profiler have times on the clock of this machine, so that they fall
// into the windows of their tests, and each stands for 10 ms.
func TestSamplesOfATrace(t *testing.T) {
	const began, between, ended = 24_374_800_000_000, 24_375_140_000_000, 24_375_300_000_000
	s := newSampling(made)
	for _, at := range []int64{began, between, ended} {
		s.cut(at)
	}
	if err := s.addTrace(bytes.NewReader(recordedTrace(t)), ""); err != nil {
		t.Fatal(err)
	}
	log := window(began, between)
	log.Windows = append(log.Windows, probe.Window{Test: "TestB", Start: between, End: ended})
	parts := s.count(log)
	const a, b = 1, 2
	for i, want := range []map[int]string{{a: "70000000/70000000 in 7"}, {b: "20000000/20000000 in 2"}} {
		if diff := cmp.Diff(want, times(log.Windows[i].Counts)); diff != "" {
			t.Errorf("window %d, - is wanted:\n%s", i, diff)
		}
	}
	if diff := cmp.Diff([]Part{{Row: b, Line: 20, Function: "sort.Slice", NS: 20_000_000}}, parts["TestB"]); diff != "" {
		t.Errorf("parts of TestB, - is wanted:\n%s", diff)
	}
	if s.stats.Samples != 9 || s.stats.NS != 90_000_000 {
		t.Errorf("there are %d samples of %d ns, want 9 of 90 ms", s.stats.Samples, s.stats.NS)
	}
}

// A trace of a program that was killed ends anywhere. What it has before that counts, and it is no
// error; in a program that ended by itself it is.
func TestTraceThatEnds(t *testing.T) {
	whole := recordedTrace(t)
	for _, tt := range []struct {
		name   string
		text   []byte
		killed bool
		want   string // of the error
	}{
		{"it was killed", whole[:len(whole)-100], true, ""},
		{"it was not", whole[:len(whole)-100], false, "reading its execution trace: "},
		{"no trace", []byte("PASS\n"), false, "reading its execution trace: "},
		{"it wrote none", nil, false, ""},
	} {
		own := &ownProfile{t.TempDir()}
		if tt.text != nil {
			if err := os.WriteFile(own.trace(), tt.text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := own.take(newSampling(made), "", tt.killed)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v, want %q", tt.name, err, tt.want)
		}
		if left, _ := os.ReadDir(own.dir); len(left) > 0 {
			t.Errorf("%s: %v is left", tt.name, left)
		}
	}
}
