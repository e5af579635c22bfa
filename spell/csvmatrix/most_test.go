package csvmatrix

import (
	"strings"
	"testing"
)

// An input that never ends has an error before the memory is full.
func TestTooManyCells(t *testing.T) {
	in := newReader(strings.NewReader("test,component,cpu_J,n,time_ms\na,c,1,1,1\nb,c,1,1,1\nd,c,1,1,1\n"), "x.csv")
	in.most = 2
	want := "x.csv:4:1: there are more than 2 cells; divide the tests among several files"
	if _, err := in.read(); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
}
