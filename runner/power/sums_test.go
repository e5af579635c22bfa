package power

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// If a run is longer than the backlog, further ticks are added to sums. A fit does not
// change the sums, and a function that begins to run only then gets a term of its own.
func TestLongRun(t *testing.T) {
	const ticks = 2 * backlogTicks
	m := New(1, 5)
	m.SetIdle(0, 8, 0.1)
	r := rand.New(rand.NewPCG(1, 1))
	add := func(from, to int) {
		for i := from; i < to; i++ {
			a, other, watts := r.Float64()*1e-3, uint32(1), 22.0
			if i > ticks*3/4 {
				other, watts = 2, 14
			}
			m.Add(Tick{Seconds: 1e-3, Joules: []float64{(8e-3 + 6*a + watts*(1e-3-a)) * (1 + 0.05*r.NormFloat64())}, Entries: []Entry{{0, a}, {other, 1e-3 - a}}})
		}
	}
	add(0, ticks-5)
	if m.parts == nil || len(m.first.seconds) > 0 {
		t.Fatal("all ticks are in the backlog")
	}
	early := m.Fit()
	if diff := cmp.Diff(early.domains, m.Fit().domains, cmp.AllowUnexported(fitted{}, solution{}, normal{})); diff != "" {
		t.Errorf("a second fit differs (-first +second):\n%s", diff)
	}
	add(ticks-5, ticks)
	f := m.Fit()
	if used, left := f.Ticks(); used != ticks || left != 0 {
		t.Errorf("%d used, %d left out, want %d and 0", used, left, ticks)
	}
	for row, want := range []float64{6, 22, 14} {
		if e := f.Watts(uint32(row), 0); !e.Own || errorOf(e.Watts, want) > 0.02 {
			t.Errorf("row %d: %+v, want %g W of its own", row, e, want)
		}
	}
}

// If no term is free, a row that ran more gets the term of the row that ran least. The past
// of that row then belongs to restTerm, as if it had been there from the start.
func TestTermsGoToTheRowsThatRanMost(t *testing.T) {
	const rows, some = 1350, 450
	rowOf := func(phase, i int) uint32 { return uint32(phase*some + i%some) }
	s := newSums(1, 1e-3, nil, rows)
	direct := newSums(1, 1e-3, nil, rows)
	occ := make([]float64, rows)
	for phase, times := range []int{10, 20, 60} {
		for i := range some * times {
			row := rowOf(phase, i)
			tick := &Tick{Seconds: 1e-3, Joules: []float64{0.02}, Entries: []Entry{{row, 1e-3}}}
			occ[row] += 1e-3
			s.add(tick, occ)
			direct.add(tick, nil)
		}
	}
	if len(s.rows) != maxRows {
		t.Fatalf("%d terms, want all %d", len(s.rows), maxRows)
	}
	for i, row := range s.rows {
		if s.term[row] != int32(firstRow+i) {
			t.Errorf("term %d belongs to row %d, but that row has term %d", firstRow+i, row, s.term[row])
		}
	}
	late := 0
	for i := range some {
		if s.term[rowOf(2, i)] != restTerm {
			late++
		}
	}
	if late != some {
		t.Errorf("only %d of the %d rows that ran most have terms", late, some)
	}
	s.flush()
	direct.flush()
	want, got := direct.haar(), s.haar()
	for i := range want { // the sum over all terms equals the term that holds everything
		sum, all := 0.0, want[i].xx.At(restTerm, restTerm)
		for a := restTerm; a < s.terms(); a++ {
			for b := restTerm; b < s.terms(); b++ {
				sum += got[i].xx.At(a, b)
			}
		}
		if math.Abs(sum-all) > 1e-9*want[len(want)-1].n*1e-6 {
			t.Errorf("scale %d: products add up to %g, want %g", i, sum, all)
		}
		if diff := cmp.Diff(want[i].yy, got[i].yy); diff != "" || want[i].n != got[i].n {
			t.Errorf("scale %d: %g and %g coefficients, squares (-want +got):\n%s", i, want[i].n, got[i].n, diff)
		}
	}
}

// Products are divided among scales without loss: the sum over scales is the product over
// all ticks, including incomplete blocks.
func TestScalesAddUp(t *testing.T) {
	for n := range 40 {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		s := newSums(1, 1e-3, []uint32{0, 1}, 2)
		square, yy := 0.0, 0.0
		for range n {
			x, y := r.Float64(), r.Float64()
			s.add(&Tick{Seconds: 1e-3, Joules: []float64{y}, Entries: []Entry{{1, x}}}, nil)
			square += x * y
			yy += y * y
		}
		s.flush()
		gotSquare, gotYY, coefficients := 0.0, 0.0, 0.0
		for _, c := range s.haar() {
			gotSquare += c.xy[0][firstRow+1]
			gotYY += c.yy[0]
			coefficients += c.n
		}
		if diff := cmp.Diff([]float64{square, yy, float64(n)}, []float64{gotSquare, gotYY, coefficients}, cmpopts.EquateApprox(1e-12, 1e-15)); diff != "" {
			t.Errorf("%d ticks (-want +got):\n%s", n, diff)
		}
	}
}
