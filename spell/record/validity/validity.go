// Package validity checks that a run can be analysed, compared and shown without any
// of these failing. It says where in the JSON form of the run the first fault is; it
// does not read JSON, and mends nothing.
package validity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A Fault is what makes a run invalid.
type Fault struct {
	Path string // of the value in the JSON form: matrix[3].energy_j.cpu
	What string // what is wrong with it, to be read after the path
}

func (f *Fault) Error() string { return f.Path + " " + f.What }

// Checked returns a copy of r in which no list or map that the JSON form always has
// is nil, or the first fault, a *Fault.
func Checked(r *record.Run) (*record.Run, error) {
	if err := Schema(r.Schema); err != nil {
		return nil, err
	}
	if err := Run(r); err != nil {
		return nil, err
	}
	return r.Complete(), nil
}

// Schema checks the version of a record. It comes before all other checks: another
// version may have other fields.
func Schema(schema string) error {
	switch schema {
	case record.Schema:
		return nil
	case "":
		return &Fault{"schema", fmt.Sprintf("is missing: not a run record, which has the schema %q", record.Schema)}
	}
	return &Fault{"schema", fmt.Sprintf("is %q, this version reads %q: use the version of spell-lsp that wrote the record, or measure again", schema, record.Schema)}
}

// Run reports the first fault of r, whose schema is not looked at.
func Run(r *record.Run) error {
	if err := Head(r); err != nil {
		return err
	}
	return Matrix(r)
}

// Head is Run without the matrix.
func Head(r *record.Run) error {
	for _, check := range []func(*record.Run) error{checkHead, checkDropped, checkMeter, checkNotes, checkAnalysis, checkTests, checkGroups, checkComponents, checkCallTree} {
		if err := check(r); err != nil {
			return err
		}
	}
	return nil
}

// mostRounds is ten times the number of rounds that can be asked for. It keeps a number in a
// record from causing endless work.
const mostRounds = 10_000

func checkHead(r *record.Run) error {
	return firstError(
		checkNumbers(place{}, number{"duration_ms", r.DurationMS}, number{"host.cores", float64(r.Host.Cores)},
			number{"rounds", float64(r.Rounds)}, number{"dropped_rounds", float64(r.DroppedRounds)}),
		checkRounds(r.Rounds),
		checkReferenceMS(r),
		checkNodes(r),
		oneOf(place{}, "granularity", r.Granularity, spell.Kinds()...),
	)
}

func checkRounds(rounds int) error {
	if rounds > mostRounds {
		return &Fault{"rounds", fmt.Sprintf("is %d, must be at most %d: no run has more", rounds, mostRounds)}
	}
	return nil
}

func checkNodes(r *record.Run) error {
	sum := 0
	for i, n := range r.Nodes {
		at := place{"nodes", i}
		if n.Name == "" {
			return &Fault{at.path("name"), "is empty, must name a machine"}
		}
		if slices.ContainsFunc(r.Nodes[:i], func(o record.Node) bool { return o.Name == n.Name }) {
			return &Fault{at.path("name"), fmt.Sprintf("is %q a second time: give the rounds of a node together", n.Name)}
		}
		if n.Rounds < 1 || n.Rounds > r.Rounds {
			return &Fault{at.path("rounds"), fmt.Sprintf("is %d, must be 1 to %d, the rounds of the run", n.Rounds, r.Rounds)}
		}
		if !(n.Deviation > -1 && n.Deviation < record.MaxNumber) {
			return &Fault{at.path("deviation"), fmt.Sprintf("is %v, must be a relative difference, above -1", n.Deviation)}
		}
		sum += n.Rounds
	}
	if len(r.Nodes) > 0 && sum != r.Rounds {
		return &Fault{"nodes", fmt.Sprintf("have %d rounds, but there are %d", sum, r.Rounds)}
	}
	return nil
}

func checkReferenceMS(r *record.Run) error {
	if n := len(r.ReferenceMS); n > 0 && n != r.Rounds {
		return &Fault{"yardstick_ms", fmt.Sprintf("has %d values, but there are %d rounds", n, r.Rounds)}
	}
	if err := checkCalmness(r); err != nil {
		return err
	}
	for i, ms := range r.ReferenceMS {
		if err := checkNumbers(place{}, number{fmt.Sprintf("yardstick_ms[%d]", i), ms}); err != nil {
			return err
		}
	}
	return nil
}

func checkCalmness(r *record.Run) error {
	c := r.Calmness
	if c == nil {
		return checkNumbers(place{}, number{"period_ms", r.PeriodMS})
	}
	verdict := func(field, is string) error { return oneOf(place{}, field, is, "calm", "disturbed", "undecided") }
	err := firstError(verdict("calmness.verdict", c.Verdict), checkNumbers(place{}, number{"period_ms", r.PeriodMS}, number{"calmness.rounds", float64(c.Rounds)}))
	for i, other := range c.Others {
		at := place{"calmness.other_periods", i}
		err = firstError(err, verdict(at.path("verdict"), other.Verdict), checkNumbers(at, number{"period_ms", other.PeriodMS}))
	}
	return err
}

func checkDropped(r *record.Run) error {
	for i, d := range r.Dropped {
		at := place{"dropped", i}
		if d.Round < 1 {
			return &Fault{at.path("round"), fmt.Sprintf("is %d, must be the number of a round, from 1", d.Round)}
		}
		if d.Cause == "" && d.Note.Code == "" {
			return &Fault{at.path("cause"), "is empty, must say why the round was left out"}
		}
	}
	if n := len(r.Dropped); n > 0 && n != r.DroppedRounds {
		return &Fault{"dropped_rounds", fmt.Sprintf("is %d, but dropped has %d rounds", r.DroppedRounds, n)}
	}
	return nil
}

func checkMeter(r *record.Run) error {
	m := r.Meter
	for i, d := range m.Domains {
		at := fmt.Sprintf("meter.domains[%d]", i)
		if err := oneOf(place{}, at, d, spell.Domains()...); err != nil {
			return err
		}
		if slices.Contains(m.Domains[:i], d) {
			return &Fault{at, fmt.Sprintf("is %q a second time, remove one", d)}
		}
	}
	if m.Source == record.NoEnergy && len(m.Domains) > 0 {
		return &Fault{"meter.domains", fmt.Sprintf("must be empty where meter.source is %q", record.NoEnergy)}
	}
	for i, name := range m.Separate {
		if at := fmt.Sprintf("meter.separate[%d]", i); slices.Contains(m.Separate[:i], name) {
			return &Fault{at, fmt.Sprintf("is %q a second time, remove one", name)}
		} else if name == "" || slices.Contains(spell.Domains(), spell.Domain(name)) {
			return &Fault{at, fmt.Sprintf("is %q, which is not the name of a counter beside the domains", name)}
		}
	}
	return firstError(
		oneOf(place{}, "meter.source", m.Source, record.Measured, record.Estimated, record.NoEnergy),
		oneOf(place{}, "meter.quality", m.Quality, record.Degraded, ""),
		checkNumbers(place{}, number{"meter.resolution_ms", m.ResolutionMS}, number{"meter.idle_w", m.IdleW},
			number{"meter.gap_p99_ms", m.GapP99MS}, number{"meter.timing_ms", m.TimingMS}, number{"meter.sampler_cpu", m.SamplerCPU}),
	)
}

func checkAnalysis(r *record.Run) error {
	if l := r.Localization; l != nil {
		if err := checkNumbers(place{}, number{"localization.density", l.Density}, number{"localization.normalized_density", l.NormalizedDensity},
			number{"localization.diversity", l.Diversity}, number{"localization.uniqueness", l.Uniqueness}, number{"localization.ddu", l.DDU}); err != nil {
			return err
		}
	}
	if err := checkStructureAndEnergy(r.StructureAndEnergy); err != nil {
		return err
	}
	a := r.Analysis
	if a == nil {
		return nil
	}
	err := firstError(
		oneOf(place{}, "analysis.order", a.Order, spell.ByPsi, spell.ByEnergy, spell.ByWeightedEnergy, ""), // "" in records of older versions
		oneOf(place{}, "analysis.oracle", a.Oracle, spell.SumOfProducts, spell.ProductOfSums),
		oneOf(place{}, "analysis.zones.rule", a.Zones.Rule, record.Pareto, record.Absolute))
	if err != nil {
		return err
	}
	return checkEnergy(place{}, "analysis.weights", a.Weights, r.Meter.Domains)
}

func checkStructureAndEnergy(list []spell.StructureCorrelation) error {
	for i, c := range list {
		at := place{"structure_and_energy", i}
		if err := checkNumbers(at, number{"components", float64(c.Components)}); err != nil {
			return err
		}
		for _, v := range []number{{"spearman", c.Spearman}, {"spearman_ci", c.SpearmanCI[0]}, {"spearman_ci", c.SpearmanCI[1]}, {"pearson", c.Pearson}} {
			if !(v.value >= -1 && v.value <= 1) {
				return &Fault{at.path(v.field), fmt.Sprintf("is %v, must be from -1 to 1", v.value)}
			}
		}
	}
	return nil
}

func checkTests(r *record.Run) error {
	seen := make(map[string]int, len(r.Tests))
	for i, t := range r.Tests {
		at := place{"tests", i}
		err := firstError(
			unique(at, "name", t.Name, seen),
			oneOf(at, "outcome", t.Outcome, record.Pass, record.Fail, record.Skip, record.Timeout, record.Crash),
			checkNumbers(at, number{"rounds", float64(t.Rounds)}, number{"time_ms", t.TimeMS}, number{"probe_ms", t.ProbeMS}, number{"repeats", t.Repeats},
				number{"alloc_bytes", t.AllocBytes}, number{"alloc_objects", t.AllocObjects}),
			checkRepeats(at, t.Repeats),
			checkExitCode(at, t.ExitCode),
			checkEnergy(at, "energy_j", t.EnergyJ, r.Meter.Domains),
			checkEnergy(at, "unattributed_j", t.UnattributedJ, r.Meter.Domains),
			checkParts(at, t.Unattributed, r.Meter.Domains),
			checkSeparate(at, t.SeparateJ, r.Meter.Separate),
			checkByRound(at, t.RoundEnergyJ, t.RoundTimeMS, r),
			checkFile(at, t.File),
			checkBudgets(at, t.Budgets),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkParts checks the parts of unattributed energy.
func checkParts(at place, parts map[record.Part]record.Unattributed, domains []spell.Domain) error {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, field := parts[name], "unattributed."+string(name)
		err := firstError(checkNumbers(at, number{field + ".time_ms", part.TimeMS}), checkEnergy(at, field+".energy_j", part.EnergyJ, domains))
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSeparate checks the energy of counters beside the domains.
func checkSeparate(at place, energy map[string]float64, names []string) error {
	for _, name := range slices.Sorted(maps.Keys(energy)) {
		if !slices.Contains(names, name) {
			return &Fault{at.path("separate_j"), fmt.Sprintf("has %q, which is not in meter.separate", name)}
		}
		if err := checkNumbers(at, number{"separate_j." + name, energy[name]}); err != nil {
			return err
		}
	}
	return nil
}

func checkRepeats(at place, repeats float64) error {
	if repeats > 0 && repeats < 1 {
		return &Fault{at.path("repeats"), fmt.Sprintf("is %v, must be at least 1", repeats)}
	}
	return nil
}

func checkExitCode(at place, code *int) error {
	if code != nil && (*code < 0 || *code > 255) {
		return &Fault{at.path("exit_code"), fmt.Sprintf("is %d, must be from 0 to 255", *code)}
	}
	return nil
}

func checkComponents(r *record.Run) error {
	seen := make(map[string]int, len(r.Components))
	for i := range r.Components {
		c, at := &r.Components[i], place{"components", i}
		err := firstError(
			unique(at, "id", c.ID, seen),
			checkFile(at, c.File),
			oneOf(at, "kind", c.Kind, spell.Kinds()...),
			oneOf(at, "zone", c.Zone, spell.Red, spell.Yellow, spell.Green, ""), // "" before an analysis
			oneOf(at, "zone_by_rule", c.ZoneByRule, spell.Red, spell.Yellow, spell.Green, ""),
			oneOf(at, "kept_zone", c.KeptZone, spell.Red, spell.Yellow, spell.Green, ""),
			checkNumbers(at, number{"line", float64(c.Line)}, number{"column", float64(c.Column)}, number{"end_line", float64(c.EndLine)},
				number{"rank", float64(c.Rank)}, number{"n", c.N}, number{"time_ms", c.TimeMS}, number{"wall_ms", c.WallMS},
				number{"cum_time_ms", c.CumTimeMS}, number{"epi_j", c.EPIJ}, number{"psi", c.Psi},
				number{"kept_energy_j", c.KeptEnergyJ}, number{"kept_time_ms", c.KeptTimeMS}, number{"kept_n", c.KeptN},
				number{"read_bytes", c.ReadBytes}, number{"written_bytes", c.WrittenBytes},
				number{"received_bytes", c.ReceivedBytes}, number{"sent_bytes", c.SentBytes},
				number{"alloc_bytes", c.AllocBytes}, number{"alloc_objects", c.AllocObjects}, number{"caused_ms", c.CausedMS},
				number{"complexity", float64(c.Complexity)}, number{"lines_of_code", float64(c.LinesOfCode)},
				number{"fan_in", float64(c.FanIn)}, number{"fan_out", float64(c.FanOut)}),
			checkEnergy(at, "caused_j", c.CausedJ, r.Meter.Domains),
			checkEnergy(at, "energy_j", c.EnergyJ, r.Meter.Domains),
			checkEnergy(at, "cum_energy_j", c.CumEnergyJ, r.Meter.Domains),
			checkPhi(at, c.Phi, r.Meter.Domains),
			checkInterval(at, "psi_ci", c.PsiCI),
			checkInterval(at, "rank_ci", [2]float64{float64(c.RankCI[0]), float64(c.RankCI[1])}),
			checkEnergyCI(at, c.EnergyCI, r.Meter.Domains),
			checkByRound(at, c.RoundEnergyJ, c.RoundTimeMS, r),
			checkCallees(at, "unmeasured_callees", "component", c.Callees, record.MostCallees, c.TimeMS, r.Meter.Domains),
			checkLines(at, c, r.Meter.Domains),
			checkGroupTime(at, c, r),
			checkFunctions(at, c),
			checkSizedCalls(at, c, r.Meter.Domains),
			checkBudgets(at, c.Budgets),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

func checkBudgets(at place, list []record.Budget) error {
	for i, b := range list {
		if err := checkNumbers(at, number{fmt.Sprintf("budgets[%d].line", i), float64(b.Line)}); err != nil {
			return err
		}
	}
	return nil
}

// maxFile is the longest name of a file, as on Linux (PATH_MAX), in bytes.
const maxFile = 4096

func checkFile(at place, name string) error {
	if len(name) <= maxFile {
		return nil
	}
	return &Fault{at.path("file"), fmt.Sprintf("has %d bytes, must have at most %d", len(name), maxFile)}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A place is an item of a list of the run, or with no list the run itself.
type place struct {
	list  string
	index int
}

func (p place) path(field string) string {
	if p.list == "" {
		return field
	}
	return fmt.Sprintf("%s[%d].%s", p.list, p.index, field)
}

// A number is a field that is at least 0.
type number struct {
	field string
	value float64
}

func checkNumbers(at place, numbers ...number) error {
	for _, n := range numbers {
		if !isAmount(n.value) {
			return notAmount(at.path(n.field), n.value)
		}
	}
	return nil
}

func isAmount(v float64) bool { return v >= 0 && v <= record.MaxNumber }

func notAmount(path string, v float64) error {
	return &Fault{path, fmt.Sprintf("is %v, must be a number from 0 to %v", v, float64(record.MaxNumber))}
}

func checkEnergy(at place, field string, e record.Energy, domains []spell.Domain) error {
	var worst error
	first := spell.Domain("")
	for d, v := range e {
		if known := slices.Contains(domains, d); known && isAmount(v) || worst != nil && first < d {
			continue // report the first by name, whatever the order of the map
		} else if !known {
			worst = &Fault{at.path(field) + "." + string(d), "is not one of the domains that meter.domains lists"}
		} else {
			worst = notAmount(at.path(field)+"."+string(d), v)
		}
		first = d
	}
	return worst
}

func checkPhi(at place, phi map[string]float64, domains []spell.Domain) error {
	var shares record.Energy
	for name, v := range phi {
		if name == "n" || name == "time" {
			if !isAmount(v) {
				return notAmount(at.path("phi."+name), v)
			}
			continue
		}
		if shares == nil {
			shares = make(record.Energy, len(phi))
		}
		shares[spell.Domain(name)] = v
	}
	return checkEnergy(at, "phi", shares, domains)
}

func oneOf[T ~string](at place, field string, v T, allowed ...T) error {
	if slices.Contains(allowed, v) {
		return nil
	}
	var words []string
	for _, a := range allowed {
		if a != "" {
			words = append(words, string(a))
		}
	}
	return &Fault{at.path(field), fmt.Sprintf("is %.60q, must be one of %s", v, strings.Join(words, ", "))}
}

func unique(at place, field, name string, seen map[string]int) error {
	if name == "" {
		return &Fault{at.path(field), "is empty, must be a name"}
	}
	if before, ok := seen[name]; ok {
		return &Fault{at.path(field), fmt.Sprintf("is %q like %s[%d], must be unique", name, at.list, before)}
	}
	seen[name] = at.index
	return nil
}

func inList(at place, field string, i, length int, list string) error {
	if i >= 0 && i < length {
		return nil
	}
	return &Fault{at.path(field), fmt.Sprintf("is %d, must be the index of one of the %d %s", i, length, list)}
}
