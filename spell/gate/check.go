package gate

import (
	"errors"
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
)

// Check checks HEAD, which must be analysed, against the rules. c compares it with BASE, and both are nil where there
// is no BASE. c is as [comparison.Compare] makes it: a verdict without a reason has a corrected p. The error
// says why a rule cannot be checked: it is about a change and c is nil, or no test counts in
// both runs; no test of HEAD counts; neither run has the component.
//
// A change breaks a rule if it is beyond the limit and its verdict is worse. Executions are
// exact, so any change beyond the limit breaks the rule; psi does if its intervals do not
// overlap.
//
// A component is newly red if it is red in HEAD and was not in BASE, both ranked by the tests
// that count in both, and got worse: one that is red only because others got cheaper is no
// leak. A component that BASE does not have is newly red if it is red in HEAD.
//
// A growth breaks a rule if the lower end of the 95 % interval of its exponent, or of the difference of the exponents,
// is beyond the limit.
func Check(rules []Rule, base, head *record.Run, c *comparison.Comparison) (*Report, error) {
	k := &checker{base: base, head: head, c: c, report: &Report{}}
	for _, r := range rules {
		if r.NeedsBase() && c == nil {
			return nil, fmt.Errorf("the rule %s is about a change: give a run to compare with", r)
		}
		if err := k.check(r); err != nil {
			return nil, fmt.Errorf("the rule %s: %w", r, err)
		}
	}
	return k.report, nil
}

type checker struct {
	base   *record.Run // nil = none
	head   *record.Run
	c      *comparison.Comparison
	report *Report
}

func (k *checker) broken(r Rule, component string, n note.Note) {
	k.report.Violations = append(k.report.Violations, Violation{r.Text, component, n})
}

func (k *checker) remark(r Rule, n note.Note) {
	k.report.Remarks = append(k.report.Remarks, Remark{r.Text, n})
}

func (k *checker) check(r Rule) error {
	if r.Quantity == Energy && !k.head.Meter.KnowsEnergy() {
		return errors.New("no energy is known of HEAD: measure with another --meter")
	}
	if r.Quantity == N && !k.head.CallsCounted() {
		return errors.New("the calls of HEAD were not counted, as its stacks were sampled: measure with --mode instrument")
	}
	switch {
	case !r.NeedsBase() && !k.anyCounts():
		return errors.New("no test of HEAD counts, as none passed: it was not checked")
	case r.NeedsBase() && len(k.c.Tests) == 0:
		return errors.New("nothing was compared, as no test counts in both BASE and HEAD: measure both with the same tests, and these must pass")
	case r.Quantity == Red:
		k.red(r)
	case r.Quantity == NewRed:
		k.newRed(r)
	case r.Quantity == Budget:
		return k.budgets(r)
	case r.Quantity == Growth:
		return k.growth(r)
	case r.Relative:
		return k.change(r)
	default:
		return k.value(r)
	}
	return nil
}

// anyCounts tells whether HEAD has a test that counts.
func (k *checker) anyCounts() bool {
	for i := range k.head.Tests {
		if k.counts(i) {
			return true
		}
	}
	return false
}

// partly adds remarks on the tests and domains that a rule which holds does not cover.
func (k *checker) partly(r Rule) {
	if only := k.head.TestOnly(); r.Quantity == Energy && len(only) > 0 {
		k.remark(r, note.DomainsNotCounted(spell.DomainNames(only)))
	}
	left := 0
	for i := range k.head.Tests {
		if k.head.Tests[i].LeftOut(k.includeFailed()) {
			left++
		}
	}
	if left > 0 {
		k.remark(r, note.FailedNotCounted(left))
	}
}

func (k *checker) red(r Rule) {
	before := len(k.report.Violations)
	defer func() {
		if len(k.report.Violations) == before {
			k.partly(r)
		}
	}()
	for i := range k.head.Components {
		if c := &k.head.Components[i]; c.Zone == spell.Red {
			k.broken(r, c.ID, note.Red(c.ID, c.Psi, c.Rank))
		}
	}
}

func (k *checker) newRed(r Rule) {
	at := make(map[string]*comparison.Component, len(k.c.Components))
	for i := range k.c.Components {
		at[k.c.Components[i].ID] = &k.c.Components[i]
	}
	for i := range k.head.Components { // in the order of their ranks
		c := &k.head.Components[i]
		switch both := at[c.ID]; {
		case both != nil && both.HeadZone == spell.Red:
			k.nowRed(r, both)
		case c.Zone != spell.Red:
		case both == nil:
			k.broken(r, c.ID, note.NewAndRed(c.ID, c.Psi))
		case both.BaseZone != spell.Red:
			k.remark(r, note.RedInOtherTests(c.ID))
		}
	}
}

// nowRed checks a component that is red in HEAD by the tests that count in both.
func (k *checker) nowRed(r Rule, c *comparison.Component) {
	decisive, was := k.decisive(), string(c.BaseZone)
	q := decisive.of(&c.Change)
	switch {
	case c.BaseZone == spell.Red:
	case q.Verdict == comparison.Worse:
		k.broken(r, c.ID, note.BecameRed(c.ID, was, c.Psi.Base, c.Psi.Head, decisive.change(q.Base, q.Head)))
	case q.Verdict == comparison.Undecided:
		k.remark(r, note.BecameRedUndecided(c.ID, was, why(q)))
	default:
		k.remark(r, note.BecameRedByOthers(c.ID, was, why(q)))
	}
}

// decisive is the use that decides whether a component got worse.
func (k *checker) decisive() use {
	if k.c.KnowsComponents() {
		return k.energyUse()
	}
	return timeUse()
}

// value checks a limit of HEAD alone.
func (k *checker) value(r Rule) error {
	if r.Quantity == Energy && len(k.head.Matrix.Domains) == 0 && len(k.head.Components) > 0 {
		return errors.New("the energy of HEAD is known by test only, and the rule is about that of components: measure with another --meter, or limit the change from a base")
	}
	switch r.Component {
	case "":
		return k.valueOf(r, -1)
	case Each:
		return k.values(r)
	}
	i, err := grouping.Find(k.head, r.Component)
	if err != nil {
		return err
	}
	return k.valueOf(r, i)
}

// values checks each component that ran in a test that counts.
func (k *checker) values(r Rule) error {
	broken := len(k.report.Violations)
	used := make([]amounts, len(k.head.Components))
	for i, cell := range k.head.Matrix.Cells {
		if k.counts(int(cell.Test)) {
			used[cell.Component].add(&cell, k.head.Matrix.TotalJ(i))
		}
	}
	for i := range used {
		used[i].psi = k.head.Components[i].Psi
		if used[i].of(r.Quantity) > r.Limit {
			k.beyond(r, i, used[i])
		}
	}
	if len(k.report.Violations) == broken {
		k.partly(r)
	}
	return nil
}

// valueOf checks the component with the index only, or the program if that is negative.
func (k *checker) valueOf(r Rule, only int) error {
	ran, counted := false, false
	var used amounts
	for i, cell := range k.head.Matrix.Cells {
		if only >= 0 && int(cell.Component) != only || cell.N == 0 && cell.TimeMS == 0 {
			continue
		}
		ran = true
		if k.counts(int(cell.Test)) {
			counted = true
			used.add(&cell, k.head.Matrix.TotalJ(i))
		}
	}
	if ran && !counted {
		return fmt.Errorf("%s ran in no test that counts, as these did not pass: it was not checked", k.name(only))
	}
	if only >= 0 {
		used.psi = k.head.Components[only].Psi
	}
	if used.of(r.Quantity) > r.Limit {
		k.beyond(r, only, used)
	} else {
		k.partly(r)
	}
	return nil
}

func (k *checker) name(component int) string {
	if component < 0 {
		return "HEAD"
	}
	return k.head.Components[component].ID
}

// amounts are sums over the tests that count.
type amounts struct{ n, ms, joules, psi float64 }

func (a *amounts) add(cell *spell.Cell, joules float64) {
	a.n, a.ms, a.joules = a.n+cell.N, a.ms+cell.TimeMS, a.joules+joules
}

func (a *amounts) of(q Quantity) float64 {
	return map[Quantity]float64{Energy: a.joules, Time: a.ms, N: a.n, Psi: a.psi}[q]
}

// beyond adds a violation by a component or the program.
func (k *checker) beyond(r Rule, only int, used amounts) {
	component := ""
	if only >= 0 {
		component = k.head.Components[only].ID
	}
	switch r.Quantity {
	case Energy:
		k.broken(r, component, note.EnergyBeyond(component, used.joules, k.estimated()))
	case Time:
		k.broken(r, component, note.TimeBeyond(component, used.ms))
	case N:
		k.broken(r, component, note.ExecutionsBeyond(component, used.n))
	default:
		k.broken(r, component, note.PsiBeyond(component, used.psi))
	}
}

func (k *checker) counts(test int) bool {
	return k.head.Tests[test].InAnalysis(k.includeFailed())
}

func (k *checker) includeFailed() bool {
	return k.head.Analysis != nil && k.head.Analysis.IncludeFailed
}

// estimated is the source of the energy of HEAD if that is estimated, else "".
func (k *checker) estimated() string {
	if source := k.head.Meter.Origin(); source == record.Estimated {
		return string(source)
	}
	return ""
}
