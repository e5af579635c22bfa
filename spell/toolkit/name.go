package toolkit

import (
	"strconv"
	"strings"

	"spell-lsp/spell"
)

// escapePrefix begins a name that the original tools could not read as it is.
// Behind it letters and digits stand for themselves, __ for an underscore, and
// _ with two hexadecimal digits for any other byte: park.Add is
// _spell_park_2eAdd.
const escapePrefix = "_spell_"

// escape returns name as the original tools read it.
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

// unescape returns the name that text stands for: itself, unless it is just
// what escape makes of another one.
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
	if nameFault(string(name)) != "" || escape(string(name)) != text {
		return text
	}
	return string(name)
}

// nibble is the value of a hexadecimal digit.
func nibble(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// isID reports whether the original tools take name for an identifier.
func isID(name string) bool {
	for i := range len(name) {
		if !isWord(name[i]) || i == 0 && name[0] >= '0' && name[0] <= '9' {
			return false
		}
	}
	return name != ""
}

// reserved reports whether name has a meaning of its own in one of the original
// tools: their keys are no identifiers, and the component paiSpell is left out
// of the matrix while its column is not, which shifts those behind it.
func reserved(name string) bool { return name == "paiSpell" || keyOf([]byte(name)) != noKey }

// A componentName is how a trace calls a component.
type componentName struct{ module, name string }

func (n componentName) String() string {
	if n.module == "" {
		return strconv.Quote(n.name)
	}
	return strconv.Quote(n.name) + " of " + strconv.Quote(n.module)
}

// componentsOf names the components of a trace: by name alone where one module
// has it, or none says its module, else by module and name, park.Add, and with
// more points between them if another component is called so.
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

// unused returns the first of name(1), name(2), ... that is not used, and marks
// it.
func unused(used map[string]bool, name func(times int) string) string {
	times := 1
	for used[name(times)] {
		times++
	}
	used[name(times)] = true
	return name(times)
}
