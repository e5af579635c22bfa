package grouping

import (
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/suggestion"
)

// Within lists the components of r, by index, that belong to the named package, file, type
// or function. Of a function whose blocks were not measured, but whose lines are known, it is the
// function alone. The end of the name is enough if it is unique: parse for
// example.com/m/parse. A name that nothing has is an error.
func Within(r *record.Run, name string) ([]int, error) {
	sources := r.Sources()
	inside := make(map[string][]int)
	var names []string
	for _, kind := range append(spell.Granularities(), spell.KindBlock) {
		groups, of := spell.Group(sources, kind)
		for i, j := range of {
			id := groups[j].ID
			if groups[j].Kind != kind || id == sources[i].ID {
				continue
			}
			if inside[id] == nil {
				names = append(names, id)
			}
			inside[id] = append(inside[id], i)
		}
	}
	i, err := find(name, names)
	if err == nil {
		return inside[names[i]], nil
	}
	if j, unknown := Find(r, name); unknown == nil && r.Components[j].Kind == spell.KindFunction {
		if c := &r.Components[j]; len(c.Lines) == 0 && c.Bytes == (record.Bytes{}) {
			return nil, fmt.Errorf("nothing is known of the inside of %s: too few samples fell in its own code, or the run has none", c.ID)
		}
		return []int{j}, nil
	}
	return nil, fmt.Errorf("nothing is inside of %w", err)
}

// Find returns the index of the component with that ID, or with an ID that ends in the
// name, if there is only one: Park.Add for example.com/park.(*Park).Add. It is an error if
// none or several match.
func Find(r *record.Run, name string) (int, error) {
	ids := make([]string, len(r.Components))
	for i := range ids {
		ids[i] = r.Components[i].ID
	}
	i, err := find(name, ids)
	if err != nil {
		return 0, fmt.Errorf("there is no component %w", err)
	}
	return i, nil
}

// find returns the index of the ID that is the name or ends in it.
func find(name string, ids []string) (int, error) {
	found, near := suggestion.Match(name, ids, 1)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return 0, fmt.Errorf("%q alone: it is the end of %s and of %s; write more of it", name, ids[found[0]], ids[found[1]])
	case len(near) > 0:
		return 0, fmt.Errorf("%q; did you mean %s?", name, ids[near[0]])
	}
	return 0, fmt.Errorf("%q", name)
}
