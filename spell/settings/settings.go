// Package settings is how a measurement and its display are configured. The
// file .spell-lsp.yaml and the editor's section "spell" have the same keys,
// and one table describes them: see [Keys].
//
// Sources are layered: each parser overrides the settings of the layer below. From the
// bottom: [Default], the file, the editor, flags.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/footprint"
	"spell-lsp/spell/regularfile"
)

// FileName is the name of the configuration file at the workspace root.
const FileName = ".spell-lsp.yaml"

// Settings has a value for every key. Parsers return new settings and do not modify
// those they override.
type Settings struct {
	Machine       string        // that measures, one of Machines; "" = this one
	Meter         string        // names of Meters, joined by commas
	PowercapRoot  string        // absolute path; "" = the kernel's own
	Rounds        int           // 1 to 1000; 0 = auto
	For           time.Duration // after which no round is begun; 0 = no bound
	Warmup        int           // discarded rounds, 0 to 100
	Drop          int           // costliest rounds to leave out, 0 to 100, fewer than Rounds
	Seed          uint32        // of the test order; 0 = random
	Timeout       time.Duration
	Exclude       []string // globs, and IDs of functions; see exclusion.Files
	Tags          []string
	Run           string              // regular expression; "" = all
	Scenarios     map[string]Scenario // by name
	Mode          string              // instrument, sample or auto
	Library       spell.Library       // whose the time outside of the workspace is, in mode sample
	Power         string              // model of the power: auto or linear
	Calmness      bool
	Granularity   spell.Kind
	Order         spell.Order // of the ranking and its zones
	Oracle        spell.Oracle
	Weights       spell.Weights
	Baseline      string // name of the run to compare with; "" = none
	IncludeFailed bool
	Top           int            // -1 = all
	Zones         spell.ZoneRule // -1 if a threshold was set to 0; see ZoneRule
	ZonesBy       string         // pareto or absolute
	KeepZones     bool           // functions that did not change keep the zones of the run before
	RedFrom       float64        // threshold of absolute zones; -1 if it was set to 0
	YellowFrom    float64
	Footprint     footprint.Rates
	GrowthSize    int // of the input, at which budgets are compared with formulas; 0 = none
	Severity      Severity
	Lenses        bool
	InlayHints    bool
	Advice        bool
}

// A Level says how an editor shows a diagnostic.
type Level string

// The levels: the four severities of the Language Server Protocol, and Off.
const (
	Error       Level = "error"
	Warning     Level = "warning"
	Information Level = "information"
	Hint        Level = "hint"
	Off         Level = "off" // no diagnostic
)

// Severity is the level of each zone, and of a broken budget.
type Severity struct {
	Red, Yellow, Green, Budget Level
}

// Meters lists the names that the key meter accepts, one or several joined by commas.
func Meters() []string {
	return []string{"auto", "rapl", "perf", "gpu", "hwmon", "battery", "model", "disk", "net", "none"}
}

// Modes are how it can be known what runs.
func Modes() []string { return []string{"instrument", "sample", "auto"} }

// PowerModels are the models of the power.
func PowerModels() []string { return []string{"auto", LinearPower} }

// LinearPower is the model without terms beside the watts of functions.
const LinearPower = "linear"

// Default returns the settings that apply when nothing is configured.
func Default() Settings {
	return Settings{
		Meter:       "auto",
		Warmup:      1,
		Timeout:     10 * time.Minute,
		Mode:        "instrument",
		Power:       "auto",
		Calmness:    true,
		Granularity: spell.KindFunction,
		Order:       spell.OrderAuto,
		Oracle:      spell.SumOfProducts,
		Weights:     spell.DefaultWeights(),
		Top:         20,
		Zones:       spell.ZoneRule{Red: 0.5, Yellow: 0.95, Floor: 0.05},
		ZonesBy:     pareto,
		KeepZones:   true,
		Advice:      true,
		RedFrom:     0.2,
		YellowFrom:  0.05,
		Severity:    Severity{Red: Error, Yellow: Warning, Green: Hint, Budget: Error},
		Lenses:      true,
	}
}

// Load returns the defaults, overridden by the configuration file of the folder dir if
// there is one.
func Load(dir string) (Settings, error) {
	name := filepath.Join(dir, FileName)
	data, err := regularfile.Read(name, regularfile.MaxSettings)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // the caller will report that dir is no folder
		return Default(), nil
	}
	if err != nil {
		return Default(), fmt.Errorf("reading the configuration: %w", err)
	}
	return ParseYAML(data, name, Default())
}

// Map returns the settings by key, as [ParseJSON] reads them: text, numbers,
// booleans, lists, and a map for each group of keys.
func (s Settings) Map() map[string]any {
	result := map[string]any{}
	for _, k := range table() {
		group, name, grouped := strings.Cut(k.Name, ".")
		if !grouped {
			result[k.Name] = k.get(&s)
			continue
		}
		members, ok := result[group].(map[string]any)
		if !ok {
			members = map[string]any{}
			result[group] = members
		}
		members[name] = k.get(&s)
	}
	return result
}

// The ways to assign components to zones.
const (
	pareto        = "pareto"
	absoluteShare = "absolute"
)

// ZoneRule returns the rule that assigns components to zones.
func (s Settings) ZoneRule() spell.ZoneRule {
	if s.ZonesBy == absoluteShare {
		return spell.ZoneRule{Absolute: true, Red: s.RedFrom, Yellow: s.YellowFrom}
	}
	return s.Zones
}

// Analysis returns the options with which a run is ranked.
func (s Settings) Analysis() spell.Options {
	return spell.Options{Order: s.Order, Oracle: s.Oracle, Weights: s.Weights, Zones: s.ZoneRule()}
}

// clone returns a deep copy of s.
func (s Settings) clone() Settings {
	s.Exclude, s.Tags, s.Weights = slices.Clone(s.Exclude), slices.Clone(s.Tags), maps.Clone(s.Weights)
	s.Scenarios = maps.Clone(s.Scenarios)
	if s.Weights == nil {
		s.Weights = spell.Weights{}
	}
	return s
}
