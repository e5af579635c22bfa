package energy

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// runAs has a copy of this program, started by a test as another user, ask for a profile.
const runAs = "SPELL_TEST_ENERGY"

func TestMain(m *testing.M) {
	if os.Getenv(runAs) != "" {
		w := httptest.NewRecorder()
		Serve(w, httptest.NewRequest(http.MethodGet, "/debug/pprof/energy?seconds=1", nil))
		fmt.Println(w.Code, w.Body)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// folder is a folder for a socket, whose path must be short.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// socketAt opens a socket on which each connection gets the next answer, and the last one again.
func socketAt(t *testing.T, name string, answers ...func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SPELL_LSP_SOCKET", name)
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			answers[min(i, len(answers)-1)](c)
			c.Close()
		}
	}()
}

func meterSays(t *testing.T, answers ...func(net.Conn)) {
	t.Helper()
	socketAt(t, filepath.Join(folder(t), "meter.sock"), answers...)
}

// says answers with a text.
func says(text string) func(net.Conn) {
	return func(c net.Conn) { fmt.Fprintln(c, text) }
}

// tells answers with a reading.
func tells(r reading) func(net.Conn) {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return says(string(text))
}

// counted is a reading of a counter: 30 J of cpu and 3 J of dram in each second, of which 10 J and
// 1 J are the idle machine's; this process used three of four seconds of CPU time.
func counted(seconds float64) reading {
	return reading{
		Version: 1, Meter: "rapl", Source: "measured", Started: 7, Time: int64(seconds * 1e9),
		CPU: int64(seconds * 0.75e9), Busy: int64(seconds * 1e9),
		Joules: map[string]float64{"cpu": 30 * seconds, "dram": 3 * seconds},
		IdleW:  map[string]float64{"cpu": 10, "dram": 1},
	}
}

// goesOn tells of one moment after the other, so many seconds apart.
func goesOn(seconds float64) func(net.Conn) {
	now := 0.0
	return func(c net.Conn) {
		tells(counted(now))(c)
		now += seconds
	}
}

// get asks the handler.
func get(t *testing.T, query string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/debug/pprof/energy"+query, nil))
	return w
}
