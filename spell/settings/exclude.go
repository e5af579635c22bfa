package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// An Edit replaces the bytes from From up to To of a text.
type Edit struct {
	From, To int
	Text     string
}

func (e Edit) apply(data []byte) []byte {
	return slices.Concat(data[:e.From], []byte(e.Text), data[e.To:])
}

// AddExclude returns the edit of a configuration file that adds an entry to exclude and
// leaves the rest of the text alone, comments and layout included. It fails if the file
// has mistakes, has the entry already, or is laid out in a way that is not supported.
func AddExclude(data []byte, entry string) (Edit, error) {
	before, err := ParseYAML(data, FileName, Default())
	if err != nil {
		return Edit{}, err
	}
	if slices.Contains(before.Exclude, entry) {
		return Edit{}, errors.New("exclude in " + FileName + " has it already: save the file")
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return Edit{}, syntaxError(err, data, FileName)
	}
	quoted, err := quote(entry)
	if err != nil {
		return Edit{}, err
	}
	before.Exclude = append(before.Exclude, entry)
	for _, e := range excludeEdits(data, &document, quoted) {
		after, err := ParseYAML(e.apply(data), FileName, Default())
		if err == nil && sameSettings(before, after) {
			return e, nil
		}
	}
	return Edit{}, errors.New(FileName + " is written in a way that cannot be edited here: add " + quoted + " to exclude by hand")
}

// sameSettings compares settings and ignores the order of exclude.
func sameSettings(a, b Settings) bool {
	a, b = a.clone(), b.clone()
	slices.Sort(a.Exclude)
	slices.Sort(b.Exclude)
	return reflect.DeepEqual(a, b)
}

// quote writes a text in JSON's form, which is valid YAML.
func quote(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// excludeEdits lists candidate edits, the most readable first. The caller checks which of
// them is right for the text.
func excludeEdits(data []byte, document *yaml.Node, quoted string) []Edit {
	t := layout{data: data, newline: "\n"}
	if bytes.Contains(data, []byte("\r\n")) {
		t.newline = "\r\n"
	}
	list := "exclude:" + t.newline + "  - " + quoted
	if len(document.Content) == 0 || document.Content[0].ShortTag() == "!!null" {
		return []Edit{t.atEnd("", list)}
	}
	root := document.Content[0]
	if value := member(root, "exclude"); value != nil {
		return t.extend(value, quoted)
	}
	at := t.offset(root.Line, root.Column)
	if root.Style&yaml.FlowStyle != 0 {
		return []Edit{t.insert(at+1, "exclude: ["+quoted+"]"+comma(root))}
	}
	indent := strings.Repeat(" ", root.Column-1)
	list = strings.ReplaceAll(list, t.newline, t.newline+indent)
	return []Edit{t.atEnd(indent, list), t.insert(at, list+t.newline+indent)}
}

func member(group *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(group.Content); i += 2 {
		if group.Content[i].Value == name {
			return group.Content[i+1]
		}
	}
	return nil
}

// A layout is a text that is addressed by line and column.
type layout struct {
	data    []byte
	newline string
}

// extend adds an item to the value of exclude: a list in either of YAML's forms, or
// nothing.
func (t layout) extend(value *yaml.Node, quoted string) []Edit {
	at := t.offset(value.Line, value.Column)
	switch {
	case value.Kind != yaml.SequenceNode:
		return []Edit{{at, at + len(value.Value), "[" + quoted + "]"}, {at, at + len(value.Value), " [" + quoted + "]"}}
	case value.Style&yaml.FlowStyle != 0:
		return []Edit{t.insert(at+1, quoted+comma(value))}
	}
	last := value.Content[len(value.Content)-1].Line
	begin, end := t.offset(last, 1), t.offset(last+1, 1)
	line := t.data[begin:end]
	item := string(line[:len(line)-len(bytes.TrimLeft(line, " "))]) + "- " + quoted
	if end > 0 && t.data[end-1] != '\n' {
		return []Edit{t.insert(end, t.newline+item)}
	}
	return []Edit{t.insert(end, item+t.newline)}
}

// comma returns the separator between a new first item of a bracketed list or group and
// the others.
func comma(before *yaml.Node) string {
	if len(before.Content) == 0 {
		return ""
	}
	return ", "
}

func (t layout) insert(at int, text string) Edit { return Edit{at, at, text} }

// atEnd appends lines to the text.
func (t layout) atEnd(indent, text string) Edit {
	text = indent + text + t.newline
	if n := len(t.data); n > 0 && t.data[n-1] != '\n' {
		text = t.newline + text
	}
	return t.insert(len(t.data), text)
}

// offset returns the byte offset of a line and column, both from 1. Columns count
// characters; a byte order mark is not counted.
func (t layout) offset(line, column int) int {
	at := 0
	if bytes.HasPrefix(t.data, []byte("\ufeff")) && line == 1 {
		at = len("\ufeff")
	}
	for ; line > 1; line-- {
		next := bytes.IndexByte(t.data[at:], '\n')
		if next < 0 {
			return len(t.data)
		}
		at += next + 1
	}
	for ; column > 1 && at < len(t.data); column-- {
		_, size := utf8.DecodeRune(t.data[at:])
		at += size
	}
	return at
}
