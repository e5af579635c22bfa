package calm

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rounds have these lengths and CPU times, in turns, and a trace of their own noise.
func rounds(random *rand.Rand, values ...float64) []Round {
	var list []Round
	for i := 0; i < len(values); i += 2 {
		list = append(list, Round{Seconds: values[i], CPUSeconds: values[i+1], Trace: trace(random, 400, 0.6)})
	}
	return list
}

// trace is of two cores, one of which is fast for a share of the time.
func trace(random *rand.Rand, n int, busy float64) [][]float64 {
	var rows [][]float64
	for range n {
		row := []float64{800, 800}
		if random.Float64() < busy {
			row[random.IntN(2)] = 2400
		}
		rows = append(rows, row)
	}
	return rows
}

// A run is calm where all of it stayed the same, disturbed where one figure surely did not,
// and undecided where that cannot be told.
func TestJudge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	steady := []float64{1, 2, 1.01, 2.02, 0.99, 1.98, 1, 2.01, 1, 1.99}
	scaled := func(time, cpu float64) []float64 {
		list := slices.Clone(steady)
		for i := range list {
			list[i] *= []float64{time, cpu}[i%2]
		}
		return list
	}
	with := func(list []Round, trace func() [][]float64) []Round {
		for i := range list {
			list[i].Trace = trace()
		}
		return list
	}
	none := func() [][]float64 { return nil }
	for name, tt := range map[string]struct {
		plain, measured []Round
		want            Verdict
		time, cpu       Verdict
		cores           Verdict
	}{
		"the same":      {rounds(random, steady...), rounds(random, steady...), Calm, Calm, Calm, Calm},
		"2 % longer":    {rounds(random, steady...), rounds(random, scaled(1.02, 1.02)...), Calm, Calm, Calm, Calm},
		"20 % longer":   {rounds(random, steady...), rounds(random, scaled(1.2, 1.2)...), Disturbed, Disturbed, Disturbed, Calm},
		"20 % shorter":  {rounds(random, steady...), rounds(random, scaled(0.8, 0.8)...), Disturbed, Disturbed, Disturbed, Calm},
		"more CPU time": {rounds(random, steady...), rounds(random, scaled(1, 1.3)...), Disturbed, Calm, Disturbed, Calm},
		"at the bar":    {rounds(random, steady...), rounds(random, 1.05, 2, 1.09, 2.02, 1.0, 1.98, 1.1, 2.01, 1.02, 1.99), Undecided, Undecided, Calm, Calm},
		"few rounds":    {rounds(random, steady[:4]...), rounds(random, steady[:4]...), Undecided, Undecided, Undecided, Calm},
		"no traces":     {with(rounds(random, steady...), none), with(rounds(random, steady...), none), Undecided, Calm, Calm, Undecided},
		"short traces": {
			with(rounds(random, steady...), func() [][]float64 { return trace(random, 5, 0.6) }),
			with(rounds(random, steady...), func() [][]float64 { return trace(random, 5, 0.6) }), Undecided, Calm, Calm, Undecided,
		},
		"both cores run": {
			rounds(random, steady...),
			with(rounds(random, steady...), func() [][]float64 { return slices.Repeat([][]float64{{1600, 1600}}, 400) }), Disturbed, Calm, Calm, Disturbed,
		},
		"plain rounds unlike each other": {
			[]Round{
				{1, 2, slices.Repeat([][]float64{{800, 800}}, 400)}, {1, 2, slices.Repeat([][]float64{{1600, 1600}}, 400)},
				{1, 2, slices.Repeat([][]float64{{2400, 2400}}, 400)}, {1, 2, slices.Repeat([][]float64{{3200, 3200}}, 400)},
			},
			with(rounds(random, 1, 2, 1, 2, 1, 2, 1, 2), func() [][]float64 { return slices.Repeat([][]float64{{1200, 1200}}, 400) }), Undecided, Calm, Calm, Undecided,
		},
		"one frequency": {
			with(rounds(random, steady...), func() [][]float64 { return slices.Repeat([][]float64{{3000, 3000}}, 400) }),
			with(rounds(random, steady...), func() [][]float64 { return slices.Repeat([][]float64{{3000, 3000}}, 400) }), Calm, Calm, Calm, Calm,
		},
		"a core that is off": {
			with(rounds(random, steady...), func() [][]float64 { return slices.Repeat([][]float64{{3000, math.NaN()}, {800, math.NaN()}}, 400) }),
			with(rounds(random, steady...), func() [][]float64 { return slices.Repeat([][]float64{{3000, math.NaN()}, {800, math.NaN()}}, 400) }), Calm, Calm, Calm, Calm,
		},
		"nothing":     {nil, nil, Undecided, Undecided, Undecided, Undecided},
		"no CPU time": {rounds(random, 1, 0, 1, 0, 1, 0), rounds(random, 1, 0, 1, 0, 1, 0), Undecided, Calm, Undecided, Calm},
	} {
		r := Judge(tt.plain, tt.measured)
		if r.Verdict != tt.want || r.Time.Verdict != tt.time || r.CPU.Verdict != tt.cpu || r.OverCores.Verdict != tt.cores {
			t.Errorf("%s: %+v, want %s (time %s, CPU time %s, cores %s)", name, r, tt.want, tt.time, tt.cpu, tt.cores)
		}
	}
}

// Runs that were disturbed on purpose are flagged: rounds as a virtual machine with two busy processors
// recorded them, of a program that calls a leaf 300 million times, sampled 10,000 times a second of
// its CPU time, and with a probe in the leaf. Beside either, the plain rounds pass for calm.
func TestRecordedDisturbances(t *testing.T) {
	for name, period := range map[string]Verdict{"sampled-10khz": Disturbed, "probe-in-leaf": Undecided} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		var recorded struct{ Plain, Measured []Round }
		if err == nil {
			err = json.Unmarshal(text, &recorded)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := Judge(recorded.Plain, recorded.Measured)
		if r.Verdict != Disturbed || r.Time.Verdict != Disturbed || r.CPU.Verdict != Disturbed {
			t.Errorf("%s: %+v, want a disturbed run by its time and its CPU time", name, r)
		}
		if got := r.OfPeriod(name == "probe-in-leaf"); got != period {
			t.Errorf("%s: of the period it says %s, want %s", name, got, period)
		}
		if same := Judge(recorded.Plain, recorded.Plain); same.Verdict != Calm {
			t.Errorf("%s: plain rounds beside themselves: %+v, want calm", name, same)
		}
	}
}

// Intervals of 95 % hold the true change in 95 of 100 cases, and a calm run is called disturbed
// in few.
func TestIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const runs, truth = 2000, 0.03
	held, disturbed := 0, 0
	for range runs {
		var plain, measured []Round
		for range MaxRounds {
			machine := math.Exp(0.05 * random.NormFloat64()) // in turns, both see the same machine
			one := func(factor float64) Round {
				return Round{Seconds: factor * machine * math.Exp(0.01*random.NormFloat64())}
			}
			plain, measured = append(plain, one(1)), append(measured, one(1+truth))
		}
		c := Judge(plain, measured).Time
		if c.Low <= truth && truth <= c.High {
			held++
		}
		if c.Verdict == Disturbed {
			disturbed++
		}
	}
	// 5 standard deviations of the binomial distribution.
	if got := float64(held) / runs; math.Abs(got-0.95) > 5*math.Sqrt(0.95*0.05/runs) {
		t.Errorf("the interval holds the truth in %.3f of the cases", got)
	}
	if disturbed > runs/100 {
		t.Errorf("%d of %d calm runs are disturbed", disturbed, runs)
	}
}

// The period is the shortest that is calm; where none is, the first.
func TestNext(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name        string
		least       time.Duration
		calmFrom    time.Duration // shorter periods disturb
		undecidedAt time.Duration
		want        []time.Duration // one after the other; at the last it stays
	}{
		{"calm at any", ms, ms, 0, []time.Duration{2 * ms, ms}},
		{"calm from the first on", ms, 2 * ms, 0, []time.Duration{2 * ms, ms, 2 * ms}},
		{"a shorter one brings nothing", 2 * ms, ms, 0, []time.Duration{2 * ms}},
		{"calm from 16 ms on", ms, 16 * ms, 0, []time.Duration{2 * ms, 4 * ms, 8 * ms, 16 * ms}},
		{"too short to decide", ms, ms, 2 * ms, []time.Duration{2 * ms}},
		{"too short to decide at a longer one", ms, 16 * ms, 4 * ms, []time.Duration{2 * ms, 4 * ms}},
		{"too short to decide at a shorter one", ms, ms, ms, []time.Duration{2 * ms, ms, 2 * ms}},
		{"disturbed by something else", ms, time.Hour, 0, []time.Duration{2 * ms, 4 * ms, 8 * ms, 16 * ms, 32 * ms, 64 * ms, 128 * ms, 2 * ms}},
	} {
		verdicts := make(map[time.Duration]Verdict)
		var got []time.Duration
		for {
			p := Next(verdicts, tt.least, 2*ms)
			if len(got) == 0 || got[len(got)-1] != p {
				got = append(got, p)
			}
			if verdicts[p] != "" {
				break
			}
			switch {
			case p == tt.undecidedAt:
				verdicts[p] = Undecided
			case p < tt.calmFrom:
				verdicts[p] = Disturbed
			default:
				verdicts[p] = Calm
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// What probes do to the time of a program, a longer period does not mend; what waking up does to
// frequencies, and samples to the time, it does.
func TestVerdictOnThePeriod(t *testing.T) {
	slower := Result{Time: Change{Verdict: Disturbed}, CPU: Change{Verdict: Disturbed}, Verdict: Disturbed}
	faster := Result{Time: Change{Verdict: Calm}, CPU: Change{Verdict: Calm}, OverTime: Correspondence{Verdict: Disturbed}, Verdict: Disturbed}
	for _, tt := range []struct {
		r      Result
		probes bool
		want   Verdict
	}{{slower, true, Undecided}, {slower, false, Disturbed}, {faster, true, Disturbed}, {faster, false, Disturbed}, {Result{Verdict: Calm}, true, Calm}} {
		if got := tt.r.OfPeriod(tt.probes); got != tt.want {
			t.Errorf("%+v, probes %t: %s, want %s", tt.r, tt.probes, got, tt.want)
		}
	}
}

// Whatever was read, the verdict is one of three, and figures are in their ranges.
func FuzzJudge(f *testing.F) {
	bytes := func(values ...float64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	f.Add(bytes(1, 2, 3, 4, 5, 6), uint8(3), uint8(2))
	f.Add(bytes(math.NaN(), math.Inf(1), -1, 0, math.MaxFloat64, -math.MaxFloat64), uint8(4), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, count, cores uint8) {
		var values []float64
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		if len(values) == 0 {
			return
		}
		i := 0
		next := func() float64 { i++; return values[i%len(values)] }
		side := func() (list []Round) {
			for range count % 6 {
				r := Round{Seconds: next(), CPUSeconds: next()}
				for range 60 {
					row := make([]float64, cores%5)
					for c := range row {
						row[c] = next()
					}
					r.Trace = append(r.Trace, row)
				}
				list = append(list, r)
			}
			return list
		}
		r := Judge(side(), side())
		for _, v := range []Verdict{r.Verdict, r.Time.Verdict, r.CPU.Verdict, r.OverTime.Verdict, r.OverCores.Verdict} {
			if v != Calm && v != Disturbed && v != Undecided {
				t.Errorf("the verdict is %q", v)
			}
		}
		for _, c := range []Correspondence{r.OverTime, r.OverCores} {
			if !(c.R >= -1 && c.R <= 1 && c.Own >= -1 && c.Own <= 1) {
				t.Errorf("correspondence %+v", c)
			}
		}
		for _, c := range []Change{r.Time, r.CPU} {
			if c.Verdict != Undecided && !(c.Low <= c.Relative && c.Relative <= c.High) {
				t.Errorf("change %+v", c)
			}
		}
	})
}
