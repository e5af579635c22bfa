package wording

import (
	"regexp"
	"strings"

	"spell-lsp/spell/note"
	"spell-lsp/spell/units"
)

// A segment is a part of a template that is written as a whole or, if it is optional,
// left out as a whole.
type segment struct {
	optional bool
	text     string
}

// parse divides a template at its brackets, which are not nested.
func parse(template string) []segment {
	var list []segment
	for template != "" {
		before, rest, found := strings.Cut(template, "[")
		if before != "" {
			list = append(list, segment{false, before})
		}
		if !found {
			break
		}
		inside, behind, _ := strings.Cut(rest, "]")
		list = append(list, segment{true, inside})
		template = behind
	}
	return list
}

// placeholder matches {key}, {key:noun}, {key~}, {key;}, {@base} and {@option name}.
var placeholder = regexp.MustCompile(`\{(@?\w+)([:~; ]?)([\w-]*)\}`)

// keys are the arguments that a text names.
func keys(text string) []string {
	var list []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "@") {
			list = append(list, m[1])
		}
	}
	return list
}

// known tells whether all arguments of a segment are there, and neither 0 nor empty, and
// whether the audience has its flags.
func (s segment) known(a Audience, args note.Args) bool {
	if strings.Contains(s.text, "{@flag ") && !a.Flags {
		return false
	}
	for _, key := range keys(s.text) {
		switch v := args[key].(type) {
		case string:
			if v == "" {
				return false
			}
		case float64:
			if v == 0 {
				return false
			}
		case []string:
			if len(v) == 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (s segment) write(b *strings.Builder, a Audience, args note.Args) {
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(s.text, -1) {
		b.WriteString(s.text[at:m[0]])
		b.WriteString(a.fill(s.text[m[2]:m[3]], s.text[m[4]:m[5]], s.text[m[6]:m[7]], args))
		at = m[1]
	}
	b.WriteString(s.text[at:])
}

// fill writes what stands for a placeholder: its key, the mark behind the key, and the
// word behind that.
func (a Audience) fill(key, mark, word string, args note.Args) string {
	switch key {
	case "@base":
		return a.Base
	case "@head":
		return a.Head
	case "@flag":
		return "--" + word
	case "@option":
		option := ""
		if v, ok := args[word]; ok {
			option = value(word, v)
		}
		return a.Option(word, option)
	}
	n, isNumber := args[key].(float64)
	list, isList := args[key].([]string)
	switch {
	case mark == ":" && isNumber:
		return units.Plural(n, word)
	case mark == "~" && isNumber && n < 0:
		return units.Extent(-n) + " % less"
	case mark == "~" && isNumber:
		return units.Extent(n) + " % more"
	case mark == ";" && isList:
		return strings.Join(list, "; ")
	}
	return value(key, args[key])
}
