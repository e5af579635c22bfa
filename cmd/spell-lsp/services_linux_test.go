package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/wording"
)

// blocking writes a module with a service whose second run never answers its load.
func blocking(t *testing.T) string {
	t.Helper()
	return module(t, map[string]string{
		"go.mod": "module example.com/blocking\n\ngo 1.26\n",
		"cmd/load/main.go": `package main

import (
	"net/http"
	"os"
)

func main() {
	if _, err := http.Get(os.Args[1]); err != nil {
		os.Exit(1)
	}
}
`,
		"cmd/serve/main.go": `package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
)

func main() {
	signal.Ignore(os.Interrupt)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("serving http://%s/\n", l.Addr())
	http.Serve(l, http.HandlerFunc(answer))
}

func answer(http.ResponseWriter, *http.Request) {
	if os.Mkdir(os.TempDir()+"/once", 0o755) == nil {
		return
	}
	fmt.Println("blocked")
	select {}
}
`,
	})
}

// Ctrl-C or the end of the terminal while a service is under load, and kill -9 of the command:
// neither the service nor its load goes on, and Ctrl-C keeps the round that was complete.
func TestNoServiceOutlivesItsMeasurement(t *testing.T) {
	dir := blocking(t)
	for _, signal := range []os.Signal{os.Interrupt, os.Kill} {
		t.Run(signal.String(), func(t *testing.T) {
			m := startMeasuring(t, dir, "--exec", "./cmd/serve", "--ready", "serving (.*)", "--load", "go run ./cmd/load $1",
				"--meter", "none", "--warmup", "0", "--rounds", "5", "--format", "json")
			m.until(t, "blocked")
			if err := m.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			m.gone(t)
			code := m.end()
			if signal == os.Kill {
				return
			}
			if code != exitInterrupted {
				t.Errorf("exit code %d, want %d", code, exitInterrupted)
			}
			if left := m.scratch(); len(left) > 0 {
				t.Errorf("left behind: %s", left)
			}
			run, err := recordjson.Read(&m.out)
			if err != nil {
				t.Fatalf("the round that was complete is lost: %v", err)
			}
			if !run.Partial || run.Rounds != 1 || len(run.Tests) != 1 || run.Tests[0].ExitCode == nil {
				t.Errorf("the run has partial %v, %d rounds, tests %+v; want a partial one of one round and one program", run.Partial, run.Rounds, run.Tests)
			}
		})
	}
}

// The port of a service is taken between two rounds, by this test: the round that was complete
// is kept, and the run says why there are no others.
func TestPortTakenInALaterRound(t *testing.T) {
	var taken net.Listener
	addr := ""
	helper := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		var err error
		if taken, err = net.Listen("tcp", addr); err != nil {
			t.Error(err)
		}
	}))
	defer helper.Close()
	// Another loopback address, of which no other program takes a port meanwhile.
	pid := os.Getpid()
	free, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+pid>>16%250, pid>>8%256, pid%256))
	if err != nil {
		t.Fatal(err)
	}
	addr = free.Addr().String()
	free.Close()
	dir := module(t, map[string]string{
		"go.mod": "module example.com/port\n\ngo 1.26\n",
		"main.go": `package main

import (
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	l, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	<-stop
	l.Close()
	http.Get(os.Args[2])
}
`,
	})
	m := startMeasuring(t, dir, "--exec", ". "+addr+" "+helper.URL, "--ready", addr, "--for", "1ms",
		"--meter", "none", "--warmup", "0", "--rounds", "5", "--format", "json")
	m.end()
	if taken == nil {
		t.Fatal("the program did not ask for its port to be taken")
	}
	taken.Close()
	run, err := recordjson.Read(&m.out)
	if err != nil {
		t.Fatalf("the round that was complete is lost: %v", err)
	}
	text := strings.Join(wording.Texts(run.Notes), "\n")
	if !run.Partial || run.Rounds != 1 || !strings.Contains(text, "something answers at "+addr+" before the program is started") {
		t.Errorf("the run has partial %v, %d rounds, and says:\n%s", run.Partial, run.Rounds, text)
	}
}
