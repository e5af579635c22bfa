package text

import (
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Why: the counter of a virtual machine looks like one of a real machine by its name. The head must
// say that it is an estimate, and which.
func TestHostsShareIsNamed(t *testing.T) {
	m := record.Meter{Name: "rapl", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}, ResolutionMS: 1000, Notes: []note.Note{note.HostsShare()}}
	if got, want := meter(m), "rapl: ESTIMATED, the host's share; cpu, a reading every 1000 ms"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
