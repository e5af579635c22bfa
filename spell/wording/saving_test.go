package wording_test

import (
	"testing"

	"spell-lsp/spell/wording"
)

func TestSaving(t *testing.T) {
	s := wording.Saving{Function: "Sort", KnowsEnergy: true, Estimated: true, PartJ: 1.2, WholeJ: 1.7, PartMS: 120, WholeMS: 170}
	if got, want := s.String(), "at most an estimated 1.20 J of the 1.70 J that Sort uses in a round"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Estimated = false
	if got, want := s.String(), "at most 1.20 J of the 1.70 J that Sort uses in a round"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.KnowsEnergy = false
	if got, want := s.String(), "at most 120 ms of the 170 ms that Sort uses in a round"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
