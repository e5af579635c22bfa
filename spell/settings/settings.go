// Package settings is how a measurement and its display are configured. The
// file .spell-lsp.yaml and the editor's section "spell" have the same keys,
// and one table describes them: see [Keys].
//
// Sources are layered: each parser takes the settings below it and changes
// what it was given. From the bottom: [Default], the file, the editor, flags.
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

// Settings is every key with a value. Parsers never change the settings they
// build on.
type Settings struct {
	Meter         string // names of Meters, joined by commas
	PowercapRoot  string // absolute, "" for the kernel's own
	Rounds        int    // 1 to 1000, 0 is auto
	Warmup        int    // rounds thrown away, 0 to 100
	Drop          int    // costliest rounds left out, 0 to 100, fewer than Rounds
	Seed          uint32 // of the order of the tests, 0 for a drawn one
	Timeout       time.Duration
	Exclude       []string // globs, and IDs of functions; see exclusion.Files
	Tags          []string
	Run           string // regular expression, "" for all
	Granularity   spell.Kind
	Oracle        spell.Oracle
	Weights       spell.Weights
	Baseline      string // what runs are compared with; "" for nothing named
	IncludeFailed bool
	Top           int            // -1 for all
	Zones         spell.ZoneRule // -1 where a threshold was set to 0; see ZoneRule
	ZonesBy       string         // pareto or absolute
	RedFrom       float64        // thresholds of absolute zones, -1 where one was set to 0
	YellowFrom    float64
	Footprint     footprint.Rates
	Severity      Severity
	Lenses        bool
	InlayHints    bool
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

// Severity is the level of each zone.
type Severity struct {
	Red, Yellow, Green Level
}

// Meters lists the names that the key meter takes, one or several joined by
// commas.
func Meters() []string {
	return []string{"auto", "rapl", "perf", "gpu", "battery", "model", "disk", "net", "none"}
}

// Default gives the settings where nothing is configured.
func Default() Settings {
	return Settings{
		Meter:       "auto",
		Warmup:      1,
		Timeout:     10 * time.Minute,
		Granularity: spell.KindFunction,
		Oracle:      spell.SumOfProducts,
		Weights:     spell.DefaultWeights(),
		Top:         20,
		Zones:       spell.ZoneRule{Red: 0.5, Yellow: 0.95, Floor: 0.05},
		ZonesBy:     pareto,
		RedFrom:     0.2,
		YellowFrom:  0.05,
		Severity:    Severity{Red: Error, Yellow: Warning, Green: Hint},
		Lenses:      true,
	}
}

// Load reads the configuration file of the folder dir over the defaults. A
// folder without one has the defaults.
func Load(dir string) (Settings, error) {
	name := filepath.Join(dir, FileName)
	data, err := regularfile.Read(name, regularfile.MaxSettings)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // who goes on says of dir what it is
		return Default(), nil
	}
	if err != nil {
		return Default(), fmt.Errorf("reading the configuration: %w", err)
	}
	return ParseYAML(data, name, Default())
}

// Map gives the settings by key, as [ParseJSON] reads them: text, numbers,
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

// The ways to put components into zones.
const (
	pareto        = "pareto"
	absoluteShare = "absolute"
)

// ZoneRule is how components are put into zones.
func (s Settings) ZoneRule() spell.ZoneRule {
	if s.ZonesBy == absoluteShare {
		return spell.ZoneRule{Absolute: true, Red: s.RedFrom, Yellow: s.YellowFrom}
	}
	return s.Zones
}

// Analysis says how a run is ranked.
func (s Settings) Analysis() spell.Options {
	return spell.Options{Oracle: s.Oracle, Weights: s.Weights, Zones: s.ZoneRule()}
}

// clone returns settings that share nothing with s.
func (s Settings) clone() Settings {
	s.Exclude, s.Tags, s.Weights = slices.Clone(s.Exclude), slices.Clone(s.Tags), maps.Clone(s.Weights)
	if s.Weights == nil {
		s.Weights = spell.Weights{}
	}
	return s
}
