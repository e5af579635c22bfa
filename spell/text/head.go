package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calmness"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// A Fact is a line of what was measured, where, with what, and how it was analysed.
type Fact struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// facts leaves out what is not known.
func (p *sheet) facts() []Fact {
	r := p.r
	run := ""
	if r.ID != "" {
		run = join(r.ID, started(r), "took "+units.Duration(r.DurationMS), mark(r.Partial, "PARTIAL: it was interrupted, only what was measured until then is here"))
	}
	var known []Fact
	for _, f := range append([]Fact{
		{"run", run},
		{"workspace", join(r.Workspace.Module, root(r.Workspace), revision(r.Workspace))},
	}, append(p.programs(), []Fact{
		{"meter", meter(r.Meter)},
		{"counters", p.separate()},
		{"mode", mode(r)},
		{"calmness", calmness.Text(r)},
		{"host", host(r.Host)},
		{"rounds", rounds(r)},
		{"dropped", dropped(r)},
		{"analysis", p.analysis()},
		{"footprint", p.footprint()},
	}...)...) {
		if f.Text != "" {
			known = append(known, f)
		}
	}
	return known
}

// mode says how it is known what ran, where that is not by probes.
func mode(r *record.Run) string {
	if r.Mode != "sample" {
		return ""
	}
	stacks, calls := "stacks were sampled from outside", "calls were not counted"
	if slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Code == note.OwnProfileCode || n.Code == note.ProfileServedCode }) {
		stacks = "stacks were sampled by the program's own profiler"
	}
	if r.CallsCounted() {
		calls = "calls were counted in a round of their own"
	}
	return "sample: " + stacks + ", " + calls
}

// footprint says what a round of all tests comes to, if the user gave rates.
func (p *sheet) footprint() string {
	joules := 0.0
	for i := range p.r.Tests {
		joules += p.r.Tests[i].EnergyJ.Total()
	}
	words := p.o.Rates.Of(joules)
	if words == "" || !p.energy {
		return ""
	}
	return fmt.Sprintf("a round of all %ss, %s%s: %s", p.rowWord, p.est, units.Quantity(joules, "J"), words)
}

// join separates the parts that are not empty by commas.
func join(parts ...string) string {
	var kept []string
	for _, s := range parts {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, ", ")
}

func mark(set bool, text string) string {
	if set {
		return text
	}
	return ""
}

func started(r *record.Run) string {
	if r.Started.IsZero() {
		return ""
	}
	return r.Started.UTC().Format("2006-01-02 15:04:05 UTC")
}

func root(w record.Workspace) string {
	if w.Root == "" || w.Root == "." {
		return ""
	}
	return "in " + w.Root
}

func revision(w record.Workspace) string {
	if w.Revision == "" {
		return ""
	}
	return "revision " + w.Revision + mark(w.Dirty, " with changes")
}

// meter spells the source out: an estimate must not pass for a measurement.
func meter(m record.Meter) string {
	name := m.Name
	switch {
	case m.Origin() == "":
		name += ": energy as the file gives it, which does not say whether it was measured or estimated"
	case m.Source == record.Measured:
		name += ": measured"
	case m.HostsShare():
		name += ": ESTIMATED, the host's share"
	case m.Source == record.Estimated:
		name += ": ESTIMATED, not measured"
	default:
		return name + ": NO ENERGY is known, only executions and running time"
	}
	domains := make([]string, len(m.Domains))
	for i, d := range m.Domains {
		domains[i] = string(d)
	}
	reading, idle := "", ""
	if m.ResolutionMS > 0 {
		reading = fmt.Sprintf("a reading every %v ms", m.ResolutionMS)
	}
	if m.IdleW > 0 {
		idle = "idle machine " + units.Quantity(m.IdleW, "W")
	}
	return name + "; " + join(strings.Join(domains, " + ")+wording.CounterRoot(m.Root), reading, idle, quality(m))
}

// separate is what counters showed that are in no sum, of those that are known of all tests.
func (p *sheet) separate() string {
	var list []string
	for _, name := range p.r.Meter.Separate {
		sum, known := 0.0, true
		for i := range p.r.Tests {
			joules, has := p.r.Tests[i].SeparateJ[name]
			sum, known = sum+joules, known && has
		}
		if known {
			list = append(list, name+" "+units.Quantity(sum, "J"))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return p.est + strings.Join(list, ", ") + " in one round (they overlap with the domains above: no sum has them)"
}

// quality says how late the readings came, if that was too late.
func quality(m record.Meter) string {
	if m.Quality != record.Degraded {
		return ""
	}
	return "DEGRADED: 1 reading of 100 came more than " + units.Duration(m.GapP99MS) + " after the one before"
}

func host(h record.Host) string {
	system, cores := h.OS, ""
	if h.Arch != "" {
		system += "/" + h.Arch
	}
	if h.Cores > 0 {
		cores = units.Plural(h.Cores, "core")
	}
	return join(system, h.CPU, cores, mark(h.Virtual, "virtual machine"), h.Go)
}

func rounds(r *record.Run) string {
	stable := ""
	switch {
	case r.Converged:
		stable = "the ranking has converged"
	case r.Rounds > 1:
		stable = "the ranking has not converged"
	}
	return join(strconv.Itoa(r.Rounds), stable, mark(r.DroppedRounds > 0, fmt.Sprintf("%d more dropped", r.DroppedRounds)),
		mark(r.Seed > 0, fmt.Sprintf("seed %d", r.Seed)))
}

// dropped says which rounds were left out why, each cause once.
func dropped(r *record.Run) string {
	var causes []string
	of := make(map[string][]int)
	for i := range r.Dropped {
		cause := wording.Text(r.Dropped[i].Why())
		if of[cause] == nil {
			causes = append(causes, cause)
		}
		of[cause] = append(of[cause], r.Dropped[i].Round)
	}
	for i, cause := range causes {
		causes[i] = numbered(of[cause]) + ": " + cause
	}
	return strings.Join(causes, "; ")
}

// numbered lists rounds by their numbers; of many, the first.
func numbered(list []int) string {
	const most = 8
	if len(list) == 1 {
		return fmt.Sprintf("round %d", list[0])
	}
	words := make([]string, 0, most)
	for _, n := range list[:min(len(list), most)] {
		words = append(words, strconv.Itoa(n))
	}
	return "rounds " + strings.Join(words, ", ") + mark(len(list) > most, fmt.Sprintf(" and %d more", len(list)-most))
}

// analysis names what the ranks follow, and the oracle and the weights of psi.
func (p *sheet) analysis() string {
	if p.a.Oracle == "" {
		return ""
	}
	list := make([]string, len(p.r.Matrix.Domains))
	for i, d := range p.r.Matrix.Domains {
		list[i] = fmt.Sprintf("%s %v", d, p.a.Weights[d])
	}
	switch {
	case !p.energy:
		list = []string{"not used, as no energy is known"}
	case len(list) == 0:
		list = []string{"not used, as no energy is known by " + string(p.r.Granularity)}
	}
	return fmt.Sprintf("ranked by %s; psi by %s, weights %s", p.criterion, p.a.Oracle, strings.Join(list, ", ")) + mark(p.a.Inclusive, "; INCLUSIVE of callees")
}
