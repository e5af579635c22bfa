package validate

import (
	"fmt"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// pin makes all further measurements use this meter. A measurement whose meter is chosen for it may begin
// again with another one.
func (s *session) pin(m *record.Meter) { s.pinned, s.Meter = m, m.Name }

// sameMeter returns an *otherMeterError if a measurement did not use the pinned meter.
func (s *session) sameMeter(m *record.Meter) error {
	if first := s.pinned; first != nil && (m.Name != first.Name || m.Source != first.Source || !slices.Equal(m.Domains, first.Domains)) {
		return &otherMeterError{first, m}
	}
	return nil
}

// An otherMeterError says that two measurements did not use the same meter, so nothing can be compared.
type otherMeterError struct{ first, now *record.Meter }

func (e *otherMeterError) Error() string {
	words := func(m *record.Meter) string {
		return fmt.Sprintf("%s (%s: %s)", m.Name, m.Source, spell.DomainWords(m.Domains))
	}
	return fmt.Sprintf("The first measurement read the meter %s, a later one %s: their energies cannot be compared.", words(e.first), words(e.now))
}
