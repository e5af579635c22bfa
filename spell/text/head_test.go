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

// Why: the last line of a page named a command that does not exist, as advise has no flag for a comparison or for the page.
func TestAdvising(t *testing.T) {
	for command, want := range map[string]string{
		"spell-lsp report --full":                                  "spell-lsp advise",
		`spell-lsp report --full --compare 'it'\''s' x`:            "spell-lsp advise x",
		"spell-lsp report --full --compare before":                 "spell-lsp advise",
		"spell-lsp report --full --compare 'the one' x":            "spell-lsp advise x",
		"spell-lsp report --full --sort=time --weights='a b' -C d": "spell-lsp advise -C d",
		"spell-lsp report --full --include-failed=true run":        "spell-lsp advise --include-failed=true run",
	} {
		if got := advising(command); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
