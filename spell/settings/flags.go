package settings

import (
	"maps"
	"slices"
)

// A FlagValue is the value of a command-line flag: text, a bool, a json.Number, a list
// or a map of these.
type FlagValue struct {
	Flag  string // as the user writes it, for errors: --rounds
	Value any
}

// ParseFlags overrides base with flags, by the keys for which they stand. An error names
// every problem by its flag; the settings are base then.
func ParseFlags(flags map[string]FlagValue, base Settings) (Settings, error) {
	root := value{kind: groupKind}
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		f := flags[key]
		root.group = append(root.group, entry{name: key, value: fromJSON(f.Value, f.Flag, 0)})
	}
	return apply(root, base)
}
