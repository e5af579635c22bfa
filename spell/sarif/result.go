package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/units"
)

type result struct {
	Rule         string            `json:"ruleId"`
	Index        int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations"`
	Related      []location        `json:"relatedLocations,omitempty"` // the costliest callers
	Fingerprints map[string]string `json:"partialFingerprints"`
	Baseline     string            `json:"baselineState,omitempty"`
	Rank         float64           `json:"rank"` // 0 to 100: the share that the order ranks by, in percent; -1 = none
	Fixes        []fix             `json:"fixes,omitempty"`
	Properties   map[string]any    `json:"properties,omitempty"` // none of budgets
}

type location struct {
	ID       int       `json:"id,omitempty"`
	Physical *physical `json:"physicalLocation,omitempty"`
	Logical  []logical `json:"logicalLocations"`
	Message  *message  `json:"message,omitempty"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   *region  `json:"region,omitempty"`
}

type artifact struct {
	URI         string   `json:"uri,omitempty"`
	Base        string   `json:"uriBaseId,omitempty"`
	Description *message `json:"description,omitempty"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type logical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind,omitempty"`
}

// The states of a result compared with the same result of BASE.
const (
	isNew     = "new"
	unchanged = "unchanged"
	updated   = "updated"
)

// maxResults limits the results of a log: GitHub shows 5,000 and refuses logs with over
// 25,000.
const maxResults = 5000

// results returns the results of the components that have a level, by rank, at most so many, and
// how many more components there are.
func results(r *record.Run, o Options, most int) (list []result, left int) {
	list = []result{}
	calls, before := calltree.Of(r), inBase(o.Comparison)
	scores, _ := r.Scores(r.Tallies())
	for i := range r.Components {
		c := &r.Components[i]
		level := levelOf(c.Zone, o)
		if level == "" {
			continue
		}
		if len(list) >= most {
			left++
			continue
		}
		one := result{
			Rule: rule, Level: level, Message: text(sentence(r, c)), Locations: []location{place(c)}, Related: callers(r, calls, i),
			Fingerprints: map[string]string{"spellComponent/v1": fingerprint(c)}, Rank: min(100, 100*scores[i]), Properties: values(r, c),
		}
		if o.Comparison != nil {
			one.Baseline = state(before[c.ID], level, o)
		}
		list = append(list, one)
	}
	return list, left
}

// levelOf returns SARIF's level of a zone; "" = no result. Green has none, because most
// of a program is green.
func levelOf(z spell.Zone, o Options) string {
	defaults := settings.Default().Severity
	var level settings.Level
	switch z {
	case spell.Red:
		level = cmp.Or(o.Severity.Red, defaults.Red)
	case spell.Yellow:
		level = cmp.Or(o.Severity.Yellow, defaults.Yellow)
	default:
		return ""
	}
	return sarifLevel(level)
}

func sarifLevel(level settings.Level) string {
	switch level {
	case settings.Off:
		return ""
	case settings.Error, settings.Warning:
		return string(level)
	default:
		return "note"
	}
}

// sentence returns the message of a result; it begins like a diagnostic in an editor.
func sentence(r *record.Run, c *record.Component) string {
	joules := units.Quantity(c.EnergyJ.Total(), "J")
	switch {
	case len(r.Matrix.Domains) == 0:
		joules = "energy unknown"
	case r.Meter.Origin() == "":
		joules += " of unknown origin"
	case r.Meter.Origin() == record.Estimated:
		joules += " estimated"
	}
	s := fmt.Sprintf("%s: #%d psi %s, %s", c.ID, c.Rank, units.Similarity(c.Psi), joules)
	if c.BelowResolution {
		s += ", below resolution"
	}
	if c.Explanation == "" {
		return s + "."
	}
	return s + ". " + c.Explanation
}

// text makes a message in which nothing is taken for a link or placeholder (SARIF, 3.11.5
// and 3.11.6).
func text(s string) message {
	return message{Text: strings.NewReplacer("{", "{{", "}", "}}", "](", "] (").Replace(page.Clean(s))}
}

// place returns the location of a component; without a file it is only a name.
func place(c *record.Component) location {
	kind := map[spell.Kind]string{spell.KindFunction: "function", spell.KindType: "type", spell.KindPackage: "module"}[c.Kind]
	id := page.Clean(c.ID)
	l := location{Logical: []logical{{Name: id[strings.LastIndexAny(id, "./")+1:], Full: id, Kind: kind}}}
	if c.File == "" {
		return l
	}
	l.Physical = &physical{Artifact: artifactOf(c.File)}
	if c.Line > 0 {
		l.Physical.Region = &region{StartLine: c.Line}
	}
	return l
}

func artifactOf(file string) artifact {
	if path.IsAbs(file) { // matrices of other tools may have absolute paths
		return artifact{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	}
	return artifact{URI: (&url.URL{Path: file}).String(), Base: srcRoot}
}

// maxCallers limits the related locations of a result.
const maxCallers = 3

func callers(r *record.Run, calls *calltree.Calls, component int) []location {
	used, what := func(e calltree.Edge) float64 { return e.EnergyJ }, "energy"
	if len(r.Matrix.Domains) == 0 {
		used, what = func(e calltree.Edge) float64 { return e.TimeMS }, "running time"
	}
	all := used(calls.Total(component))
	var list []location
	for _, edge := range calls.Callers(component) {
		if edge.Component < 0 || used(edge) <= 0 || len(list) == maxCallers {
			continue
		}
		caller := &r.Components[edge.Component]
		l := place(caller)
		m := text(fmt.Sprintf("called by %s: %s %% of its %s", caller.ID, units.Percent(used(edge)/all), what))
		l.ID, l.Message = len(list)+1, &m
		list = append(list, l)
	}
	return list
}

// fingerprint depends on what a component is, not on where it is.
func fingerprint(c *record.Component) string {
	return digest(c.ID, c.Hash)
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func values(r *record.Run, c *record.Component) map[string]any {
	p := map[string]any{
		"psi": c.Psi, "rank": c.Rank, "zone": c.Zone, "source": source(r),
		"n": c.N, "timeMs": c.TimeMS, "belowResolution": c.BelowResolution, "tied": c.Tied,
	}
	if len(r.Matrix.Domains) > 0 {
		p["energyJ"], p["epiJ"] = c.EnergyJ, c.EPIJ
	}
	if c.PsiCI != [2]float64{} {
		p["psiCi"] = c.PsiCI
	}
	return p
}

// inBase maps IDs in HEAD to the components that both runs have.
func inBase(c *comparison.Comparison) map[string]*comparison.Component {
	both := make(map[string]*comparison.Component)
	if c != nil {
		for i := range c.Components {
			both[c.Components[i].ID] = &c.Components[i]
		}
	}
	return both
}

// state says how a result changed since BASE; c is nil if BASE does not have the
// component.
func state(c *comparison.Component, level string, o Options) string {
	if c == nil {
		return isNew
	}
	verdict := c.EnergyJ.Verdict
	if len(o.Comparison.ComponentDomains) == 0 {
		verdict = c.TimeMS.Verdict
	}
	switch before := levelOf(c.BaseZone, o); {
	case before == "":
		return isNew
	case before != level || verdict == comparison.Better || verdict == comparison.Worse:
		return updated
	}
	return unchanged
}
