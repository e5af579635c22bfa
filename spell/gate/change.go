package gate

import (
	"fmt"
	"strconv"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/suggestion"
)

// rounding keeps a change that is the limit itself within it.
const rounding = 1e-9

// change checks a limit of what became of BASE.
func (k *checker) change(r Rule) error {
	if r.Quantity == Energy && len(k.c.Domains) == 0 {
		return fmt.Errorf("the energies of BASE and HEAD are not compared: measure both with the same --meter")
	}
	subject, changed, n, psi := "HEAD", &k.c.Total.Change, k.c.Total.N, comparison.Amount{}
	component, apart := "", false
	if r.Component != "" {
		both, found, err := k.find(r)
		if err != nil || !found {
			return err
		}
		component, subject, changed, n, psi, apart = both.ID, both.ID, &both.Change, both.N, both.Psi, both.PsiApart
	}
	switch r.Quantity {
	case Energy:
		k.quantity(r, component, subject+" uses", "energy", &changed.EnergyJ)
	case Time:
		k.quantity(r, component, subject+" uses", "running time", &changed.TimeMS)
	case N:
		if beyond(n, r.Limit) {
			k.broken(r, component, "%s makes %s executions, %s.", subject, count(n.Head), change(n))
		}
	default:
		switch {
		case !beyond(psi, r.Limit):
		case apart:
			k.broken(r, component, "the psi of %s is %s.", subject, change(psi))
		default:
			k.remark(r, "the psi of %s is %s, but its intervals in the two runs overlap or are not known", subject, change(psi))
		}
	}
	return nil
}

func count(n float64) string { return strconv.FormatFloat(n, 'g', 6, 64) }

func (k *checker) quantity(r Rule, component, uses, what string, q *comparison.Quantity) {
	switch {
	case q.Verdict == comparison.Undecided && (beyond(q.Amount, r.Limit) || q.Change == nil):
		k.remark(r, "%s %s, but that is not decided: %s", uses, change(q.Amount, what), q.Reason)
	case !beyond(q.Amount, r.Limit):
	case q.Verdict == comparison.Worse:
		k.broken(r, component, "%s %s%s.", uses, change(q.Amount, what), probability(q))
	default:
		k.remark(r, "%s %s, but that is not significant (%s)", uses, change(q.Amount, what), why(q))
	}
}

// beyond tells whether a change is greater than the limit. What was nothing before
// has grown beyond any.
func beyond(a comparison.Amount, limit float64) bool {
	if a.Change == nil {
		return a.Head > a.Base
	}
	return *a.Change > limit+rounding
}

// change is told in words, of energy or something else, or of nothing named.
func change(a comparison.Amount, what ...string) string {
	of := strings.Join(append(what, "than BASE"), " ")
	switch {
	case a.Change == nil && a.Base == 0:
		return "some " + strings.Join(append(what, "where BASE has none"), " ")
	case a.Change == nil:
		return "out of all proportion more " + of
	case *a.Change < 0:
		return percent(-*a.Change) + " less " + of
	}
	return percent(*a.Change) + " more " + of
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 3, 64) + " %" }

func probability(q *comparison.Quantity) string {
	if q.PCorrected == nil {
		return ""
	}
	return fmt.Sprintf(" (p %.2g)", *q.PCorrected)
}

func why(q *comparison.Quantity) string {
	switch {
	case q.Reason != "":
		return q.Reason
	case q.PCorrected != nil:
		return fmt.Sprintf("p %.2g", *q.PCorrected)
	}
	return string(q.Verdict)
}

// find looks for a component by the name that it has in HEAD, or had in BASE. One
// that only one run has keeps any limit of a change: found is false.
func (k *checker) find(r Rule) (both *comparison.Component, found bool, err error) {
	i, err := k.head.Find(r.Component)
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

// findInBase keeps the error if BASE does not know the name either.
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
