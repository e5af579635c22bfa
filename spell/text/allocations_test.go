package text_test

import (
	"bytes"
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/text"
)

// Why: the collector's energy is nobody's, so the page must say who makes it work.
func TestAllocationsOfAFunction(t *testing.T) {
	page := func(o text.Options) string {
		r := lined(t, sieve)
		r.Tests[0].AllocBytes, r.Tests[0].EnergyJ, r.Tests[0].UnattributedJ = 400e6, record.Energy{spell.CPU: 20}, record.Energy{spell.CPU: 9}
		r.Tests[0].Unattributed = map[record.Part]record.Unattributed{record.Collector: {TimeMS: 30, EnergyJ: record.Energy{spell.CPU: 9}}}
		for i := range r.Components {
			if c := &r.Components[i]; c.ID == "sieve.primes" {
				c.AllocBytes, c.AllocObjects, c.CausedMS, c.CausedJ = 300e6, 1.2e6, 22.5, record.Energy{spell.CPU: 6.75}
			}
		}
		var b bytes.Buffer
		if err := text.Write(&b, r, o); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	const of = "primes allocates 75.0 % of the bytes: est. 6.75 J of collecting. These are 300 MB a round in 1,200,000 objects, by samples."
	if got := page(text.Options{Within: "primes"}); !strings.Contains(got, of) {
		t.Errorf("the page about a function does not say %q:\n%s", of, got)
	}
	const all = "Collecting garbage, est. 9.00 J per round, is caused by who allocates: primes 75.0 %, by their bytes. It is in none of their figures."
	if got := page(text.Options{Full: true}); !strings.Contains(got, all) {
		t.Errorf("the page of the run does not say %q:\n%s", all, got)
	}
}
