//go:build linux && (amd64 || arm64) && (cgo || gpu)

package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// compile builds a library from C source. If there is no C compiler, it skips the test.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	c, path := filepath.Join(dir, "nvml.c"), filepath.Join(dir, "libnvml.so")
	if err := os.WriteFile(c, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-shared", "-fPIC", "-o", path, c}, flags...)
	if out, err := exec.CommandContext(t.Context(), cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("compiling: %v\n%s", err, out)
	}
	return path
}

// fake is C source with NVML's functions for two GPUs. The second has no counter. The
// counter advances with each call. With -DFAULT the library cannot be initialised, with -DOLD
// no GPU has a counter.
const fake = `
typedef struct gpu { int number; unsigned long long energy; } *device;
static struct gpu all[2] = {{0, 18446744073709000000ULL}, {1, 0}};
#ifdef FAULT
int nvmlInit_v2(void) { return 9; }
#else
int nvmlInit_v2(void) { return 0; }
#endif
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, device *d) { if (i > 1) return 2; *d = &all[i]; return 0; }
#ifndef OLD
int nvmlDeviceGetTotalEnergyConsumption(device d, unsigned long long *mJ) {
	if (d->number == 1) return 3;
	d->energy += 700;
	*mJ = d->energy;
	return 0;
}
#endif
int nvmlDeviceGetPowerUsage(device d, unsigned *mW) { *mW = 40000 + d->number; return 0; }
const char *nvmlErrorString(int e) { return e == 9 ? "Driver Not Loaded" : "Unknown Error"; }
`

// The product's loader calls the functions by C's conventions: 64-bit numbers arrive whole,
// and a GPU without a counter is read by its power.
func TestLibrary(t *testing.T) {
	lib, err := load(compile(t, fake))
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{time.Unix(1000, 0)}
	m, err := open(lib, c.now)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.boards) != 2 || m.boards[0].integrated || !m.boards[1].integrated {
		t.Fatalf("%d GPUs, want one with a counter and one without", len(m.boards))
	}
	if got := m.boards[0].last; got != 18446744073709000700 {
		t.Errorf("the counter is at %d, want 18446744073709000700", got)
	}
	got, err := read(m, c, 100*time.Millisecond)
	if want := 0.7 + 4.0001; err != nil || got < want-1e-9 || got > want+1e-9 {
		t.Errorf("%v J, %v; want 0.7 J counted and 4.0001 J integrated", got, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// A driver older than energy counters is read by power alone.
func TestOldLibrary(t *testing.T) {
	lib, err := load(compile(t, fake, "-DOLD"))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := open(lib, time.Now)
	if !m.boards[0].integrated {
		t.Error("the GPU counts as one with a counter")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// A library that is not NVIDIA's, or that cannot be used, is an error with the reason.
func TestLibraryFaults(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, says string }{
		{filepath.Join(t.TempDir(), "none.so"), "none.so"},
		{text, "text.so"},
		{compile(t, "int other(void) { return 0; }"), "is not NVIDIA's library"},
		{compile(t, fake, "-DFAULT"), "nvmlInit: Driver Not Loaded (9)"},
	} {
		if _, err := load(tt.path); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want %q", tt.path, err, tt.says)
		}
	}
}
