package comparison

import (
	"path"
	"strings"

	"spell-lsp/spell/record"
)

// A match pairs a component of BASE with one of HEAD, by index.
type match struct {
	base, head int
	how        string // ByID, Renamed or Moved
}

// matchComponents pairs components by ID, and the others by the hash of their body if it is
// unique in both runs. Of several with the same body, the one with the same last element of
// its ID is taken, else the one of the same file; else none.
func matchComponents(base, head []record.Component) []match {
	var found []match
	at := make(map[string]int, len(base))
	for i := range base {
		at[base[i].ID] = i
	}
	usedBase, usedHead := make([]bool, len(base)), make([]bool, len(head))
	for j := range head {
		if i, ok := at[head[j].ID]; ok {
			found = append(found, match{i, j, ByID})
			usedBase[i], usedHead[j] = true, true
		}
	}
	for _, key := range []func(*record.Component) string{
		func(c *record.Component) string { return c.Hash },
		func(c *record.Component) string { return join(c.Hash, lastElement(c.ID)) },
		func(c *record.Component) string { return join(c.Hash, c.File) },
	} {
		left, right := alone(base, usedBase, key), alone(head, usedHead, key)
		for j := range head {
			k := key(&head[j])
			i, ok := left[k]
			if !ok || i < 0 || usedHead[j] || right[k] != j {
				continue
			}
			found = append(found, match{i, j, how(&base[i], &head[j])})
			usedBase[i], usedHead[j] = true, true
		}
	}
	return found
}

// join makes a key of a hash and what tells equal hashes apart; "" if one of them is missing.
func join(hash, with string) string {
	if hash == "" || with == "" {
		return ""
	}
	return hash + " " + with
}

// alone has the index of each unmatched component by key; -1 if several have the key.
func alone(list []record.Component, used []bool, key func(*record.Component) string) map[string]int {
	at := make(map[string]int)
	for i := range list {
		k := key(&list[i])
		if used[i] || k == "" {
			continue
		}
		if _, twice := at[k]; twice {
			at[k] = -1
			continue
		}
		at[k] = i
	}
	return at
}

func how(base, head *record.Component) string {
	if lastElement(base.ID) == lastElement(head.ID) {
		return Moved
	}
	return Renamed
}

// lastElement returns Add for example.com/park.(*Park).Add.
func lastElement(id string) string {
	name := path.Base(id)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// body says whether the code of a component changed.
func body(base, head *record.Component) string {
	switch {
	case base.Hash == "" || head.Hash == "":
		return UnknownBody
	case base.Hash == head.Hash:
		return SameBody
	}
	return ChangedBody
}
