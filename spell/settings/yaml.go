package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// ParseYAML overrides base with a configuration file; name is for errors only. An empty
// file changes nothing. An error names the first problems with file, line and column; the
// settings are base then.
func ParseYAML(data []byte, name string, base Settings) (Settings, error) {
	root, err := document(data, name)
	if err != nil {
		return base, err
	}
	return apply(root, base)
}

// document reads a file of one document; an empty file is null.
func document(data []byte, name string) (value, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return value{kind: nullKind}, nil
	} else if err != nil {
		return value{}, syntaxError(err, data, name)
	}
	if err := decoder.Decode(&second); err == nil {
		return value{}, fmt.Errorf("%s:%d:%d: a second document begins, must be one", name, second.Line, second.Column)
	} else if !errors.Is(err, io.EOF) {
		return value{}, syntaxError(err, data, name)
	}
	if len(first.Content) != 1 {
		return value{kind: nullKind}, nil
	}
	root := fromYAML(first.Content[0], name, "", 0)
	if root.kind != groupKind && root.kind != nullKind {
		root.path = "the file"
	}
	return root, nil
}

// syntaxError puts the place before the YAML parser's message. The line in
// that message is often wrong or absent.
func syntaxError(err error, data []byte, name string) error {
	message := parserLine.ReplaceAllString(err.Error(), "")
	if line := syntaxErrorLine(data); line > 0 {
		name += ":" + strconv.Itoa(line)
	}
	return fmt.Errorf("%s: not YAML: %s", name, shorten(message))
}

var parserLine = regexp.MustCompile(`^yaml: (line \d+: )?`)

// syntaxErrorLine returns the line after the longest prefix of lines that is valid YAML:
// there is the mistake, or the start of something that was never closed. In long files it
// settles for the line after some valid prefix, and in very long ones for 0.
func syntaxErrorLine(data []byte) int {
	const (
		longest = 64 << 10  // bytes of a file
		most    = 128 << 10 // bytes parsed while searching backwards
	)
	if len(data) > longest {
		return 0
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	ends := make([]int, len(lines)+1) // by number of lines
	for i, line := range lines {
		ends[i+1] = ends[i] + len(line)
	}
	parsed := 0
	for n := len(lines) - 1; n >= 0; n-- {
		if parsed += ends[n]; parsed > most {
			return sort.Search(n+1, func(i int) bool { return !isYAML(data[:ends[i]]) })
		}
		if isYAML(data[:ends[n]]) {
			return n + 1
		}
	}
	return 0
}

func isYAML(data []byte) bool {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

func fromYAML(n *yaml.Node, file, path string, depth int) value {
	v := value{place: place{file, n.Line, n.Column}, path: path}
	if depth == maxDepth {
		v.text = "nested too deeply"
		return v
	}
	switch n.Kind {
	case yaml.ScalarNode:
		v.kind, v.text = scalarKind(n)
	case yaml.SequenceNode:
		v.kind = listKind
		for i, item := range n.Content {
			v.items = append(v.items, fromYAML(item, file, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	case yaml.MappingNode:
		v.kind = groupKind
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			name := key.Value
			if key.Kind != yaml.ScalarNode {
				name = "?"
			}
			v.group = append(v.group, entry{
				place: place{file, key.Line, key.Column},
				name:  name,
				value: fromYAML(n.Content[i+1], file, join(path, name), depth+1),
			})
		}
	default: // aliases are refused, because following them could take forever
		v.text = "an alias " + strconv.Quote("*"+n.Value)
	}
	return v
}

func scalarKind(n *yaml.Node) (kind, string) {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return nullKind, n.Value
	case "!!bool":
		return boolKind, n.Value
	case "!!int", "!!float":
		return numberKind, n.Value
	case "!!str", "!!timestamp":
		return textKind, n.Value
	default:
		return otherKind, "a value with the tag " + strconv.Quote(tag)
	}
}
