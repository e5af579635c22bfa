package remote

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/settings"
)

// greeting prints on both streams in turns, and says where its source is.
var greeting = map[string]string{
	"cmd/greet/main.go": `package main

import (
	"fmt"
	"log"
	"os"

	"example.com/m/sub"
)

func main() {
	log.SetFlags(log.Llongfile)
	fmt.Println("hello")
	log.Println("on standard error")
	fmt.Println(sub.Shout("energy", 300000))
	if len(os.Args) > 1 {
		os.Exit(3)
	}
}
`,
}

func greet(t *testing.T, command string) []scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("greet", settings.Scenario{Exec: command})
	if err != nil {
		t.Fatal(err)
	}
	return []scenario.Scenario{s}
}

// Why: whoever measures a program reads what it prints. It must come as here, each stream where it belongs, and
// between the rounds, because what is on the wire meanwhile would be measured.
func TestOutputFromElsewhere(t *testing.T) {
	lab := newMachine(t)
	p := runner.Params{Dir: workspace(t, greeting), Meter: "model", Rounds: 2, Warmup: 1, Scenarios: greet(t, "./cmd/greet")}
	measured := func(measure func(runner.Params) error) (stdout, stderr string, order []string) {
		var out, fault strings.Builder
		p.Stdout, p.Stderr = &out, &fault
		p.Progress = func(s runner.Step) {
			if s.Live == nil && (s.Round > 0 || s.WarmUp) {
				order = append(order, fmt.Sprint(s.WarmUp, " ", s.Round, " ", strings.Count(out.String(), "hello")))
			}
		}
		if err := measure(p); err != nil {
			t.Fatal(err)
		}
		return out.String(), fault.String(), order
	}
	wantOut, wantErr, wantOrder := measured(func(p runner.Params) error {
		_, err := runner.Measure(t.Context(), p)
		return err
	})
	gotOut, gotErr, gotOrder := measured(func(p runner.Params) error {
		_, err := lab.measure(t.Context(), p)
		return err
	})
	if diff := cmp.Diff(wantErr, gotErr); diff != "" || !strings.Contains(gotErr, "cmd/greet/main.go:14: on standard error\n") {
		t.Errorf("on standard error (-here +there):\n%s", diff)
	}
	if diff := cmp.Diff(wantOut, gotOut); diff != "" {
		t.Errorf("on standard output (-here +there):\n%s", diff)
	}
	if want := []string{"true 1 0", "false 1 1", "false 2 2"}; !slices.Equal(wantOrder, want) || !slices.Equal(gotOrder, want) {
		t.Errorf("before each round were printed %q here, %q there, want %q", wantOrder, gotOrder, want)
	}
}

// Why: of a program that fails in its first round there is no run, only the error and what it printed.
func TestOutputOfAFailure(t *testing.T) {
	lab := newMachine(t)
	var out strings.Builder
	s := greet(t, "./cmd/greet fail")
	s[0].Load = []string{"sleep", "60"}
	_, err := lab.measure(t.Context(), runner.Params{Dir: workspace(t, greeting), Meter: "model", Scenarios: s, Stdout: &out})
	if !errors.Is(err, runner.ErrScenario) || !strings.HasPrefix(out.String(), "hello\n") || strings.Contains(out.String(), "standard error") {
		t.Errorf("%v: it printed %q", err, out.String())
	}
}

// Why: a program may print more than memory holds. What comes first is kept, and the rest is counted.
func TestOutputIsBounded(t *testing.T) {
	p := &printed{room: 10}
	out, fault := stream{of: p}, stream{of: p, error: true}
	for _, text := range []string{"123", "45"} {
		if n, err := out.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	fault.Write([]byte("67"))
	out.Write([]byte("89abcd"))
	fault.Write([]byte("e"))
	want := &output{Pieces: []piece{{Text: []byte("12345")}, {true, []byte("67")}, {Text: []byte("89a")}}, Lost: 4}
	got := p.take()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if again := p.take(); again != nil || p.room != maxPrinted {
		t.Errorf("kept again: %+v", again)
	}
	var stdout, stderr strings.Builder
	m := &measurement{Site: &Site{Options: Options{Name: "lab"}}, job: runner.Job{Task: &runner.Task{Params: runner.Params{Stdout: &stdout, Stderr: &stderr}}}}
	if m.print(got); stdout.String() != "1234589a" || stderr.String() != "67spell-lsp: 4 bytes more were printed on lab, which keeps 16 MiB in a round\n" {
		t.Errorf("shown: %q and %q", &stdout, &stderr)
	}
	m.job.Params.Stdout, m.job.Params.Stderr = nil, nil
	m.print(got) // nobody wants it
}
