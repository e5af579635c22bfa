package comparison

import (
	"spell-lsp/spell/note"
	"spell-lsp/spell/wording"
)

// say sets the texts of the JSON form, which are those of the facts for the command line.
// Whoever shows a comparison writes the facts for its readers.
func (c *Comparison) say() {
	c.Caveats, c.Warnings = []string{}, []string{}
	for _, n := range c.CaveatNotes {
		c.Caveats = append(c.Caveats, wording.CommandLine.Sentence(n))
	}
	for _, n := range c.Notes {
		c.Warnings = append(c.Warnings, wording.CommandLine.Sentence(n))
	}
	texts := make(map[*note.Note]string) // there are few notes for many quantities
	say := func(n *note.Note) string {
		if n == nil {
			return ""
		}
		text, ok := texts[n]
		if !ok {
			text = wording.Text(*n)
			texts[n] = text
		}
		return text
	}
	quantities := []*Quantity{&c.Total.EnergyJ, &c.Total.TimeMS}
	for i := range c.Tests {
		quantities = append(quantities, &c.Tests[i].EnergyJ, &c.Tests[i].TimeMS)
	}
	for i := range c.Components {
		k := &c.Components[i]
		quantities = append(quantities, &k.EnergyJ, &k.TimeMS)
		k.Note = say(k.BodyNote)
	}
	for _, q := range quantities {
		q.Reason = say(q.Why)
	}
}
