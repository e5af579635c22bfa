// Package comparison compares two runs: what got better or worse from BASE to HEAD, in
// total, by component and by test, and whether the change is more than chance. It says so
// in verdicts and notes; package rendering writes them.
//
// A verdict, better or worse, needs all of these:
//
//   - The rounds differ significantly. Round i of BASE is paired with round i of HEAD, or
//     with the one of the same node where both runs have the same record.Run.Nodes;
//     Wilcoxon's signed-rank test of the pairs gives p, corrected by Holm's method within
//     a family. Components are one family, tests another, the total a third; energy and
//     time are separate families. Members use at least 0.5 % of the energy of one of the
//     runs (of the time, if no energy is known), because each member reduces the power of
//     the test for the others.
//   - The change is larger than the difference between two runs of the same code may be.
//     The rounds of a run share the state of the machine (frequency, other load, memory
//     layout), so enough rounds make any difference between two runs significant. A run
//     therefore counts as one observation with the spread of its rounds: a change must
//     exceed 1.96 standard deviations of the difference between two single rounds, which
//     95 of 100 pairs of rounds of the same code do not. The spread of a component is at
//     least the sampling error of its time, which all rounds share. A change must also be
//     at least Options.MinChange. Runs of different nodes differ by their nodes, too: the
//     change must be outside of the 95 % interval that these give (record.MeanError).
//   - The machine does not explain it. If the reference workload (record.Run.ReferenceMS)
//     took longer, or less long, in HEAD, a change in the same direction must be more than
//     twice as large. A quantity is not unchanged either if it would have changed at the
//     speed of the other machine state.
//   - The uncertainty of the fitted powers does not explain it (record.Component.Apart):
//     all rounds of a run use the same powers. The energy of all components together must
//     have changed in the same direction as the counter's readings for the tests, and
//     those must have changed significantly.
//
// Everything, psi, ranks and zones included, is over the tests that both runs have and
// that count in both analyses. A run with other tests is ranked again by these.
package comparison

import (
	"cmp"
	"math"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Schema names the version of the JSON form.
const Schema = "spell-lsp/comparison/v1"

// DefaultLevel is the usual level of significance.
const DefaultLevel = 0.05

// Options say how runs are compared. The zero value is the usual comparison.
type Options struct {
	IncludeFailed  bool    // tests that did not pass count, as they did in the analysis
	Level          float64 // of significance, 0 to 1; 0 = DefaultLevel
	MinChange      float64 // smaller relative changes are none, 0 to 1; 0 = 0.02
	AcrossMeters   bool    // compare what different kinds of meters gave, with a caveat
	AcrossMachines bool    // compare what different machines gave, with a caveat
	// Component is the ID, in HEAD, of the one component in question, chosen before HEAD was
	// measured: it is a family of its own, so that its verdict does not pay for the others.
	Component string
}

func (o Options) withDefaults() Options {
	if o.Level == 0 {
		o.Level = DefaultLevel
	}
	if o.MinChange == 0 {
		o.MinChange = 0.02
	}
	return o
}

// minTestedShare is the smallest share of the energy or time of a run that is tested.
const minTestedShare = 0.005

// A Comparison says what changed from BASE to HEAD. Numbers are per round; those of
// components are self values. Its texts are those of the JSON form, for the command line.
type Comparison struct {
	Schema string `json:"schema"`
	// Caveats are to be read first: differences that were allowed by Options.
	Caveats     []string    `json:"caveats"` // CaveatNotes as texts
	CaveatNotes []note.Note `json:"caveat_notes"`
	Base        Side        `json:"base"`
	Head        Side        `json:"head"`

	Granularity spell.Kind `json:"granularity"`
	// Source is that of the energies: measured, estimated, none, or "" if it is not known or
	// differs.
	Source  record.Source  `json:"source"`
	Domains []spell.Domain `json:"domains"` // whose energy was compared
	// ComponentDomains are the Domains whose energy was compared by component, too.
	ComponentDomains []spell.Domain `json:"component_domains"`
	// DomainsOnly are the domains of only one run: their energy is not compared.
	DomainsOnly DomainsOnly `json:"domains_only"`
	// Machine is the relative change of the time of the reference workload; null if one of
	// the runs does not have it.
	Machine   *float64 `json:"machine"`
	Pairs     int      `json:"pairs"`      // rounds that both have
	Level     float64  `json:"level"`      // of significance
	MinChange float64  `json:"min_change"` // relative; what is smaller is no change

	Total      Total       `json:"total"`
	Components []Component `json:"components"` // in both; by the size of their change in energy, or time
	Added      []Only      `json:"added"`      // in HEAD only
	Removed    []Only      `json:"removed"`    // in BASE only
	Tests      []Test      `json:"tests"`      // that count in both; without any, nothing was compared
	TestsOnly  TestsOnly   `json:"tests_only"`
	Notes      []note.Note `json:"notes"`    // what a reader must know of the two runs
	Warnings   []string    `json:"warnings"` // Notes as texts
}

// A Side says which run it was.
type Side struct {
	ID         string        `json:"id"`
	Started    string        `json:"started"` // RFC 3339, "" if not known
	Module     string        `json:"module"`
	Revision   string        `json:"revision"`
	Dirty      bool          `json:"dirty"`
	Meter      string        `json:"meter"`
	Source     record.Source `json:"source"`         // "" where it is not known
	Root       string        `json:"root,omitempty"` // as in record.Meter
	Rounds     int           `json:"rounds"`
	Partial    bool          `json:"partial"`
	Go         string        `json:"go"`
	CPU        string        `json:"cpu"`
	Tests      int           `json:"tests"` // that count
	Components int           `json:"components"`
}

// What the total adds up.
const (
	OfComponents = "components" // their self values
	OfTests      = "tests"      // whole tests, unattributed energy included
)

// Total is the whole program in the tests that count in both runs.
type Total struct {
	// Of is OfComponents. It is OfTests if the runs exclude different code, if the energy of
	// a domain is known by test only, or if components also ran in other tests: their values
	// by round cannot be restricted to the tests that count in both.
	Of string `json:"of"`
	Change
	N Amount `json:"n"`
}

// A Change has energy and time of both runs, with verdicts.
type Change struct {
	EnergyJ  Quantity                `json:"energy_j"` // all domains that were compared
	ByDomain map[spell.Domain]Amount `json:"energy_by_domain_j"`
	TimeMS   Quantity                `json:"time_ms"`
	// Greenup is E_base/E_head, Speedup T_base/T_head and Powerup the ratio of the
	// average powers, P_head/P_base = Speedup/Greenup (Abdulsalam, Zong, Gu and
	// Qiu, "Using the Greenup, Powerup, and Speedup metrics to evaluate software
	// energy efficiency", IGSC 2015). null if a value is 0: they are not defined.
	Greenup *float64 `json:"greenup"`
	Speedup *float64 `json:"speedup"`
	Powerup *float64 `json:"powerup"`
}

// How a component of HEAD was found in BASE.
const (
	ByID    = "id"
	Renamed = "renamed" // the same body under another name
	Moved   = "moved"   // the same body under the same name inOtherTests
)

// How the body of a component compares.
const (
	SameBody    = "same"
	ChangedBody = "changed"
	UnknownBody = "unknown"
)

// A Component is one that both runs have.
type Component struct {
	ID     string `json:"id"`                // in HEAD
	BaseID string `json:"base_id,omitempty"` // where it had another
	Match  string `json:"match"`
	Body   string `json:"body"`
	// BodyNote says how the body relates to the verdict, Note the same as a text.
	BodyNote *note.Note `json:"body_note,omitempty"`
	Note     string     `json:"note,omitempty"`
	Kind     spell.Kind `json:"kind"`
	Package  string     `json:"package"`
	File     string     `json:"file"` // in HEAD
	Line     int        `json:"line"`
	Change
	N   Amount `json:"n"`
	Psi Amount `json:"psi"`
	// PsiApart says that the intervals of psi are known and do not overlap.
	PsiApart        bool       `json:"psi_apart"`
	BaseZone        spell.Zone `json:"base_zone"`
	HeadZone        spell.Zone `json:"head_zone"`
	BaseRank        int        `json:"base_rank"`
	HeadRank        int        `json:"head_rank"`
	BelowResolution bool       `json:"below_resolution"` // in one of the runs
	// Restricted says that it also ran in tests that do not count in both runs. Its values
	// are over the common tests.
	Restricted bool `json:"restricted"`
}

// Only is a component that one run has.
type Only struct {
	ID      string     `json:"id"`
	File    string     `json:"file"`
	Line    int        `json:"line"`
	EnergyJ float64    `json:"energy_j"`
	TimeMS  float64    `json:"time_ms"`
	N       float64    `json:"n"`
	Zone    spell.Zone `json:"zone"`
}

// A Test is one that counts in both runs.
type Test struct {
	Name string `json:"name"`
	Change
}

// TestsOnly are the names of the tests that count in one run only, and of the tests that
// count in neither because they did not pass.
type TestsOnly struct {
	Base    []string `json:"base"`
	Head    []string `json:"head"`
	Neither []string `json:"neither"`
}

// DomainsOnly are the domains with energy in one run only.
type DomainsOnly struct {
	Base []spell.Domain `json:"base"`
	Head []spell.Domain `json:"head"`
}

// Compare compares two runs that were analysed in the same way, and changes neither. The
// error is a *Refusal if the runs must not be compared.
func Compare(base, head *record.Run, o Options) (*Comparison, error) {
	o = o.withDefaults()
	caveats, err := refuse(base, head, o)
	if err != nil {
		return nil, err
	}
	p := newPair(base, head, o)
	c := &Comparison{
		Schema: Schema, CaveatNotes: caveats, Base: side(base, o), Head: side(head, o),
		Granularity: head.Granularity, Source: commonSource(base, head),
		Domains: p.domains, ComponentDomains: p.attributed, DomainsOnly: p.domainsOnly(),
		Machine: p.machine.slowdown, Pairs: min(base.Rounds, head.Rounds), Level: o.Level, MinChange: o.MinChange,
		Notes: p.notes(),
	}
	p.components(c)
	p.tests(c)
	p.total(c)
	c.say()
	return c, nil
}

func side(r *record.Run, o Options) Side {
	s := Side{
		ID: r.ID, Module: r.Workspace.Module, Revision: r.Workspace.Revision, Dirty: r.Workspace.Dirty,
		Meter: r.Meter.Name, Source: r.Meter.Origin(), Root: r.Meter.Root, Rounds: r.Rounds, Partial: r.Partial,
		Go: r.Host.Go, CPU: r.Host.CPU, Components: len(r.Components),
	}
	if !r.Started.IsZero() {
		s.Started = r.Started.UTC().Format("2006-01-02T15:04:05Z")
	}
	for i := range r.Tests {
		if r.Tests[i].InAnalysis(o.IncludeFailed) {
			s.Tests++
		}
	}
	return s
}

// sortComponents puts the largest change first.
func sortComponents(list []Component, energy bool) {
	size := func(c *Component) float64 {
		if energy {
			return math.Abs(c.EnergyJ.Head - c.EnergyJ.Base)
		}
		return math.Abs(c.TimeMS.Head - c.TimeMS.Base)
	}
	slices.SortStableFunc(list, func(a, b Component) int {
		return cmp.Or(cmp.Compare(size(&b), size(&a)), cmp.Compare(a.ID, b.ID))
	})
}
