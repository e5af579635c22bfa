package gate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/suggestion"
	"spell-lsp/spell/wording"
)

// rounding keeps a change equal to the limit from breaking the rule.
const rounding = 1e-9

// A subject is what a rule limits: the program or a component.
type subject struct {
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
	if r.Quantity == N && k.c.Total.N.None() {
		return errors.New("the calls of BASE were not counted, as its stacks were sampled: measure it with --mode instrument")
	}
	if r.Component == Each {
		return k.changes(r)
	}
	total := &k.c.Total
	of := subject{Change: &total.Change, n: total.N}
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
		return k.use(r, of, timeUse())
	case N:
		if beyond(of.n, r.Limit) {
			k.broken(r, of.component, note.MoreExecutions(of.component, of.n.Base, of.n.Head))
		}
	default:
		k.psi(r, of)
	}
	return nil
}

// changes checks the change of each component. If the rule holds, one remark counts the components that are
// beyond the limit without breaking it; the comparison has the details.
func (k *checker) changes(r Rule) error {
	remarks, beyond, before := k.report.Remarks, 0, len(k.report.Violations)
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
	if beyond > 0 && len(k.report.Violations) == before { // a rule that is broken does not hold
		k.remark(r, note.OthersBeyond(beyond))
	}
	return nil
}

func subjectOf(c *comparison.Component) subject {
	return subject{c.ID, &c.Change, c.N, c.Psi, c.PsiApart}
}

// energy checks the energy of a subject. If the rule holds, remarks name the energy that it
// does not cover.
func (k *checker) energy(r Rule, of subject) error {
	broken := len(k.report.Violations)
	if err := k.use(r, of, k.energyUse()); err != nil || len(k.report.Violations) > broken {
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
		k.remark(r, note.DomainsNotLimited(spell.DomainNames(only)))
	}
	for _, alone := range k.c.DomainsOnly.Notes() {
		k.remark(r, alone)
	}
}

func (k *checker) psi(r Rule, of subject) {
	switch {
	case !beyond(of.psi, r.Limit):
	case of.apart:
		k.broken(r, of.component, note.MorePsi(of.component, of.psi.Base, of.psi.Head))
	default:
		k.remark(r, note.PsiOverlaps(of.component, of.psi.Base, of.psi.Head))
	}
}

// A use is a quantity that gets a verdict: energy or time.
type use struct {
	what   string // in an error
	of     func(c *comparison.Change) *comparison.Quantity
	change func(base, head float64) note.Note
}

func (k *checker) energyUse() use {
	source := k.estimated()
	return use{wording.Energy(source), func(c *comparison.Change) *comparison.Quantity { return &c.EnergyJ },
		func(base, head float64) note.Note { return note.EnergyChange(base, head, source) }}
}

func timeUse() use {
	return use{"running time", func(c *comparison.Change) *comparison.Quantity { return &c.TimeMS }, note.TimeChange}
}

// uses says how the use of a component changed, or that of the program if it is "".
func (u use) uses(component string, c *comparison.Change) note.Note {
	q := u.of(c)
	return note.Uses(component, u.change(q.Base, q.Head))
}

// use checks the change of a use. It is an error if that of the program was not compared.
func (k *checker) use(r Rule, of subject, u use) error {
	q, uses := u.of(of.Change), u.uses(of.component, of.Change)
	switch {
	case q.Verdict == comparison.Undecided && q.None() && of.component == "":
		return fmt.Errorf("neither run uses any %s that was compared: %s", u.what, wording.Text(why(q)))
	case q.Verdict == comparison.Undecided && of.component == "" && !beyond(q.Amount, r.Limit):
		k.remark(r, note.ChangeUndecided(uses, why(q)))
	case !beyond(q.Amount, r.Limit):
	case q.Verdict == comparison.Undecided:
		k.remark(r, note.MoreUndecided(uses, why(q)))
	case q.Verdict == comparison.Worse:
		k.broken(r, of.component, note.UsesMore(uses, *q.PCorrected, k.dearest(of, u)))
	default:
		k.remark(r, note.MoreByChance(uses, why(q)))
	}
	return nil
}

// maxNamed is the number of components that a violation by the program names.
const maxNamed = 3

// dearest names the components that got significantly worse, the largest growth first: where
// to look if the program got worse.
func (k *checker) dearest(of subject, u use) []note.Note {
	list := []note.Note{}
	if of.component != "" {
		return list
	}
	var worse []*comparison.Component
	for i := range k.c.Components {
		if c := &k.c.Components[i]; u.of(&c.Change).Verdict == comparison.Worse {
			worse = append(worse, c)
		}
	}
	slices.SortStableFunc(worse, func(a, b *comparison.Component) int {
		x, y := u.of(&a.Change), u.of(&b.Change)
		return cmp.Compare(y.Head-y.Base, x.Head-x.Base)
	})
	for _, c := range worse[:min(len(worse), maxNamed)] {
		list = append(list, u.uses(c.ID, &c.Change))
	}
	return list
}

// beyond tells whether a change is larger than the limit. Any value is beyond it if the base
// is 0.
func beyond(a comparison.Amount, limit float64) bool {
	if a.Change == nil {
		return a.Head > a.Base
	}
	return *a.Change > limit+rounding
}

// why says why a verdict is neither better nor worse. A quantity without a reason was tested,
// so it has a p.
func why(q *comparison.Quantity) note.Note {
	if q.Why != nil {
		return *q.Why
	}
	return note.CorrectedP(*q.PCorrected)
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
	k.remark(r, note.NotInBase(id))
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
		k.remark(r, note.NotInHead(ids[at[0]]))
		return nil, false, nil
	}
	return &k.c.Components[renamed[at[0]-gone]], true, nil
}
