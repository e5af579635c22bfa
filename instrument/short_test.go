package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
)

// shortTests is how many tests the module of TestShortTestsAreToldApart has, beside TestServed.
const shortTests = 50

// A function that is called once, before the first test, and works for each TestServed.
const (
	servedSource = `package short

//go:noinline
func Serves(requests, answers chan uint64) {
	for n := range requests {
		for i := range uint64(5000) {
			n = n*31 + i
		}
		answers <- Answers(n)
	}
}

// Answers is timed: when it begins, what ran so far is charged to Serves.
//
//go:noinline
func Answers(n uint64) uint64 {
	for i := range uint64(5000) {
		n = n*31 + i
	}
	return n
}
`
	servedTest = `package short

import (
	"os"
	"testing"
)

var requests, answers = make(chan uint64), make(chan uint64)

func TestMain(m *testing.M) {
	go Serves(requests, answers)
	requests <- 1
	<-answers
	os.Exit(m.Run())
}

func TestServed(t *testing.T) {
	requests <- 1
	<-answers
}
`
	// worksSource has a Serves that works for long, and calls nothing.
	worksSource = `package short

//go:noinline
func Serves(requests, answers chan uint64) {
	for n := range requests {
		for i := range uint64(100_000_000) {
			n = n*31 + i
		}
		answers <- n
	}
}
`
)

// shortModule makes a module in which test i calls function Timed<i> three times, which takes some
// microseconds, and Inlined<i> five times.
func shortModule(t *testing.T) string {
	t.Helper()
	var functions, tests strings.Builder
	functions.WriteString("package short\n\nvar sink uint64\n")
	tests.WriteString("package short\n\nimport \"testing\"\n")
	for i := range shortTests {
		fmt.Fprintf(&functions, "\n//go:noinline\nfunc Timed%d() {\n\tfor i := range uint64(5000) {\n\t\tsink = sink*31 + i\n\t}\n}\n\nfunc Inlined%[1]d() { sink++ }\n", i)
		fmt.Fprintf(&tests, "\nfunc Test%d(t *testing.T) {\n\tfor range 3 {\n\t\tTimed%[1]d()\n\t}\n\tfor range 5 {\n\t\tInlined%[1]d()\n\t}\n}\n", i)
	}
	return writeModule(t, map[string]string{
		"go.mod": "module example.com/short\n\ngo 1.26\n", "short.go": functions.String(), "short_test.go": tests.String(),
		"served.go": servedSource, "served_test.go": servedTest,
	})
}

func writeModule(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Why: after a test only the rows that may have grown are looked at. A row that is missed then would
// be charged to a later test, or to none. Of Serves only its time tells that it ran in a test.
func TestShortTestsAreToldApart(t *testing.T) {
	b := prepare(t, Params{Dir: shortModule(t)})
	for name, setup := range map[string]probe.Setup{"readings of the meter": {Ticks: readings(t)}, "no readings": {}} {
		t.Run(name, func(t *testing.T) {
			_, log := b.runProbed(t, b.Tests[0], setup, "-test.count=3")
			for _, w := range log.Windows {
				var got []string
				i := strings.TrimPrefix(w.Test, "Test")
				for row, c := range w.Counts {
					if row > 0 && row <= len(b.Components) {
						id := strings.TrimPrefix(b.Components[row-1].ID, "example.com/short.")
						if id == "Serves" && i != "Served" {
							continue // it goes back to wait
						}
						got = append(got, fmt.Sprintf("%s: %d calls, ran: %t", id, c.N, c.SelfNS > 0))
					}
				}
				if i == "Served" {
					checkSet(t, w.Test, got, "Serves: 0 calls, ran: true", "Answers: 1 calls, ran: true")
					continue
				}
				checkSet(t, w.Test, got, "Timed"+i+": 3 calls, ran: true", "Inlined"+i+": 5 calls, ran: false")
			}
			if len(log.Windows) != 3*(shortTests+1) {
				t.Errorf("%d windows, want one for each test each time", len(log.Windows))
			}
		})
	}
}

// Why: probes read the clock whenever a goroutine stops, so their cost cannot be told without it.
func TestStopsOfGoroutinesAreCounted(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/turns\n\ngo 1.26\n", "turns.go": "package turns\n", "turns_test.go": `package turns

import "testing"

// Each turn stops both goroutines once: the channels have no room.
func TestTurns(t *testing.T) {
	there, back := make(chan int), make(chan int)
	go func() {
		for i := range there {
			back <- i
		}
		close(back)
	}()
	for i := range 1000 {
		there <- i
		<-back
	}
	close(there)
	<-back
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := prepare(t, Params{Dir: dir})
	_, log := b.runProbed(t, b.Tests[0], probe.Setup{})
	if log.Stops < 1000 || log.Stops > 10_000 {
		t.Errorf("goroutines stopped %d times, want about 2000", log.Stops)
	}
}

func checkSet(t *testing.T, test string, got []string, want ...string) {
	t.Helper()
	for _, one := range want {
		if !strings.Contains(strings.Join(got, "\n"), one) || len(got) != len(want) {
			t.Errorf("%s: %q, want %q", test, got, want)
			return
		}
	}
}

// Why: a function that is called once and counted only, as it is known to be hot, grows by samples
// alone. Each test for which it works must have them. There are many functions, since all rows are
// looked at if the records of ticks are more than the rows.
func TestSamplesAloneAreLogged(t *testing.T) {
	var others strings.Builder
	others.WriteString("package short\n")
	for i := range 2000 {
		fmt.Fprintf(&others, "\nfunc Other%d() {}\n", i)
	}
	b := prepare(t, Params{Dir: writeModule(t, map[string]string{
		"go.mod": "module example.com/short\n\ngo 1.26\n", "others.go": others.String(),
		"served.go": worksSource, "served_test.go": servedTest,
	})})
	row := 1 + slices.IndexFunc(b.Components, func(c spell.Component) bool { return c.ID == "example.com/short.Serves" })
	hot := make([]probe.Hot, row)
	hot[row-1] = probe.HotCalls
	_, log := b.runProbed(t, b.Tests[0], probe.Setup{Ticks: readings(t), Hot: hot}, "-test.count=3")
	for i, w := range log.Windows {
		if c := w.Counts[row]; c.Samples == 0 || c.N != 0 {
			t.Errorf("time %d: Serves has %d samples and %d calls, want samples alone", i+1, c.Samples, c.N)
		}
	}
	if len(log.Windows) != 3 {
		t.Errorf("%d windows, want 3", len(log.Windows))
	}
}
