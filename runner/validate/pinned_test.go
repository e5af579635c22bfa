package validate

import (
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Why: with the meter auto, a measurement whose counter fails begins again with the next meter that works, the
// model at last, and its estimate would be compared with the counter.
func TestPinnedMeter(t *testing.T) {
	measured := func(name string, domains ...spell.Domain) *record.Meter {
		return &record.Meter{Name: name, Source: record.Measured, Domains: domains}
	}
	s := &session{Params: Params{Meter: "auto"}}
	if err := s.sameMeter(measured("rapl", spell.CPU)); err != nil {
		t.Errorf("the first look: %v", err)
	}
	s.pin(measured("rapl", spell.CPU, spell.DRAM))
	if s.Meter != "rapl" {
		t.Errorf("later measurements ask for %q, want rapl", s.Meter)
	}
	if err := s.sameMeter(measured("rapl", spell.CPU, spell.DRAM)); err != nil {
		t.Error(err)
	}
	estimated := &record.Meter{Name: "rapl", Source: record.Estimated, Domains: []spell.Domain{spell.CPU, spell.DRAM}}
	for _, other := range []*record.Meter{measured("perf", spell.CPU, spell.DRAM), measured("rapl", spell.CPU), estimated} {
		if err := s.sameMeter(other); err == nil || !strings.Contains(err.Error(), "cannot be compared") {
			t.Errorf("%+v passes for the counter of the first look: %v", other, err)
		}
	}
}
