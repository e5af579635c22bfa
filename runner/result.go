package runner

import (
	"maps"
	"slices"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/wording"
)

// record makes the run record of the rounds that were kept.
func (m *measurement) record(partial bool) *record.Run {
	info := m.info
	m.model.Last()
	h := shareEnergy(&m.subject, m.model.Powers(), m.warm, m.kept)
	f := findingsOf(h, &m.subject, info.Domains)
	r := &record.Run{
		Schema: record.Schema, ID: record.NewID(m.started), Started: m.started.UTC(),
		DurationMS: float64(time.Since(m.began)) / 1e6, Partial: partial,
		Workspace: m.workspace, Host: host(m.build.GoVersion, m.Meters),
		Meter: record.Meter{
			Name: info.Name, Source: info.Source, Domains: info.Domains,
			ResolutionMS: resolutionMS(info, m.period), IdleW: h.powers.IdleW(), Root: info.Root, Notes: info.Notes,
		},
		Settings: m.settings(), Mode: m.Mode, Granularity: m.Granularity,
		Rounds: len(m.kept), DroppedRounds: len(m.dropped), Dropped: m.dropped, Converged: m.converged, Seed: m.Seed,
		Notes:    m.allNotes(),
		Analysis: ranking.AnalysisOf(m.Analysis, m.IncludeFailed, f.columns.shared), // the analysis that the intervals belong to
	}
	f.fill(r)
	f.addSeparate(r, m.machine.Separate)
	if m.model.NeedsCPUs() {
		r.Meter.Notes = append(r.Meter.Notes, h.coresUsed())
	}
	m.addParts(r)
	m.addGroups(r)
	m.addSizes(r)
	r.IdenticalBodies = identicalBodies(r, m.build)
	addBudgets(r, m.build)
	if n := len(m.build.Components) - m.reserved(); len(r.Components) == 0 && n > 0 && !slices.Contains(m.Exclude, "*") {
		r.Notes = append(r.Notes, nothingSeen(n, m.sampled))
	}
	if info.Counter {
		quality := m.meter.Quality()
		describe(&r.Meter, quality, m.period)
		markShortTests(r, m.kept, quality.UncertainMS, info)
	}
	for i, v := range f.rankIntervals(m.Analysis, m.IncludeFailed, m.Seed) {
		r.Components[i].PsiCI, r.Components[i].RankCI = v.Psi, v.Rank
	}
	addReference(r, m.kept)
	m.addCalmness(r)
	if used, much := childProcesses(r, m.kept); much {
		r.Notes = append(r.Notes, used)
	}
	r.Notes = append(r.Notes, powerTerms(h.powers, info.Domains)...)
	r.Notes = append(r.Notes, outliving(h, m.kept, m.placeOf)...)
	ranking.Analyze(r, m.Analysis, m.IncludeFailed)
	m.addCallTree(r)
	return m.viewed(r)
}

// viewed is the run by goroutine or label, if these were asked for.
func (m *measurement) viewed(r *record.Run) *record.Run {
	if m.view == "" {
		return r
	}
	by, err := grouping.Regroup(r, m.view)
	if err != nil { // refused before anything ran by checkMode and prepare
		return r
	}
	ranking.Analyze(by, m.Analysis, m.IncludeFailed)
	return by
}

// nothingSeen says that no function ran.
func nothingSeen(functions int, sampled bool) note.Note {
	if sampled {
		return note.NoSample(functions)
	}
	return note.NoProbeCalled(functions)
}

// settings are Params.Settings with the full ID of the function of Params.Reach, and with whose the
// time outside of the workspace was, which only samples leave open.
func (m *measurement) settings() map[string]any {
	all := maps.Clone(m.Settings)
	if all == nil {
		all = make(map[string]any)
	}
	if _, known := all["library"]; known || m.reserved() > 0 {
		all["library"] = spell.Library{}.String()
		if m.reserved() > 0 {
			all["library"] = m.Library.String()
		}
	}
	if m.build.Reach != "" {
		all["reach"] = m.build.Reach
	}
	return all
}

// allNotes are the notes of the measurement and of its rounds, each once.
func (m *measurement) allNotes() []note.Note {
	seen := make(map[string]bool) // by text, which has all arguments
	var all []note.Note
	add := func(notes []note.Note) {
		for _, n := range notes {
			if text := wording.Text(n); !seen[text] {
				seen[text] = true
				all = append(all, n)
			}
		}
	}
	add(m.notes)
	for _, r := range m.kept {
		add(r.notes)
	}
	return all
}

// addReference adds the time of the reference workload in each round.
func addReference(r *record.Run, rounds []*round) {
	if len(rounds) == 0 || rounds[0].referenceMS == 0 {
		return
	}
	for _, round := range rounds {
		r.ReferenceMS = append(r.ReferenceMS, round.referenceMS)
	}
}
