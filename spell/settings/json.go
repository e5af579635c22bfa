package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// maxDepth bounds the nesting of values; no setting needs as much.
const maxDepth = 10

// section is the name of the editor's settings; every path begins with it.
const section = "spell"

// ParseJSON overrides base with the editor's section "spell". Empty input, null, and
// the empty list that some clients make of an empty table change nothing. An error names
// the first problems by their paths; the settings are base then.
func ParseJSON(data []byte, base Settings) (Settings, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return base.clone(), nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return base, fmt.Errorf("the settings %s are not JSON: %w", section, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return base, fmt.Errorf("the settings %s are not JSON: there is more after their end at byte %d", section, decoder.InputOffset())
	}
	root := fromJSON(tree, section, 0)
	if root.kind == listKind && len(root.items) == 0 {
		root.kind = nullKind
	}
	return apply(root, base)
}

func fromJSON(tree any, path string, depth int) value {
	v := value{path: path}
	if depth == maxDepth {
		v.text = "nested too deeply"
		return v
	}
	switch tree := tree.(type) {
	case nil:
		v.kind = nullKind
	case bool:
		v.kind, v.text = boolKind, strconv.FormatBool(tree)
	case json.Number:
		v.kind, v.text = numberKind, tree.String()
	case string:
		v.kind, v.text = textKind, tree
	case []any:
		v.kind = listKind
		for i, item := range tree {
			v.items = append(v.items, fromJSON(item, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	case map[string]any:
		v.kind = groupKind
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			v.group = append(v.group, entry{name: name, value: fromJSON(tree[name], join(path, name), depth+1)})
		}
	default:
		v.text = fmt.Sprintf("a Go %T", tree)
	}
	return v
}

// join extends a path by a key, in quotes if it is not a plain word.
func join(path, name string) string {
	name = shorten(name)
	for _, r := range name {
		if r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			name = strconv.Quote(name)
			break
		}
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
