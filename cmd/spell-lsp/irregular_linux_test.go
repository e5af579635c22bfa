package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/spell/settings"
)

// irregular are what may stand where a file is read, and what an error says of it.
var irregular = map[string]struct {
	make func(name string) error
	want string
}{
	"pipe":   {func(name string) error { return syscall.Mkfifo(name, 0o600) }, "is a named pipe, must be a regular file"},
	"zero":   {func(name string) error { return os.Symlink("/dev/zero", name) }, "is a device, must be a regular file"},
	"folder": {func(name string) error { return os.Mkdir(name, 0o755) }, "is a folder, must be a regular file"},
	"socket": {func(name string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name})
		if err == nil {
			l.SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	}, "is a socket, must be a regular file"},
	"sparse": {func(name string) error {
		f, err := os.Create(name)
		if err == nil {
			err = f.Truncate(50 << 30)
			f.Close()
		}
		return err
	}, ""},
}

// limitedCommand is a command that has too little memory to read what never ends.
func limitedCommand(args ...string) *child {
	file, err := binary()
	if err != nil {
		panic(err)
	}
	return &child{Cmd: exec.CommandContext(context.Background(), "sh", append([]string{"-c", `ulimit -v 4000000; exec "$0" "$@"`, file}, args...)...)}
}

// finished waits for the end.
func (c *child) finished(t *testing.T) (code int, said string) {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		t.Fatal("it never ends")
	}
	return c.ProcessState.ExitCode(), c.errout.String()
}

// shortFolder is a folder whose path a socket can have.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "spell-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// What is named as a run is refused at once if it is no file, or none of a matrix.
// A pipe would be waited for: somebody may be about to write it.
func TestIrregularRuns(t *testing.T) {
	long(t)
	t.Parallel()
	matrix := someMatrix(t)
	for kind, what := range irregular {
		for _, extension := range []string{".json", ".csv", ".spell", ".trace", ".spellbin", ""} {
			file := filepath.Join(shortFolder(t), "run"+extension)
			if err := what.make(file); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"analyze", file}, {"report", file}, {"compare", matrix, file}, {"runs", "import", file}, {"runs", "export", file},
			} {
				if kind == "pipe" || kind == "folder" && args[0] == "analyze" { // which is one of GZoltar
					continue
				}
				t.Run(fmt.Sprint(kind, " ", extension, " ", args[0]), func(t *testing.T) {
					t.Parallel()
					code, said := start(t, limitedCommand(args...)).finished(t)
					want, _, _ := strings.Cut(what.want, ", must")
					if code != exitInput || !strings.Contains(said, file) || !strings.Contains(said, want) {
						t.Errorf("exit code %d, must be %d: %s", code, exitInput, said)
					}
				})
			}
		}
	}
}

// What a workspace's settings or an editor name is no place for a pipe either:
// nobody sits there to write it, or to interrupt.
func TestIrregularFilesThatAreConfigured(t *testing.T) {
	t.Parallel()
	for kind, what := range irregular {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := shortFolder(t)
			file := filepath.Join(dir, "base.json")
			if err := what.make(file); err != nil {
				t.Fatal(err)
			}
			_, err := readConfigured(t.Context(), serveCommand(), dir, "base.json")
			if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), what.want) {
				t.Errorf("as a baseline: %v", err)
			}
			for _, extension := range []string{"csv", "spell", "trace", "spellbin", "json"} {
				named := filepath.Join(dir, "run."+extension)
				if err := what.make(named); err != nil {
					t.Fatal(err)
				}
				if _, err := loadForEditor(named, settings.Default()); err == nil || kind != "folder" && !strings.Contains(err.Error(), what.want) {
					t.Errorf("loaded as %s: %v", extension, err)
				}
			}
		})
	}
}

// The settings name a baseline, and measure reads it before it builds.
func TestMeasureWithIrregularBaseline(t *testing.T) {
	t.Parallel()
	for kind, what := range irregular {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := shortFolder(t)
			if err := what.make(filepath.Join(dir, "base.json")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".spell-lsp.yaml"), []byte("baseline: base.json\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			code, said := start(t, limitedCommand("measure", "--no-calm", "-C", dir, "--fail-on", "energy>+5%")).finished(t)
			if code != exitInput || !strings.Contains(said, "base.json") {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
	}
}

// A folder that is named as the root of the counters may have anything in it.
func TestIrregularCounters(t *testing.T) {
	t.Parallel()
	for kind, what := range irregular {
		for _, file := range []string{"name", "max_energy_range_uj", "energy_uj"} {
			t.Run(kind+" "+file, func(t *testing.T) {
				t.Parallel()
				zone := filepath.Join(shortFolder(t), "intel-rapl:0")
				if err := os.Mkdir(zone, 0o755); err != nil {
					t.Fatal(err)
				}
				for name, text := range map[string]string{"name": "package-0\n", "max_energy_range_uj": "262143328850\n", "energy_uj": "1\n"} {
					if name == file {
						if err := what.make(filepath.Join(zone, name)); err != nil {
							t.Fatal(err)
						}
					} else if err := os.WriteFile(filepath.Join(zone, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if code, said := start(t, limitedCommand("doctor", "--powercap-root", filepath.Dir(zone))).finished(t); code != exitDone {
					t.Errorf("exit code %d: %s", code, said)
				}
			})
		}
	}
}

// A store on a disk that others write to too.
func TestIrregularSavedRuns(t *testing.T) {
	t.Parallel()
	for kind, what := range irregular {
		for _, place := range []string{"run", "baseline", "index", "runs"} {
			t.Run(kind+" "+place, func(t *testing.T) {
				t.Parallel()
				dir, data := t.TempDir(), shortFolder(t)
				execute := func(args ...string) (int, string) {
					c := limitedCommand(args...)
					c.Dir = dir
					c.data = data
					return start(t, c).finished(t)
				}
				if code, said := execute("runs", "import", someMatrix(t)); code != exitDone {
					t.Fatal(said)
				}
				runs, err := filepath.Glob(filepath.Join(data, "*", "*", "runs"))
				if err != nil || len(runs) != 1 {
					t.Fatalf("the store has %v, error %v", runs, err)
				}
				files, err := filepath.Glob(filepath.Join(runs[0], "*"))
				if err != nil || len(files) != 1 {
					t.Fatalf("the runs are %v, error %v", files, err)
				}
				file := files[0]
				switch place {
				case "baseline":
					file = filepath.Join(filepath.Dir(runs[0]), "baselines", "main")
				case "index":
					file = filepath.Join(filepath.Dir(runs[0]), "index")
				case "runs":
					file = runs[0]
				}
				if err := os.RemoveAll(file); err != nil {
					t.Fatal(err)
				}
				if err := what.make(file); err != nil {
					t.Fatal(err)
				}
				for _, args := range [][]string{{"runs"}, {"report"}, {"report", "main"}, {"runs", "import", someMatrix(t)}} {
					if code, said := execute(args...); code < 0 || strings.Contains(said, "out of memory") {
						t.Errorf("%v ended with %d: %s", args, code, said)
					}
				}
			})
		}
	}
}

// A folder of GZoltar has several files.
func TestIrregularSpectrum(t *testing.T) {
	t.Parallel()
	for kind, what := range irregular {
		for _, file := range []string{"matrix.txt", "spectra.csv", "tests.csv"} {
			if kind == "folder" || kind == "pipe" && file == "matrix.txt" { // the first is not there, the second is waited for
				continue
			}
			t.Run(kind+" "+file, func(t *testing.T) {
				t.Parallel()
				dir := shortFolder(t)
				for name, text := range map[string]string{"matrix.txt": "1 0 +\n0 1 -\n", "spectra.csv": "name\na\nb\n", "tests.csv": "name\nt1\nt2\n"} {
					if name == file {
						if err := what.make(filepath.Join(dir, name)); err != nil {
							t.Fatal(err)
						}
					} else if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if code, said := start(t, limitedCommand("analyze", dir)).finished(t); code != exitInput || !strings.Contains(said, file) {
					t.Errorf("exit code %d: %s", code, said)
				}
			})
		}
	}
}

// The shell's <(zcat matrix.csv.gz) is a pipe, and read to its end.
func TestPipeIsRead(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, c *child) string{
		"open": func(t *testing.T, c *child) string {
			r, w := openPipe(t)
			c.ExtraFiles = []*os.File{r}
			fmt.Fprint(w, matrixHead+"t,slow,1,1,1\n")
			w.Close()
			return "/dev/fd/3"
		},
		"named": func(t *testing.T, _ *child) string {
			pipe := filepath.Join(t.TempDir(), "matrix.csv")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			go os.WriteFile(pipe, []byte(matrixHead+"t,slow,1,1,1\n"), 0o600) // waits for the reader
			return pipe
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := command(t, "analyze", "--format", "csv")
			c.Args = append(c.Args, make(t, c))
			var out strings.Builder
			c.Stdout = &out
			if code, said := start(t, c).finished(t); code != exitDone || !strings.Contains(out.String(), "t,slow,") {
				t.Errorf("exit code %d: %s%s", code, out.String(), said)
			}
		})
	}
}

// Input that never ends has an error, or is ended by whoever started it. It must not
// fill the memory before.
func TestEndlessInput(t *testing.T) {
	long(t)
	t.Parallel()
	for name, c := range map[string]struct{ format, head, again, want string }{
		"zeros as csv":            {"csv", "", "\x00", "line 1 is longer than 1 MiB"},
		"zeros as spell":          {"spell", "", "\x00", "line 1 is longer than 256 MiB"},
		"zeros as trace":          {"trace", "", "\x00", "an entry has more than 16 MiB"},
		"zeros as json":           {"json", "", "\x00", "line 1, column 1"},
		"zeros as binary":         {"binary", "", "\x00", "is not a binary matrix"},
		"zeros as gzoltar":        {"gzoltar", "", "\x00", "-:1:1"},
		"a quoted field":          {"csv", matrixHead + `"`, "x", "line 2 is longer than 1 MiB"},
		"a comment of a trace":    {"trace", "/*", "x", "an entry has more than 16 MiB"},
		"calls that do not end":   {"trace", "", "> f [ t = 0 ]\n", "more than 4194304 calls are open"},
		"a name of a JSON matrix": {"json", `{"schema":"spell-lsp/matrix/v1","tests":["`, "x", "more than 16 MiB from here on are one string, number or blank"},
		"components of one test":  {"gzoltar", "", "0 ", "line 1 is longer than 64 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			in, feed := openPipe(t)
			p := limitedCommand("analyze", "--input", c.format, "-")
			p.Stdin = in
			start(t, p)
			in.Close()
			go func() {
				text := []byte(strings.Repeat(c.again, 1<<20/len(c.again)))
				_, err := feed.WriteString(c.head)
				for err == nil {
					_, err = feed.Write(text)
				}
			}()
			if code, said := p.finished(t); code != exitInput || !strings.Contains(said, c.want) {
				t.Errorf("exit code %d, must say %q: %.1000s", code, c.want, said)
			}
		})
	}
}

// An editor that loads what is no file gets an error, and the server goes on answering.
func TestServerLoadsIrregularFiles(t *testing.T) {
	t.Parallel()
	dir := shortFolder(t)
	var requests strings.Builder
	send := func(message string) {
		fmt.Fprintf(&requests, "Content-Length: %d\r\n\r\n%s", len(message), message)
	}
	send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"processId":null,"rootUri":"file://%s","capabilities":{}}}`, dir))
	send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	for kind, what := range irregular {
		file := filepath.Join(dir, kind+".csv")
		if err := what.make(file); err != nil {
			t.Fatal(err)
		}
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"workspace/executeCommand","params":{"command":"spell-lsp.load","arguments":[{"path":%q}]}}`, kind, file))
	}
	in, feed := openPipe(t)
	c := limitedCommand("serve", "--log-level", "error")
	c.Stdin = in
	out := answers{bufio.NewReader(c.pipe(t))}
	start(t, c)
	go feed.WriteString(requests.String())
	got := map[string]string{}
	for len(got) < len(irregular)+1 {
		id, fault := out.next(t)
		got[id] = fault
	}
	for kind, what := range irregular {
		if kind != "folder" && !strings.Contains(got[kind], what.want) || got[kind] == "" {
			t.Errorf("%s: the error is %q, must say %q", kind, got[kind], what.want)
		}
	}
	// It answers still, while others have their errors.
	feed.WriteString("Content-Length: 46\r\n\r\n" + `{"jsonrpc":"2.0","id":"x","method":"shutdown"}`)
	if id, fault := out.next(t); id != "x" || fault != "" {
		t.Errorf("shutdown: %q answered with %q", id, fault)
	}
}

// answers are what the server says.
type answers struct{ *bufio.Reader }

// next gives the next answer with an id of the client, and its error.
func (a answers) next(t *testing.T) (id, fault string) {
	t.Helper()
	for {
		head, err := textproto.NewReader(a.Reader).ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		size, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(a.Reader, body); err != nil {
			t.Fatal(err)
		}
		var message struct {
			ID     any
			Method string
			Error  struct{ Message string }
		}
		if err := json.Unmarshal(body, &message); err != nil {
			t.Fatal(err)
		}
		if name, ok := message.ID.(string); ok && message.Method == "" {
			return name, message.Error.Message
		}
	}
}

func (c *child) pipe(t *testing.T) io.Reader {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
