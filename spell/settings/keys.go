package settings

import (
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	"spell-lsp/spell"
)

// A Key describes one setting.
type Key struct {
	Name    string   // a member of a group is group.member
	Type    string   // as in JSON: string, integer, number, boolean, array (of strings), or "integer or string"
	Default any      // as in [Settings.Map]
	Allowed string   // the allowed values, to be read after "must be"
	Enum    []string // all allowed values if they can be listed, otherwise nil
	Doc     string   // one or two sentences
	Trust   Trust

	get  func(*Settings) any
	set  func(*Settings, value) error
	copy func(to, from *Settings)
}

// A Trust says whether a key is read from a workspace that the user does not trust.
// The zero value is invalid, so that every key must choose.
type Trust int

// The choices.
const (
	_          Trust = iota
	needsTrust       // names a file, folder, program, pattern or machine, or says what is run and how
	harmless         // changes only how results are shown
)

// Harmless reports whether the key is read without trust.
func (t Trust) Harmless() bool { return t == harmless }

// WithoutTrust returns the settings of a workspace that the user does not trust:
// keys that are not harmless have their defaults. It also names the keys whose values
// were dropped, in the order of Keys.
func (s Settings) WithoutTrust() (harmless Settings, ignored []string) {
	harmless = Default()
	for _, k := range table() {
		if k.Trust.Harmless() {
			k.copy(&harmless, &s)
		} else if !reflect.DeepEqual(k.get(&s), k.get(&harmless)) {
			ignored = append(ignored, k.Name)
		}
	}
	return harmless, ignored
}

// Keys describes every setting in the order in which they are documented.
func Keys() []Key {
	keys, defaults := slices.Clone(table()), Default()
	for i := range keys {
		keys[i].Default = keys[i].get(&defaults)
	}
	return keys
}

// table is the only description of the keys. The parsers, the documentation and the
// editors' schemas are derived from it.
var table = sync.OnceValue(func() []Key {
	keys := []Key{
		meters(needsTrust, "meter", "Where energy readings come from: %s, or several joined by commas, like rapl,gpu. auto takes the first of rapl, perf and model that works, and adds gpu to one that measures.",
			func(s *Settings) *string { return &s.Meter }),
		text(needsTrust, "powercapRoot", "The folder of the powercap class that the meter rapl reads; empty for /sys/class/powercap.",
			"an absolute path, or empty", absolute, func(s *Settings) *string { return &s.PowercapRoot }),
		rounds(needsTrust, "rounds", "How often all tests are run. auto goes on until the ranking is stable, or one more round is not worth its length.",
			func(s *Settings) *int { return &s.Rounds }),
		bound(needsTrust, "for", "Limits the time for rounds, with warm-up but without building; at least one round completes, and none starts that would overrun. Empty for as many rounds as the setting rounds says. As a flag with --exec or --scenario it is the measured time of each round instead.",
			func(s *Settings) *time.Duration { return &s.For }),
		integer(needsTrust, "warmup", "Number of rounds that are run first and discarded.",
			0, 100, func(s *Settings) *int { return &s.Warmup }),
		integer(needsTrust, "drop", "Number of rounds that are discarded, the costliest first.",
			0, 100, func(s *Settings) *int { return &s.Drop }),
		integer(needsTrust, "seed", "Seed of the random order of tests in each round after the first execution: the same seed gives the same order again; 0 draws a new seed.",
			0, math.MaxUint32, func(s *Settings) *uint32 { return &s.Seed }),
		duration(needsTrust, "timeout", "How long a test binary may take in one round before it is stopped.",
			func(s *Settings) *time.Duration { return &s.Timeout }),
		list(needsTrust, "exclude", "What is not measured: globs of files or folders, relative to the workspace root, and function IDs, which may be shortened to the part after any slash.",
			"a list of globs and IDs", glob, func(s *Settings) *[]string { return &s.Exclude }),
		list(needsTrust, "tags", "Build tags, as go build -tags takes them.",
			"a list of build tags (letters, digits, _ and .)", buildTag, func(s *Settings) *[]string { return &s.Tags }),
		text(needsTrust, "run", "Which tests are run, as go test -run takes it; empty for all.",
			"a regular expression", pattern, func(s *Settings) *string { return &s.Run }),
		scenarios("scenarios", "Programs and services that are measured in place of tests, by name. Each has exec (a main package, or go run and one, and its arguments), and may have ready (it is measured from when this answers: a URL, a port, or a regular expression of a line that it prints), load (a command that is started then; it is measured until that ends), for (the measured time of each round) and stop (the signal that ends it).",
			func(s *Settings) *map[string]Scenario { return &s.Scenarios }),
		choice(needsTrust, "mode", "How it is known what runs: instrument, by probes; sample, the stacks are sampled from outside and the program is built as it is; auto, by probes, unless the warm-up shows that they cost too much. Blocks, benchmarks, goroutines, labels and the tests that reach a function need probes.",
			Modes(), func(s *Settings) *string { return &s.Mode }),
		library(needsTrust, "library", "Which function mode sample charges for the time of the standard library and other modules: caller, the function of the workspace that called them; exact, the library function itself, which is ranked too; depth=K, likewise, with one row for each chain of up to K callers. With exact and depth calls are not counted.",
			func(s *Settings) *spell.Library { return &s.Library }),
		choice(needsTrust, "power", "The model by which the readings of a counter are divided: auto, a linear one (each function draws so many watts) with terms for threads that run at the same time, for readings that come late and for drift, each only where readings that were held out call for it; linear, without such terms.",
			PowerModels(), func(s *Settings) *string { return &s.Power }),
		boolean(needsTrust, "calmness", "Whether a measurement of three rounds or more also runs the programs unmeasured, up to five times in turns and once for each build, to see how far measuring changes them, and lengthens the time between samples where it does.",
			func(s *Settings) *bool { return &s.Calmness }),
		text(needsTrust, "machine", "The machine that measures, by its name in your own file machines.yaml; empty for this one. Tests and programs are built here and run there.",
			"the name of a machine (letters, digits, - and _), or empty", machineName, func(s *Settings) *string { return &s.Machine }),
		choice(needsTrust, "granularity", "What is ranked: functions, or their sums by type, file or package, or what ran in the goroutines that a function started, or under a label of runtime/pprof.",
			spell.Views(), func(s *Settings) *spell.Kind { return &s.Granularity }),
		choice(harmless, "order", "What the ranking and its zones follow: weighted, the energy weighted by the energy per call, which found known leaks earliest; energy, the share of the joules; psi, the similarity of the SPELL papers; auto, weighted for the functions of a program, energy for its packages, files, types and blocks, psi for a matrix of another tool.",
			[]spell.Order{spell.OrderAuto, spell.ByWeightedEnergy, spell.ByEnergy, spell.ByPsi}, func(s *Settings) *spell.Order { return &s.Order }),
		choice(harmless, "oracle", "What a component's product is divided by to give its psi: the sum of all components' products (SPELL paper), or the product of their sums (thesis).",
			[]spell.Oracle{spell.SumOfProducts, spell.ProductOfSums}, func(s *Settings) *spell.Oracle { return &s.Oracle }),
	}
	for _, d := range spell.Domains() {
		keys = append(keys, weight(d))
	}
	return append(keys,
		text(needsTrust, "baseline", "The run to compare with: the id of a saved run, the name of a baseline, a Git branch, tag or commit, or a file, relative to the workspace root. If empty, the editor compares with the baseline that was set there, otherwise with the previous run; on the command line, rules about changes need a baseline.",
			"the name of a run or of a file", plainText, func(s *Settings) *string { return &s.Baseline }),
		boolean(harmless, "includeFailed", "Whether tests that did not pass count in the ranking.",
			func(s *Settings) *bool { return &s.IncludeFailed }),
		integer(harmless, "top", "Number of components that the full page of a ranking shows; -1 shows all, 0 the default of 20. The flag --top also sets those of the first screen, which are 3 otherwise.",
			-1, 1_000_000, func(s *Settings) *int { return &s.Top }),
		choice(harmless, "zones.rule", "How components are assigned to zones: by the cumulative share of what the order follows, down the ranking (pareto), or by each component's own share of it (absolute). A component with a tenth of the energy is never green, unless it is below resolution or the order is psi.",
			[]string{pareto, absoluteShare}, func(s *Settings) *string { return &s.ZonesBy }),
		share("zones.red", "Rule pareto: the first components of the ranking that together reach this share are red.",
			func(s *Settings) *float64 { return &s.Zones.Red }),
		share("zones.yellow", "Rule pareto: the next components are yellow until, with the red ones, they reach this share; the others are green.",
			func(s *Settings) *float64 { return &s.Zones.Yellow }),
		share("zones.floor", "Rule pareto: a component with a smaller share than this is never red.",
			func(s *Settings) *float64 { return &s.Zones.Floor }),
		boolean(harmless, "zones.keep", "Whether a function keeps its zone from one saved run to the next while neither its code nor its energy changes; in the order psi none does. If not, a function may turn red because another was repaired. It counts from the next measurement on.",
			func(s *Settings) *bool { return &s.KeepZones }),
		share("zones.redFrom", "Rule absolute: a component with at least this share is red.",
			func(s *Settings) *float64 { return &s.RedFrom }),
		share("zones.yellowFrom", "Rule absolute: a component that is not red and has at least this share is yellow.",
			func(s *Settings) *float64 { return &s.YellowFrom }),
		number("footprint.carbon", "Carbon intensity of your electricity, in grams of CO2 equivalent per kilowatt-hour, as the grid operator publishes it; 0 shows no carbon.",
			"a number from 0 to 10000", 10_000, func(s *Settings) float64 { return s.Footprint.Carbon }, func(s *Settings, n float64) { s.Footprint.Carbon = n }),
		number("footprint.price", "Price of a kilowatt-hour; 0 shows no cost.",
			"a number from 0 to 1000000", 1e6, func(s *Settings) float64 { return s.Footprint.Price }, func(s *Settings, n float64) { s.Footprint.Price = n }),
		text(harmless, "footprint.currency", "The currency of footprint.price, such as EUR.",
			"a name of at most 10 letters, or empty", currency, func(s *Settings) *string { return &s.Footprint.Currency }),
		level("severity.red", "Severity of the diagnostics of red components.",
			func(s *Settings) *Level { return &s.Severity.Red }),
		level("severity.yellow", "Severity of the diagnostics of yellow components.",
			func(s *Settings) *Level { return &s.Severity.Yellow }),
		level("severity.green", "Severity of the diagnostics of green components.",
			func(s *Settings) *Level { return &s.Severity.Green }),
		level("severity.budget", "Severity of the diagnostics of budgets in the source that are broken; undecided ones are an information, unless this is off. A budget that cannot be read is a warning.",
			func(s *Settings) *Level { return &s.Severity.Budget }),
		integer(harmless, "growth.size", "A size of the input at which the budgets of functions are compared with how their cost grows, such as 100000: a formula that exceeds one there is shown at the budget, with the severity of severity.budget. 0 compares none.",
			0, math.MaxInt32, func(s *Settings) *int { return &s.GrowthSize }),
		boolean(harmless, "lenses", "Whether code lenses are shown.",
			func(s *Settings) *bool { return &s.Lenses }),
		boolean(harmless, "inlayHints", "Whether psi is shown after the name of each measured function.",
			func(s *Settings) *bool { return &s.InlayHints }),
		boolean(harmless, "advice", "Whether analysers look through the functions of each run for needless work, and what they find is shown at its line. They use the processor for some seconds after a measurement, and when a saved run is shown.",
			func(s *Settings) *bool { return &s.Advice }),
	)
})
