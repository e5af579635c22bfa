package gate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/suggestion"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// rounding keeps a change equal to the limit from breaking the rule.
const rounding = 1e-9

// A subject is what a rule limits: the program or a component.
type subject struct {
	name      string // in a sentence
	component string // its ID; "" = the program
	*comparison.Change
	n, psi comparison.Amount
	apart  bool // the intervals of psi do not overlap
}

// change checks a limit of a change since BASE.
func (k *checker) change(r Rule) error {
	domains := k.c.Domains
	if r.Component != "" {
		domains = k.c.ComponentDomains
	}
	if r.Quantity == Energy && len(domains) == 0 {
		return errors.New("the energies of BASE and HEAD are not compared: measure both with the same --meter")
	}
	if r.Component == Each {
		return k.changes(r)
	}
	total := &k.c.Total
	of := subject{name: "HEAD", Change: &total.Change, n: total.N}
	if r.Component != "" {
		both, found, err := k.find(r)
		if err != nil || !found {
			return err
		}
		if both.Restricted && both.N.None() && both.TimeMS.None() {
			return fmt.Errorf("%s ran in no test that counts in both runs: its tests must pass in BASE and in HEAD", both.ID)
		}
		of = subjectOf(both)
	}
	return k.hold(r, of)
}

// hold checks the change of one subject.
func (k *checker) hold(r Rule, of subject) error {
	switch r.Quantity {
	case Energy:
		return k.energy(r, of)
	case Time:
		return k.quantity(r, of, "running time", timeOf)
	case N:
		if beyond(of.n, r.Limit) {
			k.broken(r, of.component, "%s makes %s executions, %s.", of.name, units.Count(of.n.Head), than(of.n, ""))
		}
	default:
		k.psi(r, of)
	}
	return nil
}

// changes checks the change of each component. One remark counts the components that are
// beyond the limit without breaking the rule; the comparison has the details.
func (k *checker) changes(r Rule) error {
	remarks, beyond := k.report.Remarks, 0
	for i := range k.c.Components {
		broken := len(k.report.Violations)
		if err := k.hold(r, subjectOf(&k.c.Components[i])); err != nil {
			return err
		}
		if len(k.report.Remarks) > len(remarks) && len(k.report.Violations) == broken {
			beyond++
		}
		k.report.Remarks = remarks
	}
	if r.Quantity == Energy {
		k.otherDomains(r)
	}
	if beyond > 0 {
		k.remark(r, "%s beyond the limit, but by changes that are not decided or not significant", units.Plural(beyond, "other component")+" "+isAre(beyond))
	}
	return nil
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func subjectOf(c *comparison.Component) subject {
	return subject{c.ID, c.ID, &c.Change, c.N, c.Psi, c.PsiApart}
}

// energy checks the energy of a subject. If the rule holds, remarks name the energy that it
// does not cover.
func (k *checker) energy(r Rule, of subject) error {
	broken := len(k.report.Violations)
	if err := k.quantity(r, of, "energy"+estimated(k.head), energyOf); err != nil || len(k.report.Violations) > broken {
		return err
	}
	if r.Component != Each {
		k.otherDomains(r)
	}
	return nil
}

// otherDomains adds remarks on the energy that a rule does not cover.
func (k *checker) otherDomains(r Rule) {
	only := slices.DeleteFunc(slices.Clone(k.c.Domains), func(d spell.Domain) bool { return slices.Contains(k.c.ComponentDomains, d) })
	if r.Component != "" && len(only) > 0 {
		k.remark(r, "the energy of %s is compared by test and in total only", spell.DomainWords(only))
	}
	for _, alone := range k.c.DomainsOnly.Notes() {
		k.remark(r, "%s", wording.Text(alone))
	}
}

func (k *checker) psi(r Rule, of subject) {
	switch {
	case !beyond(of.psi, r.Limit):
	case of.apart:
		k.broken(r, of.component, "the psi of %s is %s, %s.", of.name, units.Similarity(of.psi.Head), than(of.psi, ""))
	default:
		k.remark(r, "the psi of %s is %s, %s, but its intervals in the two runs overlap or are not known", of.name, units.Similarity(of.psi.Head), than(of.psi, ""))
	}
}

// than writes a change in words.
func than(a comparison.Amount, what string) string {
	return rendering.Than(a, what, wording.CommandLine.Base)
}

// A quantityOf selects a quantity of a change.
type quantityOf func(c *comparison.Change) *comparison.Quantity

func energyOf(c *comparison.Change) *comparison.Quantity { return &c.EnergyJ }
func timeOf(c *comparison.Change) *comparison.Quantity   { return &c.TimeMS }

// quantity checks the change of a quantity, which what names in a sentence. It is an error if
// the quantity of the program was not compared.
func (k *checker) quantity(r Rule, of subject, what string, take quantityOf) error {
	q := take(of.Change)
	uses := of.name + " uses " + than(q.Amount, what)
	switch {
	case q.Verdict == comparison.Undecided && q.None() && of.component == "":
		return fmt.Errorf("neither run uses any %s that was compared: %s", what, why(q))
	case q.Verdict == comparison.Undecided && of.component == "" && !beyond(q.Amount, r.Limit):
		k.remark(r, "%s, and whether that is a change is not decided: %s", uses, why(q))
	case !beyond(q.Amount, r.Limit):
	case q.Verdict == comparison.Undecided:
		k.remark(r, "%s, but that is not decided: %s", uses, why(q))
	case q.Verdict == comparison.Worse:
		k.broken(r, of.component, "%s%s.%s", uses, probability(q), k.dearest(of, what, take))
	default:
		k.remark(r, "%s, but that is not significant (%s)", uses, why(q))
	}
	return nil
}

// maxNamed is the number of components that a violation by the program names.
const maxNamed = 3

// dearest names the components that got significantly worse, the largest growth first: where
// to look if the program got worse.
func (k *checker) dearest(of subject, what string, take quantityOf) string {
	if of.component != "" {
		return ""
	}
	var worse []*comparison.Component
	grown := func(c *comparison.Component) comparison.Amount { return take(&c.Change).Amount }
	for i := range k.c.Components {
		if c := &k.c.Components[i]; take(&c.Change).Verdict == comparison.Worse {
			worse = append(worse, c)
		}
	}
	slices.SortStableFunc(worse, func(a, b *comparison.Component) int {
		x, y := grown(a), grown(b)
		return cmp.Compare(y.Head-y.Base, x.Head-x.Base)
	})
	var parts []string
	for _, c := range worse[:min(len(worse), maxNamed)] {
		parts = append(parts, c.ID+" uses "+than(grown(c), what))
	}
	if len(parts) == 0 {
		return ""
	}
	return " Significantly: " + strings.Join(parts, "; ") + "."
}

// beyond tells whether a change is larger than the limit. Any value is beyond it if the base
// is 0.
func beyond(a comparison.Amount, limit float64) bool {
	if a.Change == nil {
		return a.Head > a.Base
	}
	return *a.Change > limit+rounding
}

func probability(q *comparison.Quantity) string {
	if q.PCorrected == nil {
		return ""
	}
	return " (p " + units.Probability(*q.PCorrected) + ")"
}

func why(q *comparison.Quantity) string {
	switch {
	case q.Why != nil:
		return wording.Text(*q.Why)
	case q.PCorrected != nil:
		return "p " + units.Probability(*q.PCorrected)
	}
	return string(q.Verdict)
}

// find returns the component with a name in HEAD, or else in BASE. found is false for a
// component of only one run, which breaks no rule about a change.
func (k *checker) find(r Rule) (both *comparison.Component, found bool, err error) {
	i, err := grouping.Find(k.head, r.Component)
	if err != nil {
		return k.findInBase(r, err)
	}
	id := k.head.Components[i].ID
	for i := range k.c.Components {
		if k.c.Components[i].ID == id {
			return &k.c.Components[i], true, nil
		}
	}
	k.remark(r, "%s is new in HEAD", id)
	return nil, false, nil
}

// findInBase returns the error notInHead if BASE does not have the name either.
func (k *checker) findInBase(r Rule, notInHead error) (*comparison.Component, bool, error) {
	var ids []string
	for _, o := range k.c.Removed {
		ids = append(ids, o.ID)
	}
	gone := len(ids)
	var renamed []int
	for i := range k.c.Components {
		if c := &k.c.Components[i]; c.BaseID != "" {
			ids, renamed = append(ids, c.BaseID), append(renamed, i)
		}
	}
	at, _ := suggestion.Match(r.Component, ids, 0)
	switch {
	case len(at) != 1:
		return nil, false, notInHead
	case at[0] < gone:
		k.remark(r, "%s is not in HEAD any more", ids[at[0]])
		return nil, false, nil
	}
	return &k.c.Components[renamed[at[0]-gone]], true, nil
}
