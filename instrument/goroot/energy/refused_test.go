package energy

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/unprivileged"
)

// refused asks for a profile and checks that it is refused for that reason.
func refused(t *testing.T, query string, status int, why string) {
	t.Helper()
	w := get(t, query)
	if w.Code != status || !strings.Contains(w.Body.String(), why) || w.Header().Get("X-Go-Pprof") == "" {
		t.Errorf("%d: %s\nwant %d with %q", w.Code, w.Body, status, why)
	}
}

// Without a meter there is no energy, and the answer says what to do.
func TestWithoutSocket(t *testing.T) {
	dir := folder(t)
	for name, value := range map[string]string{"SPELL_LSP_SOCKET": "", "XDG_RUNTIME_DIR": dir, "XDG_CACHE_HOME": dir} {
		t.Setenv(name, value)
	}
	refused(t, "?seconds=1", http.StatusServiceUnavailable, "there is no socket of a meter at "+dir+"/spell-lsp/meter.sock or ")
	refused(t, "?seconds=1", http.StatusServiceUnavailable, "run `spell-lsp meter` on this machine, as the user of this program")
}

// What somebody else could have put there is not asked: he could have the service report anything.
func TestSocketsThatAreNotUsed(t *testing.T) {
	for _, test := range []struct {
		name, why string
		make      func(t *testing.T, name string)
	}{
		{"a file", "is no socket", func(t *testing.T, name string) {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a socket that others may open", "other users may open", func(t *testing.T, name string) {
			socketAt(t, name, tells(counted(1)))
			if err := os.Chmod(name, 0o606); err != nil {
				t.Fatal(err)
			}
		}},
		{"a socket in a folder that others may write", "other users can change what is in", func(t *testing.T, name string) {
			socketAt(t, name, tells(counted(1)))
			if err := os.Chmod(filepath.Dir(name), 0o707); err != nil {
				t.Fatal(err)
			}
		}},
		{"a link to a socket", "is no socket", func(t *testing.T, name string) {
			socketAt(t, name+".real", tells(counted(1)))
			if err := os.Symlink(name+".real", name); err != nil {
				t.Fatal(err)
			}
		}},
		{"the socket of a meter that was killed", "no meter listens", func(t *testing.T, name string) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			l.SetUnlinkOnClose(false)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(name, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(folder(t), "meter.sock")
			test.make(t, name)
			t.Setenv("SPELL_LSP_SOCKET", name)
			refused(t, "?seconds=1", http.StatusServiceUnavailable, test.why)
		})
	}
}

// A service of another user is told whose the socket is, and nothing else.
func TestSocketOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir := unprivileged.Dir(t)
	socketAt(t, filepath.Join(dir, "meter.sock"), tells(counted(1)))
	cmd := exec.CommandContext(t.Context(), unprivileged.CopyOfSelf(t, dir, "service"))
	cmd.Env = append(os.Environ(), runAs+"=1")
	unprivileged.Restrict(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "503 ") || !strings.Contains(string(out), "belongs to another user") {
		t.Errorf("it said %s (%v)", out, err)
	}
}

// The socket is this user's, but what answers may be anything.
func TestHostileAnswers(t *testing.T) {
	changed := func(change func(*reading)) func(net.Conn) {
		r := counted(2)
		change(&r)
		return tells(r)
	}
	for _, test := range []struct {
		name, why string
		answers   []func(net.Conn)
	}{
		{"nothing", "is no meter of spell-lsp: it answers \"\"", []func(net.Conn){func(net.Conn) {}}},
		{"another protocol", "is no meter of spell-lsp", []func(net.Conn){says("SSH-2.0-OpenSSH_9.2")}},
		{"an endless answer", "is no meter of spell-lsp", []func(net.Conn){func(c net.Conn) {
			for {
				if _, err := c.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		}}},
		{"a number that is none", "is no meter of spell-lsp", []func(net.Conn){says(`{"version":1,"source":"measured","joules":{"cpu":1e999}}`)}},
		{"another version", "have version 2", []func(net.Conn){says(`{"version":2}`)}},
		{"a reason", "it serves user 7", []func(net.Conn){says(`{"version":1,"error":"it serves user 7, and user 8 asks"}`)}},
		{"no energy", "no energy is known on this machine", []func(net.Conn){says(`{"version":1,"source":"none"}`)}},
		{"energy of disks only", "knows no energy of processors", []func(net.Conn){tells(counted(1)), changed(func(r *reading) { r.Joules = map[string]float64{"disk": 3} })}},
		{"a meter that was restarted", "started anew", []func(net.Conn){tells(counted(1)), changed(func(r *reading) { r.Started++ })}},
		{"a meter that failed", "could not be read", []func(net.Conn){tells(counted(1)), changed(func(r *reading) { r.Faults++ })}},
		{"a clock that stands", "contradicts itself", []func(net.Conn){tells(counted(1)), tells(counted(1))}},
		{"a clock that leaps", "contradicts itself", []func(net.Conn){tells(counted(1)), changed(func(r *reading) { r.Time = -1 << 62 })}},
		{"CPU time that falls", "contradicts itself", []func(net.Conn){tells(counted(1)), changed(func(r *reading) { r.CPU = 0 })}},
		{"energy that falls", "contradicts itself", []func(net.Conn){tells(counted(1)), changed(func(r *reading) { r.Joules["dram"] = 0 })}},
		{"a power station", "contradicts itself", []func(net.Conn){tells(counted(1)), changed(func(r *reading) { r.Joules["cpu"] = 1e12 })}},
		{"an end in the middle", "no meter of spell-lsp", []func(net.Conn){tells(counted(1)), func(net.Conn) {}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			meterSays(t, test.answers...)
			if len(test.answers) == 1 {
				refused(t, "?seconds=1", http.StatusServiceUnavailable, test.why)
			} else if _, err := take(t.Context(), 0); err == nil || !strings.Contains(err.Error(), test.why) {
				t.Errorf("the error is %v, want %q", err, test.why)
			}
		})
	}
}

// A meter that hangs does not hang the service.
func TestAMeterThatHangs(t *testing.T) {
	until := make(chan struct{})
	meterSays(t, func(net.Conn) { <-until })
	defer close(until)
	refused(t, "?seconds=1", http.StatusServiceUnavailable, "timeout")
}

func TestSecondsThatAreRefused(t *testing.T) {
	meterSays(t, tells(counted(1)))
	for _, seconds := range []string{"0", "-1", "1.5", "ten", "86401", "9223372036854775808"} {
		refused(t, "?seconds="+seconds, http.StatusBadRequest, "it must be a whole number from 1 to 86400")
	}
}

// A server cuts off what takes longer than its WriteTimeout. Where the handler cannot extend it,
// a middleware being in between, it says so at once.
func TestWriteTimeout(t *testing.T) {
	meterSays(t, tells(counted(1)), tells(counted(2)))
	ask := func(seconds string, server *http.Server) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		ctx := context.WithValue(t.Context(), http.ServerContextKey, server)
		Serve(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/?seconds="+seconds, nil))
		return w
	}
	if w := ask("5", &http.Server{WriteTimeout: 5 * time.Second}); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "exceeds the server's WriteTimeout of 5s") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if w := ask("1", &http.Server{WriteTimeout: time.Minute}); w.Code != http.StatusOK {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// isProfiled tells whether a CPU profile is being taken, without taking one: by the goroutine that
// writes it.
func isProfiled() bool {
	var stacks bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&stacks, 1)
	return strings.Contains(stacks.String(), "runtime/pprof.profileWriter")
}

// Who gives up is not answered, and the next one can have a profile.
func TestClientThatGivesUp(t *testing.T) {
	meterSays(t, tells(counted(1)), tells(counted(2)))
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		defer giveUp()
		for !isProfiled() {
			runtime.Gosched()
		}
	}()
	w := httptest.NewRecorder()
	Serve(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/?seconds=86400", nil))
	if w.Body.Len() != 0 {
		t.Errorf("it was answered %d: %s", w.Code, w.Body)
	}
	if err := func() error { _, err := take(t.Context(), 0); return err }(); err == nil || strings.Contains(err.Error(), "in use") {
		t.Errorf("the profile goes on: %v", err)
	}
}
