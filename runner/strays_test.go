package runner

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// leaks is a module one of whose tests starts goroutines that nobody stops: two that compute, and
// one that waits for ever.
var leaks = map[string]string{
	"m.go": `package m

import "sync/atomic"

var Turns atomic.Uint64

func Leave() {
	for range 2 {
		go Forever()
	}
	go Waits()
}

func Forever() {
	for {
		Works(100_000)
		Turns.Add(1)
	}
}

func Waits() { <-make(chan int) }

//go:noinline
func Works(n int) (sum int) {
	for i := range n {
		sum += i % 7
	}
	return sum
}
`,
	"m_test.go": `package m

import (
	"runtime"
	"testing"
)

func TestLeaves(t *testing.T) { Leave() }

// It is not over before the goroutines have worked beside it.
func TestLater(t *testing.T) {
	for end := Turns.Load() + 500; Turns.Load() < end; {
		runtime.Gosched()
	}
	for range 1000 {
		Works(100)
	}
}
`,
}

// What goroutines use that outlived their test is in no function of a later test, but a part of
// its own, and a note says which test left them, and where they were started. One that waits costs
// nothing, and is not mentioned.
func TestGoroutinesThatOutliveTheirTest(t *testing.T) {
	dir := module(t, leaks)
	run, err := Measure(t.Context(), Params{Dir: dir, Meter: "model", Meters: processor(t), Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range run.Matrix.Cells {
		if test, id := run.Tests[c.Test].Name, run.Components[c.Component].ID; test == "example.com/m.TestLater" && (id != "example.com/m.Works" || c.N != 1000) {
			t.Errorf("%s has %g calls of %s: it makes 1000 of Works", test, c.N, id)
		}
	}
	later := run.Tests[1]
	part := later.Unattributed[record.Strays]
	if part.TimeMS == 0 {
		t.Fatalf("the parts of %s are %+v: want one of goroutines of ended tests", later.Name, later.Unattributed)
	}
	// An estimate gives the same watts to all that a program does, so what these draw is what
	// the test code draws.
	code := later.Unattributed[record.TestCode]
	near(t, "energy of goroutines of ended tests", part.EnergyJ[spell.CPU], code.EnergyJ[spell.CPU]/code.TimeMS*part.TimeMS, 1e-6)
	if run.Imbalance() > 1e-9 {
		t.Errorf("components and parts differ from the counter by %g", run.Imbalance())
	}
	var got []note.Note
	for _, n := range run.Notes {
		if n.Code == note.GoroutinesOutliveCode || n.Code == note.MoreOutliveCode {
			if n.Args["cpu_share"].(float64) <= 0 || n.Args["energy_share"].(float64) <= 0 {
				t.Errorf("shares are %v", n.Args)
			}
			n.Args["cpu_share"], n.Args["energy_share"] = 0.0, 0.0
			got = append(got, n)
		}
	}
	want := []note.Note{note.GoroutinesOutlive("example.com/m.TestLeaves", 2, "m.Leave", "m.go", 9, 0, 0)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// Few go statements are named, those first that used most. Those that used little are not.
func TestFewStatementsAreNamed(t *testing.T) {
	var strays []probe.Stray
	ran := make(map[int]float64)
	for i := range 9 {
		strays = append(strays, probe.Stray{Test: "TestA", In: "example.com/p.F", File: "/m/a.go", Line: i, Goroutines: 6})
		ran[i] = float64(10 * i)
	}
	strays[0] = probe.Stray{} // those that had no room
	ran[0] = 100
	ran[1] = 1e-3
	later := sharedTest{
		observation: &observation{pkg: "example.com/p", name: "TestB", joules: []float64{10}},
		parts:       map[record.Part]attribution.Amount{record.Strays: {NS: 460e6, Joules: []float64{4.6}}, record.Others: {NS: 1e12}, record.TestCode: {NS: 540e6}},
		strays:      make(map[statement]attribution.Amount),
	}
	later.addStrays(later.parts[record.Strays], &attribution.Interval{StraysNS: ran, Strays: strays})
	log := &probe.Log{Strays: strays, Ends: []probe.End{{Test: "TestA"}, {Test: "TestA"}, {Test: "TestB"}}}
	kept := []*round{{left: leftBehind("example.com/p", log)}, {left: leftBehind("example.com/p", log)}}
	notes := outliving(&sharing{rounds: [][]sharedTest{{later}, {later}}}, kept, func(s statement) string { return s.place("/m") })
	var got []string
	for _, n := range notes {
		got = append(got, fmt.Sprintf("%s %v %v:%v %.3f %.3f", n.Code, n.Args["goroutines"], n.Args["file"], n.Args["line"], n.Args["cpu_share"], n.Args["energy_share"]))
	}
	want := []string{
		"run.goroutines-outlive 3 a.go:8 0.082 0.082", "run.goroutines-outlive 3 a.go:7 0.072 0.072", "run.goroutines-outlive 3 a.go:6 0.061 0.061",
		"run.goroutines-outlive 3 a.go:5 0.051 0.051", "run.goroutines-outlive 3 a.go:4 0.041 0.041", "run.more-goroutines-outlive <nil> <nil>:<nil> 0.153 0.153",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if rest := notes[5].Args["statements"]; rest != 3.0 {
		t.Errorf("%v statements are not named, want 3: two with less, and those that had no room", rest)
	}
}

// A go statement outside of the measured folder is placed by its package.
func TestPlaceOfAStatement(t *testing.T) {
	for _, test := range []struct{ in, file, want string }{
		{"example.com/m/p.(*T).Run.func1", "/home/m/p/t.go", "p/t.go"},
		{"net/http.(*Server).Serve", "/usr/local/go/src/net/http/server.go", "net/http/server.go"},
		{"gopkg.in/x.v2.F", "/root/go/pkg/mod/gopkg.in/x.v2@v2.0.0/f.go", "gopkg.in/x/f.go"},
		{"", "", "."},
	} {
		if got := (statement{in: test.in, file: test.file}).place("/home/m"); got != test.want {
			t.Errorf("%q in %q is at %q, want %q", test.in, test.file, got, test.want)
		}
	}
}
