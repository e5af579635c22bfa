package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/spell/settings"
)

// settingFlags are flags that stand for settings: --include-failed for the key
// includeFailed. Their values go the way of every other source of settings.
type settingFlags struct {
	set *pflag.FlagSet
	of  map[string]string // flag's name to key
}

// register adds the flags of the given names to the command: names of
// settings, or of groups of them (--weights cpu=0.3,dram=0.1).
func (s *settingFlags) register(cmd *cobra.Command, names ...string) {
	if s.of == nil {
		s.set, s.of = cmd.Flags(), make(map[string]string)
	}
	for _, name := range names {
		for _, key := range settings.Keys() {
			group, _, _ := strings.Cut(key.Name, ".")
			if flagName(group) == name && s.of[name] == "" {
				s.of[name] = group
				addFlag(s.set, name, key)
			}
		}
	}
}

// flagName is a key's name as a flag: includeFailed is include-failed.
func flagName(key string) string {
	var b strings.Builder
	for _, r := range key {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// addFlag adds a flag whose value the settings will check. Its default is
// only shown: a flag that is not given leaves the layers below as they are.
func addFlag(set *pflag.FlagSet, name string, key settings.Key) {
	doc := strings.TrimSuffix(key.Doc, ".")
	if key.Enum != nil {
		doc += " (" + strings.Join(key.Enum, ", ") + ")"
	}
	switch {
	case strings.Contains(key.Name, "."):
		set.StringToString(name, nil, "the "+name+" by name: "+strings.Join(members(name), ", "))
	case key.Type == "boolean":
		set.Bool(name, false, doc)
	case key.Type == "array":
		set.StringSlice(name, nil, doc)
	default:
		set.String(name, "", doc)
		set.Lookup(name).DefValue = fmt.Sprint(key.Default)
	}
}

// members lists the settings of a group.
func members(group string) []string {
	var list []string
	for _, key := range settings.Keys() {
		if owner, member, ok := strings.Cut(key.Name, "."); ok && owner == group {
			list = append(list, member)
		}
	}
	return list
}

// over overrides the settings by the flags that were given.
func (s *settingFlags) over(base settings.Settings) (settings.Settings, error) {
	given := make(map[string]settings.FlagValue)
	for name, key := range s.of {
		if f := s.set.Lookup(name); f.Changed {
			given[key] = settings.FlagValue{Flag: "--" + name, Value: s.value(f)}
		}
	}
	return settings.ParseFlags(given, base)
}

// value is the flag's value as in JSON. What looks like a number is one.
func (s *settingFlags) value(f *pflag.Flag) any {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		items := make([]any, 0)
		for _, item := range list.GetSlice() {
			items = append(items, item)
		}
		return items
	}
	if group, err := s.set.GetStringToString(f.Name); err == nil {
		members := make(map[string]any)
		for name, text := range group {
			members[name] = number(text)
		}
		return members
	}
	if f.Value.Type() == "bool" {
		return f.Value.String() == "true"
	}
	return number(f.Value.String())
}

func number(text string) any {
	var n json.Number
	if json.Unmarshal([]byte(text), &n) == nil && text[0] != '"' {
		return n
	}
	return text
}
