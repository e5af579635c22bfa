package settings

import (
	"slices"
	"strings"

	"spell-lsp/spell/shortlist"
)

// A layer applies one source of settings to base.
type layer struct {
	settings Settings
	keys     []Key
	problems shortlist.Errors
}

// apply overrides base with the keys of root. If there are problems the result is base,
// and the error names the first problems, in the order of the source, and counts the rest.
func apply(root value, base Settings) (Settings, error) {
	l := layer{settings: base.clone(), keys: table()}
	l.group(root, "")
	if l.problems.Err() == nil {
		l.problem(l.checkCombinations(root))
	}
	if err := l.problems.Err(); err != nil {
		return base, err
	}
	return l.settings, nil
}

// checkCombinations checks keys whose valid values depend on other keys.
func (l *layer) checkCombinations(root value) error {
	s := &l.settings
	if z := s.Zones; z.Red > z.Yellow {
		return root.entry("zones").errorf("has red %v above yellow %v, must have red no higher than yellow", z.Red, max(0, z.Yellow))
	}
	if s.RedFrom < s.YellowFrom {
		return root.entry("zones").errorf("has redFrom %v below yellowFrom %v, must have redFrom no lower than yellowFrom", max(0, s.RedFrom), s.YellowFrom)
	}
	if s.Rounds == 0 || s.Drop < s.Rounds {
		return nil
	}
	if at := root.entry("drop"); at.path != root.path {
		return at.errorf("is %d, must be less than the %d of rounds: no round would be left", s.Drop, s.Rounds)
	}
	return root.entry("rounds").errorf("is %d, must be more than the %d of drop: no round would be left", s.Rounds, s.Drop)
}

// group applies the keys of v, which are the members of the named group, or of the top
// level if the name is "". A key without a value counts as absent: editors send null
// for a setting that is not set.
func (l *layer) group(v value, name string) {
	if v.kind == nullKind {
		return
	}
	if v.kind != groupKind {
		l.problem(v.mustBe("a group of the keys " + strings.Join(l.names(name), ", ")))
		return
	}
	seen := map[string]bool{}
	for _, e := range v.group {
		if seen[e.name] {
			l.problems.Add(func() error { return e.errorf("is there twice, remove one") })
			continue
		}
		seen[e.name] = true
		l.entry(e, name)
	}
}

func (l *layer) entry(e entry, group string) {
	full := e.name
	if group != "" {
		full = group + "." + e.name
	}
	for _, k := range l.keys {
		if k.Name != full || group == "" && strings.Contains(full, ".") {
			continue
		}
		if e.value.kind != nullKind {
			l.problem(k.set(&l.settings, e.value))
		}
		return
	}
	if group == "" && l.isGroup(e.name) {
		l.group(e.value, e.name)
		return
	}
	l.problems.Add(func() error { return l.unknown(e, group) })
}

func (l *layer) problem(err error) {
	if err != nil {
		l.problems.Add(func() error { return err })
	}
}

func (l *layer) isGroup(name string) bool {
	return slices.ContainsFunc(l.keys, func(k Key) bool {
		owner, _, grouped := strings.Cut(k.Name, ".")
		return grouped && owner == name
	})
}

func (l *layer) unknown(e entry, group string) error {
	known := l.names(group)
	if owner, member, ok := strings.Cut(e.name, "."); ok && slices.Contains(l.names(owner), member) {
		return e.errorf("is not a setting here: put %s into the group %s", member, owner)
	}
	return e.errorf("is not a setting%s (there are %s)", didYouMean(e.name, known), strings.Join(known, ", "))
}

// names lists the keys of a group as a source spells them, or those of the top level,
// where the name of a group stands for its members. An unknown group has none.
func (l *layer) names(group string) []string {
	var result []string
	for _, k := range l.keys {
		owner, name, grouped := strings.Cut(k.Name, ".")
		if !grouped {
			owner, name = "", k.Name
		} else if group == "" {
			owner, name = "", owner
		}
		if owner == group && !slices.Contains(result, name) {
			result = append(result, name)
		}
	}
	return result
}

func (e entry) errorf(format string, args ...any) error {
	return value{place: e.place, path: e.value.path}.errorf(format, args...)
}

// entry finds the value of a top-level key; it returns v itself if the key is absent.
func (v value) entry(name string) value {
	for _, e := range v.group {
		if e.name == name {
			return e.value
		}
	}
	return v
}
