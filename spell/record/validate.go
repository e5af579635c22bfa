package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spell-lsp/spell"
)

// A fault is something in a run that no reader can rest on.
type fault struct {
	path string // as in JSON: matrix[3].energy_j.cpu
	what string // to be read after the path
}

func (f *fault) Error() string { return f.path + " " + f.what }

// Checked is r as Parse gives it: lists and maps that are always there are not nil.
// It refuses what Parse would refuse.
func (r *Run) Checked() (*Run, error) {
	if err := checkSchema(r.Schema); err != nil {
		return nil, err
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	return r.complete(), nil
}

// validate reports the first fault of r.
func (r *Run) validate() error {
	if err := r.validateHead(); err != nil {
		return err
	}
	return checkMatrix(r)
}

// validateHead is validate without the matrix.
func (r *Run) validateHead() error {
	for _, check := range []func(*Run) error{checkHead, checkDropped, checkMeter, checkAnalysis, checkTests, checkComponents, checkCallTree} {
		if err := check(r); err != nil {
			return err
		}
	}
	return nil
}

// mostRounds is ten times as many as can be asked for. Whoever goes through them
// can rely on it: a number alone makes no work without end.
const mostRounds = 10_000

func checkHead(r *Run) error {
	return firstError(
		checkNumbers(place{}, number{"duration_ms", r.DurationMS}, number{"host.cores", float64(r.Host.Cores)},
			number{"rounds", float64(r.Rounds)}, number{"dropped_rounds", float64(r.DroppedRounds)}),
		checkRounds(r.Rounds),
		checkYardstick(r),
		oneOf(place{}, "granularity", r.Granularity, spell.KindPackage, spell.KindFile, spell.KindType, spell.KindFunction, spell.KindBlock),
	)
}

func checkRounds(rounds int) error {
	if rounds > mostRounds {
		return &fault{"rounds", fmt.Sprintf("is %d, must be at most %d: no run has more", rounds, mostRounds)}
	}
	return nil
}

func checkYardstick(r *Run) error {
	if n := len(r.YardstickMS); n > 0 && n != r.Rounds {
		return &fault{"yardstick_ms", fmt.Sprintf("has %d values, but there are %d rounds", n, r.Rounds)}
	}
	for i, ms := range r.YardstickMS {
		if err := checkNumbers(place{}, number{fmt.Sprintf("yardstick_ms[%d]", i), ms}); err != nil {
			return err
		}
	}
	return nil
}

func checkDropped(r *Run) error {
	for i, d := range r.Dropped {
		at := place{"dropped", i}
		if d.Round < 1 {
			return &fault{at.path("round"), fmt.Sprintf("is %d, must be the number of a round, from 1", d.Round)}
		}
		if d.Cause == "" {
			return &fault{at.path("cause"), "is empty, must say why the round was left out"}
		}
	}
	if n := len(r.Dropped); n > 0 && n != r.DroppedRounds {
		return &fault{"dropped_rounds", fmt.Sprintf("is %d, but dropped has %d rounds", r.DroppedRounds, n)}
	}
	return nil
}

func checkMeter(r *Run) error {
	m := r.Meter
	for i, d := range m.Domains {
		at := fmt.Sprintf("meter.domains[%d]", i)
		if err := oneOf(place{}, at, d, spell.Domains()...); err != nil {
			return err
		}
		if slices.Contains(m.Domains[:i], d) {
			return &fault{at, fmt.Sprintf("is %q a second time, remove one", d)}
		}
	}
	if m.Source == NoEnergy && len(m.Domains) > 0 {
		return &fault{"meter.domains", fmt.Sprintf("must be empty where meter.source is %q", NoEnergy)}
	}
	return firstError(
		oneOf(place{}, "meter.source", m.Source, Measured, Estimated, NoEnergy),
		oneOf(place{}, "meter.quality", m.Quality, Degraded, ""),
		checkNumbers(place{}, number{"meter.resolution_ms", m.ResolutionMS}, number{"meter.idle_w", m.IdleW},
			number{"meter.gap_p99_ms", m.GapP99MS}, number{"meter.timing_ms", m.TimingMS}, number{"meter.sampler_cpu", m.SamplerCPU}),
	)
}

func checkAnalysis(r *Run) error {
	if l := r.Localization; l != nil {
		if err := checkNumbers(place{}, number{"localization.density", l.Density}, number{"localization.normalized_density", l.NormalizedDensity},
			number{"localization.diversity", l.Diversity}, number{"localization.uniqueness", l.Uniqueness}, number{"localization.ddu", l.DDU}); err != nil {
			return err
		}
	}
	a := r.Analysis
	if a == nil {
		return nil
	}
	err := firstError(
		oneOf(place{}, "analysis.oracle", a.Oracle, spell.SumOfProducts, spell.ProductOfSums),
		oneOf(place{}, "analysis.zones.rule", a.Zones.Rule, Pareto, Absolute))
	if err != nil {
		return err
	}
	return checkEnergy(place{}, "analysis.weights", a.Weights, r.Meter.Domains)
}

func checkTests(r *Run) error {
	seen := make(map[string]int, len(r.Tests))
	for i, t := range r.Tests {
		at := place{"tests", i}
		err := firstError(
			unique(at, "name", t.Name, seen),
			oneOf(at, "outcome", t.Outcome, Pass, Fail, Skip, Timeout, Crash),
			checkNumbers(at, number{"rounds", float64(t.Rounds)}, number{"time_ms", t.TimeMS}, number{"probe_ms", t.ProbeMS}, number{"repeats", t.Repeats}),
			checkRepeats(at, t.Repeats),
			checkEnergy(at, "energy_j", t.EnergyJ, r.Meter.Domains),
			checkEnergy(at, "unattributed_j", t.UnattributedJ, r.Meter.Domains),
			checkParts(at, t.Unattributed, r.Meter.Domains),
			checkByRound(at, t.RoundEnergyJ, t.RoundTimeMS, r),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkParts checks what unattributed energy went to.
func checkParts(at place, parts map[Part]Unattributed, domains []spell.Domain) error {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, field := parts[name], "unattributed."+string(name)
		err := firstError(checkNumbers(at, number{field + ".time_ms", part.TimeMS}), checkEnergy(at, field+".energy_j", part.EnergyJ, domains))
		if err != nil {
			return err
		}
	}
	return nil
}

func checkRepeats(at place, repeats float64) error {
	if repeats > 0 && repeats < 1 {
		return &fault{at.path("repeats"), fmt.Sprintf("is %v, must be at least 1", repeats)}
	}
	return nil
}

func checkComponents(r *Run) error {
	seen := make(map[string]int, len(r.Components))
	for i := range r.Components {
		c, at := &r.Components[i], place{"components", i}
		err := firstError(
			unique(at, "id", c.ID, seen),
			checkFile(at, c.File),
			oneOf(at, "kind", c.Kind, spell.KindPackage, spell.KindFile, spell.KindType, spell.KindFunction, spell.KindBlock),
			oneOf(at, "zone", c.Zone, spell.Red, spell.Yellow, spell.Green, ""), // "" before an analysis
			checkNumbers(at, number{"line", float64(c.Line)}, number{"column", float64(c.Column)}, number{"end_line", float64(c.EndLine)},
				number{"rank", float64(c.Rank)}, number{"n", c.N}, number{"time_ms", c.TimeMS}, number{"wall_ms", c.WallMS},
				number{"cum_time_ms", c.CumTimeMS}, number{"epi_j", c.EPIJ}, number{"psi", c.Psi}),
			checkEnergy(at, "energy_j", c.EnergyJ, r.Meter.Domains),
			checkEnergy(at, "cum_energy_j", c.CumEnergyJ, r.Meter.Domains),
			checkPhi(at, c.Phi, r.Meter.Domains),
			checkInterval(at, "psi_ci", c.PsiCI),
			checkInterval(at, "rank_ci", [2]float64{float64(c.RankCI[0]), float64(c.RankCI[1])}),
			checkEnergyCI(at, c.EnergyCI, r.Meter.Domains),
			checkByRound(at, c.RoundEnergyJ, c.RoundTimeMS, r),
		)
		if err != nil {
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
	return &fault{at.path("file"), fmt.Sprintf("has %d bytes, must have at most %d", len(name), maxFile)}
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
		if !amount(n.value) {
			return notAmount(at.path(n.field), n.value)
		}
	}
	return nil
}

// largest is far above anything real, and keeps all sums finite.
const largest = 1e300

func amount(v float64) bool { return v >= 0 && v <= largest }

func notAmount(path string, v float64) error {
	return &fault{path, fmt.Sprintf("is %v, must be a number from 0 to %v", v, float64(largest))}
}

func checkEnergy(at place, field string, e Energy, domains []spell.Domain) error {
	var worst error
	first := spell.Domain("")
	for d, v := range e {
		if known := slices.Contains(domains, d); known && amount(v) || worst != nil && first < d {
			continue // of several faults the first by name, whatever the order of the map
		} else if !known {
			worst = &fault{at.path(field) + "." + string(d), "is not one of the domains that meter.domains lists"}
		} else {
			worst = notAmount(at.path(field)+"."+string(d), v)
		}
		first = d
	}
	return worst
}

func checkPhi(at place, phi map[string]float64, domains []spell.Domain) error {
	var shares Energy
	for name, v := range phi {
		if name == "n" || name == "time" {
			if !amount(v) {
				return notAmount(at.path("phi."+name), v)
			}
			continue
		}
		if shares == nil {
			shares = make(Energy, len(phi))
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
	return &fault{at.path(field), fmt.Sprintf("is %.60q, must be one of %s", v, strings.Join(words, ", "))}
}

func unique(at place, field, name string, seen map[string]int) error {
	if name == "" {
		return &fault{at.path(field), "is empty, must be a name"}
	}
	if before, ok := seen[name]; ok {
		return &fault{at.path(field), fmt.Sprintf("is %q like %s[%d], must be unique", name, at.list, before)}
	}
	seen[name] = at.index
	return nil
}

func inList(at place, field string, i, length int, list string) error {
	if i >= 0 && i < length {
		return nil
	}
	return &fault{at.path(field), fmt.Sprintf("is %d, must be the index of one of the %d %s", i, length, list)}
}
