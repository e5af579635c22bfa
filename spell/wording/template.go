package wording

import (
	"regexp"
	"slices"
	"strings"

	"spell-lsp/spell/note"
	"spell-lsp/spell/units"
)

// A segment is a part of a template that is written as a whole or, if it is optional,
// left out as a whole.
type segment struct {
	optional bool
	pieces   []piece
}

// A piece is literal text and the placeholder behind it, whose key is "" at the end of a
// segment.
type piece struct{ text, key, mark, word string }

// parse divides a template at its brackets, which are not nested.
func parse(template string) []segment {
	var list []segment
	for template != "" {
		before, rest, found := strings.Cut(template, "[")
		if before != "" {
			list = append(list, segment{false, piecesOf(before)})
		}
		if !found {
			break
		}
		inside, behind, _ := strings.Cut(rest, "]")
		list = append(list, segment{true, piecesOf(inside)})
		template = behind
	}
	return list
}

// placeholder matches {key}, {key:noun}, {key:one|many}, {key~}, {key;}, {key|words}, {@base},
// {@head}, {@change unit}, {@option name} and {@flag name}.
var placeholder = regexp.MustCompile(`\{(@?\w+)([:~;| ]?)([\w@| -]*)\}`)

func piecesOf(text string) []piece {
	var list []piece
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		list = append(list, piece{text[at:m[0]], text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]]})
		at = m[1]
	}
	return append(list, piece{text: text[at:]})
}

// known tells whether all arguments of a segment that no words stand for are there, and neither
// 0 nor empty, and whether the audience has its flags.
func (s segment) known(a Audience, args note.Args) bool {
	return !slices.ContainsFunc(s.pieces, func(p piece) bool {
		return p.key == "@flag" && !a.Flags || p.isArg() && p.mark != "|" && isEmpty(args[p.key])
	})
}

func (p piece) isArg() bool { return p.key != "" && p.key[0] != '@' }

func isEmpty(arg any) bool {
	switch v := arg.(type) {
	case string:
		return v == ""
	case float64:
		return v == 0
	case []string:
		return len(v) == 0
	case []note.Note:
		return len(v) == 0
	case note.Note:
		return v.Code == ""
	}
	return true
}

func (s segment) write(b *strings.Builder, a Audience, args note.Args) {
	for _, p := range s.pieces {
		b.WriteString(p.text)
		if p.key != "" {
			b.WriteString(a.fill(p, args))
		}
	}
}

// fill writes what stands for a placeholder.
func (a Audience) fill(p piece, args note.Args) string {
	switch p.key {
	case "@base":
		return a.Base
	case "@head":
		return a.Head
	case "@flag":
		return "--" + p.word
	case "@change":
		return a.change(p.word, args)
	case "@option":
		option := ""
		if v, ok := args[p.word]; ok {
			option = value(p.word, v)
		}
		return a.Option(p.word, option)
	}
	n, isNumber := args[p.key].(float64)
	list, isList := args[p.key].([]string)
	switch v := args[p.key].(type) {
	case note.Note:
		return a.Text(v)
	case []note.Note:
		list, isList = a.Texts(v), true
	}
	switch {
	case p.mark == ":" && isNumber:
		return counted(n, p.word)
	case p.mark == "~" && isNumber && n < 0:
		return units.Extent(-n) + " % less"
	case p.mark == "~" && isNumber:
		return units.Extent(n) + " % more"
	case p.mark == ";" && isList:
		return strings.Join(list, "; ")
	case p.mark == "|" && isEmpty(args[p.key]) && strings.HasPrefix(p.word, "@"):
		return a.fill(piece{key: p.word}, args)
	case p.mark == "|" && isEmpty(args[p.key]):
		return p.word
	}
	return value(p.key, args[p.key])
}

// counted writes a count with its noun, or with the one of two texts that suits it.
func counted(n float64, word string) string {
	one, many, both := strings.Cut(word, "|")
	switch {
	case !both:
		return units.Plural(n, word)
	case n == 1:
		return "1 " + one
	}
	return units.Count(n) + " " + many
}

// change writes the amount with the unit in HEAD against that in BASE.
func (a Audience) change(unit string, args note.Args) string {
	base, _ := args["base_"+unit].(float64)
	head, _ := args["head_"+unit].(float64)
	noun := ""
	switch unit {
	case "j":
		source, _ := args["source"].(string)
		noun = Energy(source)
	case "ms":
		noun = "running time"
	}
	return a.Than(base, head, noun)
}

// Energy is the noun for an amount of energy. source says where that comes from, such as
// "estimated"; "" for what was measured.
func Energy(source string) string {
	if source == "" {
		return "energy"
	}
	return "energy (" + source + ")"
}
