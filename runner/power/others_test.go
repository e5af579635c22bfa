package power

import (
	"math"
	"testing"
)

// Why: a server beside its load, and one goroutine beside the system's own processes, were given a loss by co-running that was not
// there. When within a tick other processes ran is not known, so they count neither as those beside which a thread loses, nor
// lose themselves.
func TestOtherProcessesAreBesideNobody(t *testing.T) {
	beside := func(row uint32) []Tick {
		var ticks []Tick
		for range 10 {
			ticks = append(ticks, Tick{Seconds: 1e-3, Joules: []float64{20e-3}, Entries: []Entry{{Row: 0, Seconds: 1e-3}, {Row: row, Seconds: 1e-3}}})
		}
		return ticks
	}
	for row, want := range map[uint32]bool{1: true, 2: false} {
		m := New(1, 3)
		m.SetOthers(2)
		for _, tick := range beside(row) {
			m.Add(tick)
		}
		if got := m.together(); got != want {
			t.Errorf("threads run at once beside row %d: %t, want %t", row, got, want)
		}
		b := newBend(Terms{CoRunning: 1}, reference{}, 2, 2, 3)
		loses := b.apply(beside(row)[0]).Entries[0].Seconds < 1e-3
		if loses != want {
			t.Errorf("a thread loses beside row %d: %t, want %t", row, loses, want)
		}
	}
}

// Where running times are late themselves, or threads never ran at once, a late counter or co-running is not even tried.
func TestTermsThatTicksMayTell(t *testing.T) {
	for _, may := range []tellable{{}, {coRunning: true}, {late: true}, {frequency: true}} {
		var seen tellable
		for _, terms := range (Terms{}).more(may) {
			seen.coRunning = seen.coRunning || terms.CoRunning != 0
			seen.late = seen.late || terms.Late != 0
			seen.frequency = seen.frequency || terms.Frequency != 0
		}
		if seen != may {
			t.Errorf("of %+v there are tried %+v", may, seen)
		}
	}
}

// Why: errors of all other times were taken for the power of processes that hardly run, up to 45 W. A row of which it is hardly known
// when it ran stays near the mean of rows.
func TestARowNearTheMean(t *testing.T) {
	fit := func(near float64) float64 {
		m := New(1, 3)
		m.SetRest(0, Rest{Watts: 9, SD: 0.01, Row: 2, Load: 0.1, Near: near})
		for i := range 2000 {
			// Others run as much as they did at rest, and 40 W more come with a fifth of that.
			ran := 1e-4 * (1 + 0.2*float64(i/64%2))
			joules := 8e-3 + 10e-3 + 10*1e-4 + 40*(ran-1e-4)
			m.Add(Tick{Seconds: 1e-3, Joules: []float64{joules}, Entries: []Entry{{Row: uint32(i % 2), Seconds: 1e-3}, {Row: 2, Seconds: ran}}})
		}
		return m.Fit().Watts(2, 0).Watts
	}
	if free, near := fit(0), fit(0.01); free < 15 || near > 12 || near < 8 {
		t.Errorf("the row draws %.1f W, and %.1f W near the mean of 10 W", free, near)
	}
}

// Why: on a machine where a thread draws much less beside another one, other processes were taken to draw what a thread of the program
// draws alone, so the idle power came out too low. They are near what the program's threads draw in the mean over the time that they ran.
func TestARowNearTheMeanOfThreadsBesideOthers(t *testing.T) {
	const ticks = 2000
	m := New(1, 3)
	m.SetProcessors(2)
	m.SetOthers(2)
	m.SetRest(0, Rest{Watts: 9, SD: 0.01, Row: 2, Load: 0.1, Near: 0.01})
	m.chosen = choice{ticks: ticks, terms: []Terms{{CoRunning: 1}}, likes: []reference{{}}}
	for i := range ticks {
		// Two threads draw 20 W alone, and 10 W each at once.
		entries := []Entry{{Row: 0, Seconds: 1e-3}, {Row: 2, Seconds: 1e-4}}
		if i/64%2 == 1 {
			entries = append(entries, Entry{Row: 1, Seconds: 1e-3})
		}
		m.Add(Tick{Seconds: 1e-3, Joules: []float64{8e-3 + 20e-3 + 10*1e-4}, Entries: entries})
	}
	f := m.Fit()
	if mean := f.Mean(0); mean < 12 || mean > 15 {
		t.Errorf("a thread draws %.1f W in the mean, want 12 to 15: 20 W for a third of the running time, and 10 W for the rest", mean)
	}
	if others := f.Watts(2, 0).Watts; math.Abs(others/f.Mean(0)-1) > 0.03 {
		t.Errorf("the others draw %.1f W, and the program's threads %.1f W", others, f.Mean(0))
	}
}
