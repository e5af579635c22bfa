package validation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A world is a machine whose records are made up: what is true of it, and what lies.
type world struct {
	startW, endW []float64 // power of each workload alone, by number; the last one waits
	mixedW       []float64 // that the counter shows while they are mixed
	attributedW  []float64
	half         float64   // of the intervals of what is attributed
	halfAtOnce   float64   // the same for what ran at once; negative = there are no intervals
	rounds       []float64 // factors of the rounds at the start
	endMS        float64   // CPU time of a call at the end; it is 3 at the start
	others       float64   // share of the processors
	cores        int
	notes        []note.Note
}

func trueWorld() world {
	w := []float64{20, 14, 25, 9, 17, 0}
	return world{startW: w, endW: w, mixedW: w, attributedW: w, rounds: []float64{1, 1.001, 0.999}, endMS: 3, cores: 4, half: 0.02, halfAtOnce: 0.02}
}

const idleW, restJ = 8.0, 0.1

// test is a test of a second in which each workload ran for so many seconds.
func (w world) test(name string, gainJ float64, factors []float64) record.Test {
	cpu := make([]float64, len(factors))
	ms := make([]float64, len(factors))
	for i, f := range factors {
		cpu[i], ms[i] = idleW+restJ+gainJ*f, 1000
	}
	return record.Test{
		Name: Module + "." + name, Outcome: record.Pass, TimeMS: 1000, RoundTimeMS: ms,
		EnergyJ: record.Energy{spell.CPU: idleW + restJ + gainJ}, RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: cpu},
		Unattributed: map[record.Part]record.Unattributed{
			record.Idle: {EnergyJ: record.Energy{spell.CPU: 7}}, record.Sampler: {EnergyJ: record.Energy{spell.CPU: 1}},
			record.TestCode: {EnergyJ: record.Energy{spell.CPU: restJ}}, record.Others: {TimeMS: w.others * 1000 * float64(w.cores)},
		},
	}
}

func (w world) component(i int, seconds, watts, callMS float64, rounds int) record.Component {
	e := seconds * watts
	c := record.Component{
		ID: Module + "." + Workloads[i].Name, N: seconds * 1e3 / callMS, TimeMS: seconds * 1e3, RoundTimeMS: slices.Repeat([]float64{seconds * 1e3}, rounds),
		EnergyJ: record.Energy{spell.CPU: e},
	}
	if w.half >= 0 {
		c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {e * (1 - w.half), e * (1 + w.half)}}
	}
	return c
}

func (w world) alone(watts, factors []float64, callMS float64) *record.Run {
	r := &record.Run{Host: record.Host{Cores: w.cores}, Notes: w.notes}
	for i, one := range Workloads {
		const ran = 0.9 // seconds
		r.Tests = append(r.Tests, w.test(AloneTest(one.Name), ran*watts[i], factors))
		r.Components = append(r.Components, w.component(i, ran, watts[i], callMS, len(factors)))
	}
	return r
}

// mixed is a record of workloads that together draw a part of what each draws alone.
func (w world) mixed(test string, part float64) *record.Run {
	r := &record.Run{Host: record.Host{Cores: w.cores}}
	var gain float64
	for i := range Workloads {
		const ran = 0.15
		gain += ran * w.mixedW[i] * part
		r.Components = append(r.Components, w.component(i, ran, w.attributedW[i]*part, 3, 2))
	}
	r.Tests = []record.Test{w.test(test, gain, []float64{1, 1})}
	return r
}

func (w world) compare(t *testing.T, sources ...Source) *Result {
	t.Helper()
	m := Measurements{Start: w.alone(w.startW, w.rounds, 3), End: w.alone(w.endW, []float64{1, 1.001, 0.999}, w.endMS), Sources: sources}
	atOnce := w
	atOnce.half = w.halfAtOnce
	for range 3 {
		m.Mixed = append(m.Mixed, w.mixed(MixedTest, 1))
		m.Concurrent = append(m.Concurrent, atOnce.mixed(ConcurrentTest, 0.8))
	}
	r := &Result{Meter: Meter{Name: "rapl"}}
	if err := r.Compare(m, DefaultBars); err != nil {
		t.Fatal(err)
	}
	return r
}

func times(watts []float64, factor float64) []float64 {
	list := slices.Clone(watts)
	for i := range list {
		list[i] *= factor
	}
	return list
}

// Why: each cause of a doubtful figure needs another remedy, so one must not pass for another.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*world)
		sources []Source
		want    Verdict
		why     string
	}{
		{"all is well", func(*world) {}, nil, Validated, "median error of 0.0 %"},
		{"all values of the counter are a fifth too high, which it cannot know of itself", func(w *world) {
			w.startW = times(w.startW, 1.2)
			w.endW, w.mixedW, w.attributedW = w.startW, w.startW, w.startW
		}, nil, Validated, ""},
		{"the same, beside another reader of the counter", func(*world) {}, []Source{{Name: "perf", SourceJ: 100, CounterJ: 120}}, Contradictory, "perf reads the same energy"},
		{"the same, beside the whole machine", func(*world) {}, []Source{{Name: "psys", Whole: true, SourceJ: 110, CounterJ: 120}}, Contradictory, "covers the whole machine"},
		{"a source failed", func(*world) {}, []Source{{Name: "perf", Failed: "perf: a reading failed"}}, Validated, ""},
		{"the whole machine draws more than its processor", func(*world) {}, []Source{{Name: "battery", Whole: true, SourceJ: 300, CounterJ: 120}, {Name: "perf", SourceJ: 121, CounterJ: 120}}, Validated, ""},
		{"energy is attributed to the wrong functions", func(w *world) { w.attributedW = []float64{15, 17, 22, 13, 18, 0} }, nil, Beyond, "mixed workloads have a median error of 21.4 %"},
		{"nothing is attributed, as the counter is too slow", func(w *world) { w.attributedW = times(w.attributedW, 0) }, nil, Beyond, "median error of 100.0 %"},
		{"waiting is charged", func(w *world) { w.attributedW = []float64{20, 14, 25, 9, 15, 2} }, nil, Beyond, "waiting got 2.4 %"},
		{"the counter shows a fifth more at the end", func(w *world) { w.endW = times(w.endW, 1.2) }, nil, Contradictory, "Alone, Integer drew 20.0 W at the start and 24.0 W at the end (+20 %)"},
		{"the counter shows a fifth more in one round", func(w *world) { w.rounds = []float64{1, 1.2, 1} }, nil, Undecided, "the rounds of Integer differ by 18.7 % of their mean (bar 10.0 %)"},
		{"rounds differ, and another source shows that the counter is wrong", func(w *world) { w.rounds = []float64{1, 1.2, 1} }, []Source{{Name: "perf", SourceJ: 100, CounterJ: 120}}, Contradictory, "perf reads the same energy"},
		{"the machine is a fifth slower at the end and draws less", func(w *world) { w.endW, w.endMS = times(w.endW, 0.8), 3.6 }, nil, Changed, "the CPU time of the same work changed by +20 %"},
		{"the counter shows a fifth less while workloads are mixed", func(w *world) { w.mixedW, w.attributedW = times(w.mixedW, 0.8), times(w.mixedW, 0.8) }, nil, Contradictory, "In total, the counter gained -20 %"},
		{"attribution is right, by chance", func(w *world) { w.half = 0.3 }, nil, Undecided, "up to ± 30.0 % for a workload of the mixed ones"},
		{"attribution of most is known, by chance", func(w *world) { w.half = 0.12 }, nil, Undecided, ": ± 12.0 % for a workload of the mixed ones"},
		{"attribution of what ran at once is right, by chance", func(w *world) { w.halfAtOnce = 0.3 }, nil, Undecided, "± 30.0 % for a workload of the concurrent ones"},
		{"nobody knows whether attribution is right", func(w *world) { w.half = -1 }, nil, Undecided, "errors of 5 workloads have no interval among the mixed ones"},
		{"nobody knows whether attribution of what ran at once is right", func(w *world) { w.halfAtOnce = -1 }, nil, Undecided, "no interval among the concurrent ones"},
		{"other programs run", func(w *world) { w.others = 0.06 }, nil, Busy, "6.0 % of the processors' time"},
		{"other programs keep most of a processor busy, of very many", func(w *world) { w.others, w.cores = 0.013, 64 }, nil, Busy, "more than 0.8 %"},
		{"the host takes processors away in every round", func(w *world) { w.notes = []note.Note{note.CountsAlthough(3, note.Stolen(0.2), 5)} }, nil, Busy, "steal time"},
		{"the counter does not see the load", func(w *world) { w.startW, w.endW = times(w.startW, 0), times(w.endW, 0) }, nil, Blind, "not with the load"},
	} {
		w := trueWorld()
		tt.change(&w)
		r := w.compare(t, tt.sources...)
		if r.Verdict != tt.want || !strings.Contains(r.Why, tt.why) {
			t.Errorf("%s: %q, %s; want %q, %s", tt.name, r.Verdict, r.Why, tt.want, tt.why)
		}
		if has := len(r.Workloads) > 0 && r.Mixed != nil && r.Concurrent != nil && r.IdleW > 0; has != tt.want.Figures() {
			t.Errorf("%s: figures %v, want %v", tt.name, has, tt.want.Figures())
		}
		if err := r.WriteJSON(io.Discard); err != nil { // JSON has no numbers like 0/0
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Why: idle machine and reader of the counter are there while workloads wait, too, and the small parts of the
// program around a workload are not the workload's: a reference with any of them is too high, and good
// attribution looks bad.
func TestReferencesAreOfTheWorkloadAlone(t *testing.T) {
	r := trueWorld().compare(t)
	for i, w := range r.Workloads {
		if want := trueWorld().startW[i]; math.Abs(w.AloneW.Value-want) > 1e-9 || w.Name != Waiting && (w.AloneW.Half <= 0 || w.AloneW.Half > 0.01*want) {
			t.Errorf("%s draws %+v, want %g W", w.Name, w.AloneW, want)
		}
	}
	if math.Abs(r.IdleW-idleW) > 1e-9 || math.Abs(r.Mixed.Additivity.Value) > 1e-9 {
		t.Errorf("idle %g W, additivity %g", r.IdleW, r.Mixed.Additivity.Value)
	}
	// Two at once draw a fifth less together, on all of these machines: that is no error of the division.
	if c := r.Concurrent; math.Abs(c.Additivity.Value+0.2) > 1e-9 || c.WorstError > 1e-9 {
		t.Errorf("at once: %+v, want 20 %% less and no errors", c)
	}
}

// Why: a figure without one of its workloads would be of something else.
func TestIncompleteRecords(t *testing.T) {
	w := trueWorld()
	whole := func() Measurements {
		return Measurements{Start: w.alone(w.startW, w.rounds, 3), End: w.alone(w.endW, w.rounds, 3), Mixed: []*record.Run{w.mixed(MixedTest, 1)}}
	}
	for name, damage := range map[string]func(*Measurements){
		"waiting failed":    func(m *Measurements) { m.Start.Tests[len(m.Start.Tests)-1].Outcome = record.Fail },
		"no rounds":         func(m *Measurements) { m.End.Tests[0].RoundTimeMS = nil },
		"no function":       func(m *Measurements) { m.Start.Components = m.Start.Components[1:] },
		"no mixed test":     func(m *Measurements) { m.Mixed[0].Tests = nil },
		"no mixed function": func(m *Measurements) { m.Mixed[0].Components = m.Mixed[0].Components[:3] },
	} {
		m := whole()
		damage(&m)
		if err := new(Result).Compare(m, DefaultBars); !errors.Is(err, errIncomplete) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := new(Result).Compare(whole(), DefaultBars); err != nil {
		t.Error(err)
	}
}

// Why: one busy process is a small share of a large machine, but as much as a workload alone.
func TestLimitOfOthers(t *testing.T) {
	for cores, want := range map[int]float64{0: 0.05, 1: 0.05, 10: 0.05, 64: 0.5 / 64} {
		if got := DefaultBars.OthersLimit(cores); got != want {
			t.Errorf("of %d processors: %g, want %g", cores, got, want)
		}
	}
	if got := (Bars{Others: 1, OthersCPUs: 0.5}).OthersLimit(64); got != 1 {
		t.Errorf("where others may use any share: %g", got)
	}
}

// Why: the file is sent to strangers. What the system said may have names; the page, which stays here, shows it.
func TestFileHasNoNames(t *testing.T) {
	r := &Result{Detail: "reading /home/ada/powercap: no such file\x1b[31m"}
	r.Refuse(Frozen, "The counter stood still.")
	var file, page bytes.Buffer
	if err := errors.Join(r.WriteJSON(&file), r.WriteText(&page, false)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file.String(), "ada") || !strings.Contains(page.String(), `/home/ada/powercap: no such file\x1b`) {
		t.Errorf("file:\n%s\npage:\n%s", &file, &page)
	}
	var back Result
	if err := json.Unmarshal(file.Bytes(), &back); err != nil || back.Schema != Schema || back.Verdict != Frozen {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

// Why: a page that cannot be written is no page.
func TestPage(t *testing.T) {
	r := trueWorld().compare(t, Source{Name: "psys", Whole: true, SourceJ: 300, CounterJ: 120}, Source{Name: "perf", Failed: "perf: a reading failed"})
	r.Machine, r.Seconds, r.Date = Machine{CPU: "A\x07 CPU", Cores: 4, OS: "linux", Arch: "amd64", Virtual: true}, 181, "2026-11-28"
	var b bytes.Buffer
	if err := r.WriteText(&b, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"VALIDATED\n", "virtual machine", `A\a CPU`, "integer arithmetic        20.00 W", "idle waits (share)", "psys covers the whole machine: it gained 300 J, the counter 120 J", "perf was left out: perf: a reading failed", "181 s on 2026-11-28"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %q:\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "order") {
		t.Errorf("the page tells an order that nobody can ask for:\n%s", &b)
	}
	if err := r.WriteText(full{}, true); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
	if err := r.WriteJSON(full{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

// Why: only a second source shows a wrong factor, and a reader decides by the page whether to look for one.
func TestPageWithoutSecondSource(t *testing.T) {
	failed := Source{Name: "perf", Failed: "perf: a reading failed"}
	for _, tt := range []struct {
		name     string
		unsought bool
		sources  []Source
		want     string // "" = nothing is unseen
	}{
		{"this machine has none", false, nil, "there is none here"},
		{"another machine", true, nil, "none was looked for"},
		{"all failed", false, []Source{failed}, "none could be compared"},
		{"one failed", false, []Source{failed, {Name: "psys", Whole: true, SourceJ: 300, CounterJ: 120}}, ""},
	} {
		r := trueWorld().compare(t, tt.sources...)
		r.Unsought = tt.unsought
		var b bytes.Buffer
		if err := r.WriteText(&b, false); err != nil {
			t.Fatal(err)
		}
		_, unseen, found := strings.Cut(b.String(), "Not seen ")
		if found != (tt.want != "") || !strings.Contains(strings.Join(strings.Fields(unseen), " "), tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, unseen, tt.want)
		}
	}
}

var errFull = errors.New("no space left on device")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
