package text

import (
	"cmp"
	"strings"

	"spell-lsp/spell/footprint"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// Words are the sentences of a page beside its tables, for pages of other formats.
type Words struct {
	First First  `json:"first"`
	Facts []Fact `json:"facts"`
	// Localization says how well the tests tell components apart: a sentence, and the groups
	// of components that they cannot tell apart.
	Localization []string `json:"localization"`
	Remarks      []string `json:"remarks"` // sentences
	Warnings     []string `json:"warnings"`
}

// First is what the first screen says. Leaders are by rank.
type First struct {
	Headline    string   `json:"headline"`
	Totals      string   `json:"totals,omitempty"`
	Amount      string   `json:"amount"` // head of the column of amounts
	Leaders     []Leader `json:"leaders"`
	Shares      bool     `json:"shares"`          // of leaders are of one whole
	Order       string   `json:"order,omitempty"` // explains ranks that do not follow the shares
	FailedTitle string   `json:"failed_title,omitempty"`
	Failed      []string `json:"failed"`
	DoubtsTitle string   `json:"doubts_title"`
	Doubts      []string `json:"doubts"`
}

// A Leader is one of the first components.
type Leader struct {
	Rank   int     `json:"rank"`
	Share  float64 `json:"share"` // of all components, 0 to 1
	Amount string  `json:"amount"`
	Calls  string  `json:"calls,omitempty"` // "" where the amount has them
	Reason string  `json:"reason"`
	Lines  []Line  `json:"lines,omitempty"` // the costliest first
}

// A Line is a line of a component in which it spent a part of its own time.
type Line struct {
	Line   int     `json:"line"`
	Share  float64 `json:"share"` // of its own time, 0 to 1
	Amount string  `json:"amount"`
	In     string  `json:"in,omitempty"`     // callees without a probe
	Source string  `json:"source,omitempty"` // "" if it is not known as it was measured
}

// WordsOf returns the words of a run that was analysed. source may be nil.
func WordsOf(r *record.Run, rates footprint.Rates, source Source) Words {
	p := newSheet(r, Options{Rates: rates, Source: source})
	w := Words{First: p.firstWords(), Facts: p.facts(), Localization: p.localization(), Warnings: p.warnings()}
	if what := cmp.Or(strings.Join(p.notKept(mostBudgets), "; "), strings.TrimPrefix(p.allKept(), budgetTitle+" ")); what != "" {
		w.Facts = append(w.Facts, Fact{"budgets", what})
	}
	for _, remark := range []string{p.unattributed(), p.collecting(), p.probes()} {
		if remark != "" {
			w.Remarks = append(w.Remarks, remark)
		}
	}
	return w
}

func (p *sheet) firstWords() First {
	p.order, _ = p.sorted() // by rank: no options name anything that could be unknown
	p.summarize()
	f := First{
		Headline: wording.Headline(p.summary, p.component), Totals: wording.Totals(p.summary),
		Amount: p.amountHead(), Leaders: []Leader{}, Shares: !p.summary.Inclusive, Failed: []string{}, DoubtsTitle: doubtful, Doubts: p.doubts(),
	}
	if title, failed := p.failed(mostFailed); len(failed) > 0 {
		f.FailedTitle, f.Failed = title, failed
	}
	if p.summary.Leading.Count == 0 {
		return f
	}
	for _, item := range p.summary.Items {
		l := Leader{
			Rank: p.r.Components[item.Component].Rank, Share: item.Share, Amount: p.amount(item.Amount),
			Reason: p.reason(item.Component, wording.Reason(&item, p.component)),
		}
		if p.showsCalls() {
			l.Calls = units.Count(p.tallies[item.Component].N)
		}
		l.Lines = p.linesOf(item.Component)
		f.Leaders = append(f.Leaders, l)
	}
	f.Order = p.notByShare()
	return f
}
