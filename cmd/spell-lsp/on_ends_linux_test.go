package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"spell-lsp/internal/sshtarget"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

var moments = flag.Int("moments", 4, "end that many measurements on another machine, each at a random byte of its connection")

// restless is a module whose test leaves a daemon in each round, which leaves its session, too.
func restless(t *testing.T) string {
	t.Helper()
	return module(t, map[string]string{
		"go.mod": "module example.com/restless\n\ngo 1.26\n",
		"x.go":   "package restless\n\nfunc F(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i % 7\n\t}\n\treturn sum\n}\n",
		"x_test.go": `package restless

import (
	"os/exec"
	"testing"
)

func TestF(t *testing.T) {
	if out, err := exec.Command("sh", "-c", "setsid sleep 600 >/dev/null 2>&1 &").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	F(10_000_000)
}
`,
	})
}

const restlessRounds = 8

// measureRestless starts a measurement of it.
func measureRestless(t *testing.T, dir string) *measuring {
	t.Helper()
	return measureThere(t, dir, "--no-calm", "--meter", "rapl", "--powercap-root", "/counters/class/powercap", "--warmup", "0", "--rounds", fmt.Sprint(restlessRounds))
}

// An ending is how a measurement ends early, and what its command then ends with where it has kept rounds,
// and where not.
type ending struct {
	name        string
	end         func(*sshtarget.Target, *measuring)
	kept, empty int
}

var earlyEndings = []ending{
	{"cancelled", func(_ *sshtarget.Target, m *measuring) { m.Process.Signal(os.Interrupt) }, exitInterrupted, exitInterrupted},
	{"connection cut", func(lab *sshtarget.Target, _ *measuring) { lab.Wire.Cut() }, exitDone, exitNothing},
	{"sshd killed", func(lab *sshtarget.Target, _ *measuring) {
		for _, pid := range lab.Sessions() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}, exitDone, exitNothing},
	{"machine hangs", func(lab *sshtarget.Target, _ *measuring) {
		for _, p := range lab.Processes() {
			if strings.HasSuffix(p.Line, " agent-worker") {
				syscall.Kill(p.PID, syscall.SIGSTOP)
			}
		}
	}, exitDone, exitNothing},
}

// Why: whoever cancels, or loses the line, wants nothing of theirs to go on there, or to lie about, and wants to
// keep the rounds that took so long. That must hold at any moment: while ssh greets, while spell-lsp or files are
// sent, and between and in rounds. The moments are bytes of the connection, so that they are the same ones on a
// slow machine.
func TestMeasurementThereEndsEarly(t *testing.T) {
	counters := counter(t)
	lab := newTarget(t, sshtarget.Options{Folders: map[string]string{"/counters": counters}})
	dir := restless(t)
	var whole [2]int64 // bytes of a first measurement, and of a later one
	for i := range whole {
		lab.Wire.Reset(0, nil)
		measureRestless(t, dir).result(t, exitDone)
		up, down := lab.Wire.Passed()
		whole[i] = up + down
	}
	random := rand.New(rand.NewPCG(1, 0))
	for i := range *moments {
		w := when{round: 1 + random.IntN(restlessRounds/2), bytes: 1 + random.Int64N(whole[1]/restlessRounds)}
		switch i % 4 {
		case 1:
			w = when{first: true, bytes: 1 + random.Int64N(whole[0])}
		case 2:
			w = when{bytes: 1 + random.Int64N(whole[1])}
		}
		e := earlyEndings[(i+i/4)%len(earlyEndings)]
		t.Run(e.name+" "+w.String(), func(t *testing.T) { e.at(t, w, lab, dir) })
	}
	if run := measureRestless(t, dir).result(t, exitDone); run.Partial || run.Rounds != restlessRounds {
		t.Errorf("a measurement after all of them has %d rounds, partial %v", run.Rounds, run.Partial)
	}
}

// A when is a moment of a measurement.
type when struct {
	first bool  // the target has nothing yet
	round int   // bytes are counted from when this round is shown; 0: from the start
	bytes int64 // in both directions together
}

func (w when) String() string {
	text := fmt.Sprintf("at byte %d", w.bytes)
	if w.first {
		text += " of a first measurement"
	}
	if w.round > 0 {
		text += fmt.Sprintf(" after the start of round %d", w.round)
	}
	return text
}

// at ends a measurement at a moment, and checks what it keeps, and what it leaves.
func (e ending) at(t *testing.T, w when, lab *sshtarget.Target, dir string) {
	if w.first {
		if err := os.RemoveAll(filepath.Join(lab.Home, ".cache")); err != nil {
			t.Fatal(err)
		}
	}
	var m *measuring
	started := make(chan struct{})
	event := func() { <-started; e.end(lab, m) }
	if lab.Wire.Reset(0, nil); w.round == 0 {
		lab.Wire.Reset(w.bytes, event)
	}
	m = measureRestless(t, dir)
	close(started)
	if w.round > 0 {
		m.until(t, fmt.Sprintf("round %d of ", w.round))
		lab.Wire.Reset(w.bytes, event)
	}
	code := m.end()
	run := m.read(t)
	lab.Wire.Reset(0, nil)
	e.check(t, m, run, code)
	leftNothing(t, lab)
	m.gone(t)
	if left := m.scratch(); len(left) > 0 {
		t.Errorf("left here: %s", left)
	}
}

// read reads what a measurement has printed; nil for nothing.
func (m *measuring) read(t *testing.T) *record.Run {
	t.Helper()
	if m.out.Len() == 0 {
		return nil
	}
	run, err := recordjson.Read(&m.out)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// check compares what is kept with what had begun: a round begins when the one before has arrived.
func (e ending) check(t *testing.T, m *measuring, run *record.Run, code int) {
	t.Helper()
	begun := 0
	for _, line := range m.said {
		fmt.Sscanf(line, "round %d of", &begun)
	}
	kept, want := 0, e.empty
	if run != nil {
		kept, want = run.Rounds, e.kept
	}
	complete := run != nil && !run.Partial
	if complete { // it came too late
		want = exitDone
	}
	t.Logf("%d rounds begun, %d kept, exit code %d: %s", begun, kept, code, m.last)
	if code != want {
		t.Errorf("exit code %d, want %d: %s", code, want, m.last)
	}
	if kept < begun-1 || kept > begun || complete && kept < restlessRounds {
		t.Errorf("%d rounds are kept of %d that had begun, complete %v", kept, begun, complete)
	}
	early := run != nil && slices.ContainsFunc(run.Notes, func(n note.Note) bool { return n.Code == note.EndedEarlyCode })
	if lost := run != nil && run.Partial && e.kept == exitDone; early != lost {
		t.Errorf("the run says that it ended early: %v, want %v", early, lost)
	}
	if said := strings.Join(m.said, "\n"); code == exitNothing && !strings.Contains(said, "spell-lsp: lab: ") {
		t.Errorf("it does not say where it failed:\n%s", said)
	}
}

// Why: where a cable is pulled, neither side is told. Both find out by the silence: the machine ends what runs, and
// the one here keeps what has come.
func TestLineThatGoesDead(t *testing.T) {
	counters := counter(t)
	lab := newTarget(t, sshtarget.Options{Folders: map[string]string{"/counters": counters}, Network: true})
	m := measureRestless(t, restless(t))
	m.until(t, "round 3 of ")
	lab.TakeDown(t)
	code := m.end()
	dead := ending{kept: exitDone, empty: exitNothing}
	run := m.read(t)
	dead.check(t, m, run, code)
	if run == nil || run.Rounds < 2 || !run.Partial {
		t.Errorf("the run is %+v", run)
	}
	leftNothing(t, lab)
	m.gone(t)
}
