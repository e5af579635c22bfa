package probe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Samples with callers are taken in order while the program runs; one that is not whole is waited for
// once: its process was killed.
func TestCallers(t *testing.T) {
	f, at := written(t, left{}), layout{rows: 2 + specials}
	record := func(n int, number, rows, thread, instant uint64) {
		write(t, f, at.callers()+2*pageSize+n*callerSize, words(number, rows, thread, instant))
	}
	record(0, 1, 1, 7, 10)
	record(2, 3, 2|1<<32, 8, 30)
	write(t, f, at.callers(), words(3))
	var got []CallerSeen
	take := func(s CallerSeen) { got = append(got, s) }
	f.Callers(take)
	if diff := cmp.Diff([]CallerSeen{{Row: 1, Thread: 7, AtNS: 10}}, got); diff != "" {
		t.Errorf("up to the record that is not whole (-want +got):\n%s", diff)
	}
	f.Callers(take)
	f.Callers(take)
	if diff := cmp.Diff([]CallerSeen{{Row: 1, Thread: 7, AtNS: 10}, {Row: 2, Caller: 1, Thread: 8, AtNS: 30}}, got); diff != "" {
		t.Errorf("at last (-want +got):\n%s", diff)
	}
}

// What is no sample ends it, and the file is refused.
func TestCallersRefuseADestroyedRing(t *testing.T) {
	at := layout{rows: 2 + specials}
	for name, test := range map[string]struct {
		head, record []byte
		want         string
	}{
		"more than there is room for": {words(callerRecords + 1), nil, "samples were written"},
		"a row that is no component":  {words(1), words(1, 3), "row 3 of 2"},
		"a caller that is none":       {words(1), words(1, 1|3<<32), "called by row 3"},
	} {
		f := written(t, left{})
		write(t, f, at.callers(), test.head)
		write(t, f, at.callers()+2*pageSize, test.record)
		f.Callers(func(s CallerSeen) { t.Errorf("%s: %+v was taken", name, s) })
		if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, test.want)
		}
	}
}
