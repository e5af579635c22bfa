package text

import "spell-lsp/spell/record"

// Words are the sentences of a page beside its tables, for pages of other formats.
type Words struct {
	Facts []Fact `json:"facts"`
	// Localization says how well the tests tell components apart: a sentence, and the groups
	// of components that they cannot tell apart.
	Localization []string `json:"localization"`
	Remarks      []string `json:"remarks"` // sentences
	Warnings     []string `json:"warnings"`
}

// WordsOf returns the words of a run that was analysed.
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
