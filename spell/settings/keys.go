package settings

import (
	"math"
	"reflect"
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
	keys, defaults := table(), Default()
	for i := range keys {
		keys[i].Default = keys[i].get(&defaults)
	}
	return keys
}

// table is the only description of the keys. The parsers, the documentation and the
// editors' schemas are derived from it.
func table() []Key {
	keys := []Key{
		meters(needsTrust, "meter", "Where energy readings come from: %s, or several joined by commas, like rapl,gpu. auto takes the first meter that works on this machine.",
			func(s *Settings) *string { return &s.Meter }),
		text(needsTrust, "powercapRoot", "The folder of the powercap class that the meter rapl reads; empty for /sys/class/powercap.",
			"an absolute path, or empty", absolute, func(s *Settings) *string { return &s.PowercapRoot }),
		rounds(needsTrust, "rounds", "How often all tests are run. auto goes on until the ranking is stable.",
			func(s *Settings) *int { return &s.Rounds }),
		integer(needsTrust, "warmup", "Rounds that are run first and thrown away.",
			0, 100, func(s *Settings) *int { return &s.Warmup }),
		integer(needsTrust, "drop", "How many of the costliest rounds are left out.",
			0, 100, func(s *Settings) *int { return &s.Drop }),
		integer(needsTrust, "seed", "Decides the order of the tests in each round, so that a run can be done again in the same order; 0 draws one.",
			0, math.MaxUint32, func(s *Settings) *uint32 { return &s.Seed }),
		duration(needsTrust, "timeout", "How long a test binary may take in one round before it is stopped.",
			func(s *Settings) *time.Duration { return &s.Timeout }),
		list(needsTrust, "exclude", "What is not measured: globs of files or folders, relative to the workspace root, and functions by their IDs, of which the start up to a / may be left out.",
			"a list of globs and IDs", glob, func(s *Settings) *[]string { return &s.Exclude }),
		list(needsTrust, "tags", "Build tags, as go build -tags takes them.",
			"a list of build tags (letters, digits, _ and .)", buildTag, func(s *Settings) *[]string { return &s.Tags }),
		text(needsTrust, "run", "Which tests are run, as go test -run takes it; empty for all.",
			"a regular expression", pattern, func(s *Settings) *string { return &s.Run }),
		choice(needsTrust, "granularity", "What is ranked: functions, or their sums by type, file or package.",
			spell.Granularities(), func(s *Settings) *spell.Kind { return &s.Granularity }),
		choice(harmless, "oracle", "What a component's psi is a share of: the sum of all components' products (SPELL paper), or the product of their sums (thesis).",
			[]spell.Oracle{spell.SumOfProducts, spell.ProductOfSums}, func(s *Settings) *spell.Oracle { return &s.Oracle }),
	}
	for _, d := range spell.Domains() {
		keys = append(keys, weight(d))
	}
	return append(keys,
		text(needsTrust, "baseline", "What runs are compared with: the id of a saved run, a baseline's name, a branch, tag or commit of git, or a file, relative to the workspace root. Empty for the one that the editor set or else the run before; on the command line rules about a change need one.",
			"the name of a run or of a file", plainText, func(s *Settings) *string { return &s.Baseline }),
		boolean(harmless, "includeFailed", "Whether tests that did not pass count in the ranking.",
			func(s *Settings) *bool { return &s.IncludeFailed }),
		integer(harmless, "top", "How many components a ranking shows; -1 shows all, 0 the usual 20.",
			-1, 1_000_000, func(s *Settings) *int { return &s.Top }),
		choice(harmless, "zones.rule", "How components are put into zones: by what the first of them reach together (pareto), or each by its own share of all psi (absolute).",
			[]string{pareto, absoluteShare}, func(s *Settings) *string { return &s.ZonesBy }),
		share("zones.red", "The first components that together reach this share of all psi are red, by the rule pareto.",
			func(s *Settings) *float64 { return &s.Zones.Red }),
		share("zones.yellow", "The next ones that together reach this share of all psi are yellow, the others green, by the rule pareto.",
			func(s *Settings) *float64 { return &s.Zones.Yellow }),
		share("zones.floor", "A component with a smaller psi than this is never red, by the rule pareto.",
			func(s *Settings) *float64 { return &s.Zones.Floor }),
		share("zones.redFrom", "A component with at least this share of all psi is red, by the rule absolute.",
			func(s *Settings) *float64 { return &s.RedFrom }),
		share("zones.yellowFrom", "A component with at least this share of all psi is yellow, by the rule absolute.",
			func(s *Settings) *float64 { return &s.YellowFrom }),
		number("footprint.carbon", "Grams of CO2 equivalent that a kilowatt-hour stands for, as your grid's operator tells; 0 shows none.",
			"a number from 0 to 10000", 10_000, func(s *Settings) float64 { return s.Footprint.Carbon }, func(s *Settings, n float64) { s.Footprint.Carbon = n }),
		number("footprint.price", "What a kilowatt-hour costs you; 0 shows no cost.",
			"a number from 0 to 1000000", 1e6, func(s *Settings) float64 { return s.Footprint.Price }, func(s *Settings, n float64) { s.Footprint.Price = n }),
		text(harmless, "footprint.currency", "The currency of footprint.price, such as EUR.",
			"a name of at most 10 letters, or empty", currency, func(s *Settings) *string { return &s.Footprint.Currency }),
		level(harmless, "severity.red", "How the diagnostics of red components are shown.",
			func(s *Settings) *Level { return &s.Severity.Red }),
		level(harmless, "severity.yellow", "How the diagnostics of yellow components are shown.",
			func(s *Settings) *Level { return &s.Severity.Yellow }),
		level(harmless, "severity.green", "How the diagnostics of green components are shown.",
			func(s *Settings) *Level { return &s.Severity.Green }),
		boolean(harmless, "lenses", "Whether code lenses are shown.",
			func(s *Settings) *bool { return &s.Lenses }),
		boolean(harmless, "inlayHints", "Whether psi is shown behind the name of each measured function.",
			func(s *Settings) *bool { return &s.InlayHints }),
	)
}
