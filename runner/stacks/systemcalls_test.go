package stacks

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Time in the kernel belongs to the nearest sample in a system call of the same thread, and
// all of the time to some sample.
func TestSystemCalls(t *testing.T) {
	const ms = int64(time.Millisecond)
	type sample struct {
		tid   int
		ns    int64
		calls bool
	}
	for name, tt := range map[string]struct {
		samples []sample
		want    []int64 // charged to each
	}{
		"none":                          {[]sample{{1, ms, false}, {1, ms, false}}, []int64{ms, ms}},
		"in the call itself":            {[]sample{{1, ms, false}, {1, 5 * ms, true}}, []int64{ms, 5 * ms}},
		"after the call":                {[]sample{{1, ms, true}, {1, 5 * ms, false}, {1, ms, false}}, []int64{5 * ms, ms, ms}},
		"before the next call":          {[]sample{{1, 3 * ms, false}, {1, ms, true}}, []int64{ms, 3 * ms}},
		"the call before is nearer":     {[]sample{{1, ms, true}, {1, 3 * ms, false}, {1, ms, false}, {1, ms, true}}, []int64{3 * ms, ms, ms, ms}},
		"the next call is nearer":       {[]sample{{1, ms, true}, {1, ms, false}, {1, ms, false}, {1, 3 * ms, false}, {1, ms, true}}, []int64{ms, ms, ms, ms, 3 * ms}},
		"another thread's":              {[]sample{{1, 3 * ms, false}, {2, ms, true}, {1, ms, false}}, []int64{3 * ms, ms, ms}},
		"no call is near":               {append([]sample{{1, 3 * ms, false}}, append(many(40, sample{1, ms, false}), sample{1, ms, true})...), append([]int64{3 * ms}, many(41, ms)...)},
		"short, before its thread ends": {[]sample{{1, ms / 2, false}}, []int64{ms / 2}},
	} {
		c := NewSystemCalls(time.Millisecond)
		var list []*Sample
		got := make(map[*Sample]int64)
		charge := func(s *Sample, ns int64) { got[s] += ns }
		for _, s := range tt.samples {
			list = append(list, &Sample{TID: s.tid, NS: s.ns})
			c.Add(list[len(list)-1], s.calls, charge)
		}
		c.Finish(charge)
		var charged []int64
		for _, s := range list {
			charged = append(charged, got[s])
		}
		if diff := cmp.Diff(tt.want, charged); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func many[T any](n int, v T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}
