package toolkit

import (
	"strconv"
	"strings"

	"spell-lsp/spell"
)

// escapePrefix begins the escaped form of a name that the original tools cannot read. After
// the prefix, letters and digits stand for themselves, __ for an underscore, and _ with two
// hexadecimal digits for any other byte: park.Add is _spell_park_2eAdd.
const escapePrefix = "_spell_"

// escape returns name in a form that the original tools can read.
func escape(name string) string {
	if isID(name) && !strings.HasPrefix(name, escapePrefix) && !reserved(name) {
		return name
	}
	const hex = "0123456789abcdef"
	text := []byte(escapePrefix)
	for _, c := range []byte(name) {
		switch {
		case c == '_':
			text = append(text, "__"...)
		case isWord(c):
			text = append(text, c)
		default:
			text = append(text, '_', hex[c>>4], hex[c&15])
		}
	}
	return string(text)
}

// unescape reverses escape. Text that escape cannot have produced stands for itself.
func unescape(text string) string {
	code, ok := strings.CutPrefix(text, escapePrefix)
	if !ok {
		return text
	}
	var name []byte
	for i := 0; i < len(code); i++ {
		switch {
		case code[i] != '_':
			name = append(name, code[i])
		case strings.HasPrefix(code[i:], "__"):
			name = append(name, '_')
			i++
		case i+2 < len(code):
			name = append(name, nibble(code[i+1])<<4|nibble(code[i+2]))
			i += 2
		}
	}
	if spell.NameFault(string(name)) != "" || escape(string(name)) != text {
		return text
	}
	return string(name)
}

// nibble returns the value of a hexadecimal digit.
func nibble(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// isID reports whether name is an identifier for the original tools.
func isID(name string) bool {
	for i := range len(name) {
		if !isWord(name[i]) || i == 0 && name[0] >= '0' && name[0] <= '9' {
			return false
		}
	}
	return name != ""
}

// reserved reports whether name has a special meaning in one of the original tools. Their
// keys are not identifiers; and they leave out the component paiSpell but not its column,
// which shifts the columns after it.
func reserved(name string) bool { return name == "paiSpell" || keyOf([]byte(name)) != noKey }

// A componentName is the name of a component in a trace.
type componentName struct{ module, name string }

func (n componentName) String() string {
	if n.module == "" {
		return strconv.Quote(n.name)
	}
	return strconv.Quote(n.name) + " of " + strconv.Quote(n.module)
}

// componentsOf names the components of a trace. A name that is in one module only, or in
// none, is used alone; others are prefixed by their module, as in park.Add, with more points
// between them if that is taken.
func componentsOf(names []componentName) []spell.Component {
	modules := make(map[string]int, len(names))
	for _, n := range names {
		modules[n.name]++
	}
	components := make([]spell.Component, len(names))
	used := make(map[string]bool, len(names))
	for i, n := range names {
		if modules[n.name] == 1 || n.module == "" {
			components[i].ID = n.name
			used[n.name] = true
		}
	}
	for i, n := range names {
		if components[i].ID == "" {
			components[i].ID = unused(used, func(times int) string { return n.module + strings.Repeat(".", times) + n.name })
		}
	}
	return components
}

// unused returns the first of name(1), name(2), ... that is not in use, and marks it as used.
func unused(used map[string]bool, name func(times int) string) string {
	times := 1
	for used[name(times)] {
		times++
	}
	used[name(times)] = true
	return name(times)
}
