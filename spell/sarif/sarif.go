// Package sarif writes the red and yellow components of a run, and budgets in the source that are
// broken, as results of SARIF 2.1.0 (OASIS Standard, with Errata 01), for code scanning.
//
// Paths are relative to SRCROOT, the workspace; its absolute path is not disclosed. A
// result names the line of its component but no column, because columns of SARIF count
// characters and columns of a run bytes. The fingerprint is computed from the component's
// ID and the hash of its body: a function that moves stays the same result, an edited one
// does not.
//
// If the run was compared with another, each result says whether it is new. Results that
// are gone ("absent") are left out, because viewers of code scanning show every result as
// open.
package sarif

import (
	"fmt"
	"io"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/jsonform"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// Options say how results are written. The zero value is the default.
type Options struct {
	Version    string                 // of spell-lsp; "" = left out
	Severity   settings.Severity      // levels of red, yellow and budgets; "" = default of the settings
	Comparison *comparison.Comparison // of another run with this one, which is HEAD; nil = none
}

const (
	version = "2.1.0"
	schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	srcRoot = "SRCROOT"
	rule    = "energy-leak"

	budgetRule = "energy-budget"
)

type document struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool                `json:"tool"`
	Invocations []invocation        `json:"invocations"`
	Automation  automation          `json:"automationDetails"`
	Bases       map[string]artifact `json:"originalUriBaseIds"`
	ColumnKind  string              `json:"columnKind,omitempty"`
	Results     []result            `json:"results"`
	Properties  map[string]any      `json:"properties"`
}

type message struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type automation struct {
	ID          string  `json:"id"`
	Description message `json:"description"`
}

type invocation struct {
	Successful    bool           `json:"executionSuccessful"`
	Start         string         `json:"startTimeUtc,omitempty"`
	End           string         `json:"endTimeUtc,omitempty"`
	Notifications []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string  `json:"level"`
	Message message `json:"message"`
}

// Write writes a run that was analysed. Values are of the tests that the analysis counts.
func Write(w io.Writer, r *record.Run, o Options) error {
	broken := budgetResults(r, o)
	r = ranking.Counted(r)
	list, left := results(r, o, maxResults-len(broken))
	list = append(list, broken...)
	ran := invoked(r)
	if left > 0 {
		ran.Notifications = append(ran.Notifications, notification{"note", text(fmt.Sprintf("%s not listed: a log has %d results at most, the first by rank.", units.Plural(left, "more component"), maxResults))})
	}
	return jsonform.Write(w, "the SARIF log", document{Schema: schema, Version: version, Runs: []run{{
		Tool: theTool(o), Invocations: []invocation{ran}, Automation: automated(r),
		Bases:   map[string]artifact{srcRoot: {Description: &message{Text: "The workspace that was measured."}}},
		Results: list, Properties: properties(r),
	}}})
}

// automated identifies the analysis: everything before the last slash is its category, in
// which a later run replaces this one.
func automated(r *record.Run) automation {
	id := "spell-lsp/"
	if r.Workspace.Module != "" {
		id += page.Clean(r.Workspace.Module) + "/"
	}
	by := "by the workspace's own tests and benchmarks"
	if r.RowWord() != record.TestRow {
		by = "by the workspace's programs"
	}
	return automation{ID: id + page.Clean(r.ID), Description: text("Energy of the functions, " + by + ".")}
}

func invoked(r *record.Run) invocation {
	i := invocation{Successful: !r.Partial}
	if !r.Started.IsZero() {
		const utc = "2006-01-02T15:04:05.000Z"
		i.Start = r.Started.UTC().Format(utc)
		i.End = r.Started.Add(time.Duration(r.DurationMS * float64(time.Millisecond))).UTC().Format(utc)
	}
	if r.Partial {
		i.Notifications = append(i.Notifications, notification{"warning", text("The measurement was interrupted: only what was measured until then is here.")})
	}
	if r.Meter.Root != "" {
		i.Notifications = append(i.Notifications, notification{"warning", text(page.Clean("The energy was measured" + wording.CounterRoot(r.Meter.Root) + "."))})
	}
	for _, w := range wording.Texts(r.AllNotes()) {
		i.Notifications = append(i.Notifications, notification{"warning", text(w)})
	}
	return i
}

// properties say how the numbers of the results were obtained.
func properties(r *record.Run) map[string]any {
	p := map[string]any{
		"meter": page.Clean(r.Meter.Name), "source": source(r), "domains": append([]spell.Domain{}, r.Meter.Domains...), "rounds": r.Rounds,
		"converged": r.Converged, "granularity": page.Clean(string(r.Granularity)), "revision": page.Clean(r.Workspace.Revision), "dirty": r.Workspace.Dirty,
	}
	if r.Analysis != nil {
		p["oracle"], p["weights"] = r.Analysis.Oracle, r.Analysis.Weights
	}
	if only := r.TestOnly(); len(only) > 0 {
		p["testOnlyDomains"] = only
	}
	if hasEnergy(r) {
		p["unattributedJ"] = r.UnattributedJ()
	}
	if r.Meter.Root != "" {
		p["meterRoot"] = page.Clean(r.Meter.Root)
	}
	return p
}

// source says where the energies come from.
func source(r *record.Run) string {
	if origin := r.Meter.Origin(); origin != "" {
		return string(origin)
	}
	return "unknown"
}

func hasEnergy(r *record.Run) bool {
	return r.Meter.KnowsEnergy()
}
