package power

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// drawTick fills a tick with entries: nine of ten belong to the first 600 rows, which
// therefore have terms of their own, the others to any row.
func drawTick(r *rand.Rand, t *Tick, entries, rows int) {
	t.Seconds, t.Entries = usualTick, t.Entries[:0]
	joules := 8 * usualTick
	for len(t.Entries) < entries {
		row := uint32(r.IntN(min(rows, 600)))
		if r.IntN(10) == 0 {
			row = uint32(r.IntN(rows))
		}
		s := usualTick / float64(entries)
		t.Entries = append(t.Entries, Entry{row, s})
		joules += s * float64(5+row%20)
	}
	for d := range t.Joules {
		t.Joules[d] = joules * (1 + 0.05*r.NormFloat64())
	}
}

// The cost of a tick after terms are chosen, in the worst case: successive ticks have
// no row in common.
func BenchmarkAdd(b *testing.B) {
	for _, entries := range []int{1, 5, 20, 50} {
		for _, rows := range []int{100, 100_000} {
			b.Run(fmt.Sprintf("entries=%d/rows=%d", entries, rows), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				m := New(2, rows)
				ticks := make([]Tick, 4096)
				for i := range ticks {
					ticks[i].Joules = make([]float64, 2)
					drawTick(r, &ticks[i], entries, rows)
				}
				for i := 0; m.parts == nil; i++ {
					m.Add(ticks[i%len(ticks)])
				}
				b.ReportMetric(float64(len(m.parts[0].sums.rows)), "terms")
				b.ResetTimer()
				for i := range b.N {
					m.Add(ticks[i%len(ticks)])
				}
			})
		}
	}
}

// An hour of ticks of 1 ms with 20 entries in 100,000 rows.
func BenchmarkHour(b *testing.B) {
	for range b.N {
		r := rand.New(rand.NewPCG(1, 1))
		m := New(2, 100_000)
		t := Tick{Joules: make([]float64, 2)}
		for range 3_600_000 {
			drawTick(r, &t, 20, 100_000)
			m.Add(t)
		}
		f := m.Fit()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		b.ReportMetric(float64(mem.Sys)/1e6, "MB")
		b.ReportMetric(float64(len(f.domains[0].watts)), "terms")
	}
}

// The fit itself, by the number of rows with terms of their own.
func BenchmarkFit(b *testing.B) {
	for _, rows := range []int{20, 100, 300, 900} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			m := New(1, rows)
			for range backlogTicks + 1 {
				t := Tick{Seconds: usualTick, Joules: []float64{0}}
				joules := 8 * usualTick
				for range 5 {
					row := uint32(r.IntN(rows))
					t.Entries = append(t.Entries, Entry{row, usualTick / 5})
					joules += usualTick / 5 * float64(5+row%20)
				}
				t.Joules[0] = joules * (1 + 0.05*r.NormFloat64())
				m.Add(t)
			}
			b.ReportMetric(float64(m.parts[0].sums.terms()), "terms")
			b.ResetTimer()
			for range b.N {
				m.Fit()
			}
		})
	}
}

// The choice of terms, by the number of rows and of rows in a tick.
func BenchmarkChoose(b *testing.B) {
	for _, rows := range []int{20, 900} {
		for _, entries := range []int{2, 20} {
			b.Run(fmt.Sprintf("rows=%d/entries=%d", rows, entries), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				m := New(1, rows)
				m.SetProcessors(8)
				t := Tick{Joules: make([]float64, 1)}
				for range mostTicks {
					drawTick(r, &t, entries, rows)
					m.Add(t)
				}
				for b.Loop() {
					m.choose(0, mostTicks)
				}
			})
		}
	}
}
