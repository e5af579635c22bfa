// Package wording writes notes for people: on the command line, in Markdown, in an
// editor. It is the one place that has their texts. The text of a code is a template:
//
//	{key}            an argument, written by the unit at the end of its name
//	{key:noun}       a count with its noun: 1 test, 2 tests
//	{key:one|many}   a count with what is behind it: 1 test is, 2 tests are
//	{key~}           a relative change in words: 14 % more
//	{key;}           a list of texts or notes, separated by semicolons
//	{key|words}      an argument or, where it is empty, words; @base and @head are as below
//	{@base} {@head}  the runs that are compared, as the audience calls them
//	{@change unit}   the amount in HEAD against that in BASE, as [Audience.Than] writes it;
//	                 made of the arguments base_unit, head_unit and source
//	{@option name}   an option, as the audience sets it; its value is the argument of
//	                 that name, if there is one
//	{@flag name}     a flag that only the command line has
//	[...]            left out where one of its arguments is 0 or empty, or where the
//	                 audience has no flags
package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"spell-lsp/spell/note"
	"spell-lsp/spell/units"
)

// An Audience is where a text is read: how runs and options are called there.
type Audience struct {
	Base, Head string                          // the runs that are compared
	Option     func(name, value string) string // how an option is set; value may be ""
	Flags      bool                            // there is a command line
}

// CommandLine is who reads the output of the command, and files that it writes.
var CommandLine = Audience{Base: "BASE", Head: "HEAD", Flags: true, Option: func(name, value string) string {
	return strings.TrimSuffix("--"+name+" "+value, " ")
}}

// Editor is who reads what the server shows of a run that is compared with base, which is
// what that run is called in a sentence: "the baseline".
func Editor(base string) Audience {
	return Audience{Base: base, Head: "this run", Option: func(name, value string) string {
		if value == "" {
			return "setting spell." + name
		}
		return "the setting spell." + name + " at " + value
	}}
}

// texts are the templates of all codes but note.TextCode.
var texts = collect(rankingTexts, comparisonTexts, verdictTexts, gateTexts, roundTexts, buildTexts, meterTexts, resultTexts, machineTexts, budgetTexts, nodeTexts)

func collect(groups ...map[note.Code]string) map[note.Code][]segment {
	all := make(map[note.Code][]segment)
	for _, group := range groups {
		for code, template := range group {
			all[code] = parse(template)
		}
	}
	return all
}

// Brief is who reads a few words in an editor, as in a lens: what is compared with is left out.
var Brief = Editor("")

// Known tells whether a note, and each note in its arguments, has a text here: those of a
// newer version may have none.
func Known(n note.Note) bool {
	if _, ok := texts[n.Code]; !ok && n.Code != note.TextCode {
		return false
	}
	for _, arg := range n.Args {
		switch v := arg.(type) {
		case note.Note:
			if !Known(v) {
				return false
			}
		case []note.Note:
			if slices.ContainsFunc(v, func(n note.Note) bool { return !Known(n) }) {
				return false
			}
		}
	}
	return true
}

// Text writes a note for the command line and for files.
func Text(n note.Note) string { return CommandLine.Text(n) }

// Texts writes notes, each once, in their order.
func Texts(list []note.Note) []string { return CommandLine.Texts(list) }

// Text writes a note. What is not known is written with its arguments as they are.
func (a Audience) Text(n note.Note) string {
	if n.Code == note.TextCode {
		text, _ := n.Args["text"].(string)
		return text
	}
	template, ok := texts[n.Code]
	if !ok {
		return fmt.Sprintf("%s %v", n.Code, map[string]any(n.Args)) // fmt sorts the keys
	}
	var b strings.Builder
	for _, s := range template {
		if !s.optional || s.known(a, n.Args) {
			s.write(&b, a, n.Args)
		}
	}
	return b.String()
}

// Texts writes notes, each once, in their order.
func (a Audience) Texts(list []note.Note) []string {
	seen := make(map[string]bool, len(list))
	all := []string{}
	for _, n := range list {
		if text := a.Text(n); !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	return all
}

// Sentence writes a note as a sentence of its own: with a capital, and a full stop.
func (a Audience) Sentence(n note.Note) string {
	return strings.TrimSuffix(Upper(a.Text(n)), ".") + "."
}

// Upper makes the first letter of a text a capital.
func Upper(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// CounterRoot is what stands behind "measured" if the counters were read below a folder that
// somebody named instead of that of the system, where files may contain anything; "" if root
// is "".
func CounterRoot(root string) string {
	if root == "" {
		return ""
	}
	return " from counters below " + root + ", not the system's"
}

// value writes an argument by the unit at the end of its name.
func value(key string, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, separator(key))
	case float64:
		return number(key, v)
	}
	return fmt.Sprint(v)
}

func separator(key string) string {
	if key == "domains" {
		return " and "
	}
	return ", "
}

func number(key string, v float64) string {
	switch unit := key[strings.LastIndexByte(key, '_')+1:]; unit {
	case "j", "w":
		return units.Quantity(v, strings.ToUpper(unit))
	case "ms":
		return units.Duration(v)
	case "share":
		return strings.TrimSuffix(units.Percent(v), ".0") + " %"
	case "change":
		return units.Change(v)
	case "p":
		return units.Probability(v)
	case "psi":
		return units.Similarity(v)
	case "exponent":
		return strconv.FormatFloat(v, 'f', 2, 64)
	case "weight", "line": // line 1994 of a file, without a separator
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return units.Count(v)
}
