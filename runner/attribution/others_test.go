package attribution

import (
	"math"
	"testing"
)

// The kernel counts CPU time in hundredths of a second. Within these, other processes get the time
// in which the program left a processor free.
func TestOtherProcessesGetFreeProcessors(t *testing.T) {
	k := ticking(2, 1, 2, 1).line
	k.busy = []int64{0, 0, 0, 0, 8 * ms}
	got := k.others(0, 5)
	for i, want := range []float64{0, 0, 1, 0, 1} {
		if math.Abs(got[i]*1e3-want) > 1e-6 {
			t.Fatalf("other processes had %v s, want 1 ms in the second and fourth tick", got)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		name                  string
		sum                   float64
		lengths, limits, want []float64
	}{
		{"evenly", 2, []float64{1, 1, 2}, []float64{9, 9, 9}, []float64{0.5, 0.5, 1}},
		{"up to the limit", 2, []float64{1, 1, 1}, []float64{0.2, 9, 9}, []float64{0.2, 0.9, 0.9}},
		{"not more than the sum of the limits", 9, []float64{1, 1}, []float64{1, 2}, []float64{1, 2}},
		{"nothing", 0, []float64{1}, []float64{1}, []float64{0}},
	} {
		for i, got := range spread(test.sum, test.lengths, test.limits) {
			if math.Abs(got-test.want[i]) > 1e-9 {
				t.Errorf("%s: part %d is %g, want %v", test.name, i, got, test.want)
			}
		}
	}
}

// readings returns a timeline with a reading every 10 ms. program and busy are the CPU times of the
// program and of the whole machine, by tick, in ms.
func readings(program, busy []float64) Timeline {
	k := Timeline{domains: 1, cores: 1, published: []int64{0}, updated: []int64{0}, cpu: []int64{0}, busy: []int64{0}, own: []int64{0}, faulty: []bool{false}, joules: []float64{0}}
	for i := range program {
		t := int64(i+1) * 10 * ms
		k.published, k.updated = append(k.published, t), append(k.updated, t)
		k.cpu = append(k.cpu, k.cpu[i]+int64(program[i]*ms))
		k.busy = append(k.busy, k.busy[i]+int64(busy[i]*ms))
		k.own, k.faulty, k.joules = append(k.own, 0), append(k.faulty, false), append(k.joules, k.joules[i])
	}
	return k
}

// Child processes do not count as other processes.
func TestChildrenAreNotOtherProcesses(t *testing.T) {
	k := readings([]float64{1, 1, 1, 1}, []float64{10, 10, 10, 10})
	k.family = samples([2]float64{0, 0}, [2]float64{40, 32})
	var others float64
	for _, s := range k.others(0, 5) {
		others += s
	}
	if want := 0.040 - 0.004 - 0.032; math.Abs(others-want) > 1e-9 {
		t.Errorf("other processes ran for %v s, want %v", others, want)
	}
}
