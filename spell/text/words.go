package text

import "spell-lsp/spell/record"

// Words are what a page says of a run beside its tables, for pages of other forms.
type Words struct {
	Facts []Fact `json:"facts"`
	// Localization says how well the tests tell the components apart: a sentence, and
	// groups of which they cannot.
	Localization []string `json:"localization"`
	Remarks      []string `json:"remarks"` // sentences
	Warnings     []string `json:"warnings"`
}

// WordsOf are those of a run that was analysed.
func WordsOf(r *record.Run, o Options) Words {
	p := newSheet(r, o)
	w := Words{Facts: p.facts(), Localization: p.localization(), Warnings: p.warnings()}
	for _, remark := range []string{p.unattributed(), p.probes()} {
		if remark != "" {
			w.Remarks = append(w.Remarks, remark)
		}
	}
	return w
}
