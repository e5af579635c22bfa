package sectionfile

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

// Zeros pack so well that the reader would take them for a bomb: they are stored
// as they are then.
func TestWhatPacksTooWellIsStored(t *testing.T) {
	s, err := Pack("zeros", 0, make([]byte, 10<<20))
	if err != nil {
		t.Fatal(err)
	}
	contents, err := s.Contents()
	if err != nil || len(contents) != 10<<20 {
		t.Errorf("%d bytes came back, error %v", len(contents), err)
	}
	s, err = Pack("digits", 0, bytes.Repeat([]byte("0123456789"), 500))
	if contents, same := s.Contents(); err != nil || same != nil || len(contents) != 5000 || len(s.Stored) > 200 {
		t.Errorf("5000 bytes became %d, and %d again", len(s.Stored), len(contents))
	}
}

// A length that makes a number overflow is not taken for a small one.
func TestSectionClaimsTooMuch(t *testing.T) {
	s := Plain("run", 0, []byte("{}"))
	good := s.frame()
	good = append(good, s.Stored...)
	for _, claim := range []uint64{3, 1 << 31, 1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64 - frameBytes, math.MaxUint64} {
		bad := bytes.Clone(good)
		le.PutUint64(bad[4:], claim)
		want := fmt.Sprintf("claims %d bytes behind a name of 3, the file has 5 from there on", claim)
		if _, _, err := parseSection(bad); err == nil || err.Error() != want {
			t.Errorf("%v, must be %s", err, want)
		}
	}
}
