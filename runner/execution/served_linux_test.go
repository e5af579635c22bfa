package execution

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/children"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/scenario"
)

// What is measured ends early where a profile does not come. Only if the process has gone is that its end;
// otherwise the error says why, beside what was complete. This process serves profiles for another one.
func TestProfileThatDoesNotCome(t *testing.T) {
	for name, test := range map[string]struct {
		served int // how many profiles come
		then   func(pid int, m *Meter, interrupt func())
		parts  int
		ended  bool
		errs   []string // none for no error
	}{
		"the service refuses":      {1, func(int, *Meter, func()) {}, 1, false, []string{"/: 503 Service Unavailable: no"}},
		"it refuses at once":       {0, func(int, *Meter, func()) {}, 0, false, []string{"/: 503 Service Unavailable: no"}},
		"the process ends":         {1, func(pid int, _ *Meter, _ func()) { kill(pid) }, 1, true, nil},
		"it ends at once":          {0, func(pid int, _ *Meter, _ func()) { kill(pid) }, 0, true, []string{ErrNoTime.Error()}},
		"the user interrupts":      {1, func(_ int, _ *Meter, interrupt func()) { interrupt() }, 1, false, nil},
		"the user does so at once": {0, func(_ int, _ *Meter, interrupt func()) { interrupt() }, 0, false, []string{ErrNoTime.Error(), "context canceled"}},
		"the meter fails, too":     {1, func(_ int, m *Meter, _ func()) { kill(m.sampler.PID()) }, 0, false, []string{"reading the meter: ", "503 Service Unavailable"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := OpenMeter("model", meter.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			process := exec.CommandContext(t.Context(), "sleep", "infinity")
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			defer process.Wait()
			defer process.Process.Kill()
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			asked := 0
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked <= test.served {
					pprof.Profile(w, r)
					return
				}
				test.then(process.Process.Pid, m, interrupt)
				http.Error(w, "no", http.StatusServiceUnavailable)
			}))
			defer service.Close()
			list, ended, err := m.AttachProfile(ctx, Program{}, process.Process.Pid, service.URL+"/", "main", made, time.Second, 3, func(int) {}, attribution.NewModel(m.Machine(), made.Components, true))
			if len(list) != test.parts || ended != test.ended || (err == nil) != (len(test.errs) == 0) {
				t.Errorf("%d parts, ended: %t (%v); want %d, %t and %q", len(list), ended, err, test.parts, test.ended, test.errs)
			}
			for _, want := range test.errs {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, want %q in it", err, want)
				}
			}
		})
	}
}

// kill ends a process, and waits until it has.
func kill(pid int) {
	syscall.Kill(pid, syscall.SIGKILL)
	for !children.Ends(pid) {
		runtime.Gosched()
	}
}

// A service on this machine has a certificate that nobody signed. It is found to be ready, and its
// profile is taken.
func TestServiceWithACertificateOfItsOwn(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/profile", pprof.Profile)
	service := httptest.NewTLSServer(mux)
	defer service.Close()
	if _, err := serveProfile(t.Context(), service.URL+"/profile", time.Second); err != nil {
		t.Errorf("its profile: %v", err)
	}
	if err := answers(t.Context(), &scenario.Ready{URL: service.URL}); err != nil {
		t.Errorf("whether it is ready: %v", err)
	}
}
