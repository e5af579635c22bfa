package gate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spell-lsp/spell/suggestion"
)

// Examples of rules, one of each kind.
const Examples = "energy>+5%, time>+10%, n(Park.Add)>+0%, energy(*)>+10%, energy>10J, energy(Park.Add)>2mJ, time>500ms, psi(Park.Add)>0.3, growth(Park.Sort)>1.2, growth(*)>+0.3, red, new-red, budget"

// A SyntaxError says what is wrong with a rule, and where.
type SyntaxError struct {
	Rule   string // all that was given
	Column int    // in characters, from 1
	What   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%q, column %d: %s; rules are like %s", e.Rule, e.Column, e.What, Examples)
}

// ParseAll reads rules that are separated by commas. A rule is one of:
//
//	QUANTITY[(COMPONENT)]>+NUMBER%     a change since BASE, if it is significant
//	QUANTITY[(COMPONENT)]>NUMBER[UNIT] a value of HEAD, a round
//	growth(COMPONENT)>[+]NUMBER        an exponent of HEAD, or its difference from that of BASE
//	red, new-red, budget
//
// COMPONENT is the name of a component or the end of it, or * for each component.
// The quantities are energy, time, n, psi and growth. Energy has units from nJ to kJ, time from ns to
// min, the others have none. Blanks do not count. The error is a *SyntaxError.
func ParseAll(s string) ([]Rule, error) {
	var rules []Rule
	p := parser{text: s}
	for {
		end := p.end()
		r, err := p.rule(end)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
		if end == len(s) {
			return rules, nil
		}
		p.at = end + 1
	}
}

// A parser reads one rule from a text of several.
type parser struct {
	text string
	at   int // bytes
}

func (p *parser) fault(format string, args ...any) error {
	column := utf8.RuneCountInString(p.text[:min(p.at, len(p.text))]) + 1
	return &SyntaxError{Rule: p.text, Column: column, What: fmt.Sprintf(format, args...)}
}

// end is where the rule ends: at a comma outside of parentheses, or with the text.
func (p *parser) end() int {
	depth := 0
	for i := p.at; i < len(p.text); i++ {
		switch p.text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth <= 0 {
				return i
			}
		}
	}
	return len(p.text)
}

func (p *parser) rule(end int) (Rule, error) {
	p.skip(end)
	start := p.at
	r := Rule{Text: strings.TrimSpace(p.text[start:end])}
	if r.Text == "" {
		return Rule{}, p.fault("there is no rule")
	}
	err := p.quantity(&r, end)
	if err != nil || r.Quantity.alone() {
		return r, err
	}
	if err := p.component(&r, end); err != nil {
		return Rule{}, err
	}
	if p.skip(end); p.at == end || p.text[p.at] != '>' {
		return Rule{}, p.fault("> and a limit are wanted here")
	}
	p.at++
	return r, p.limit(&r, end)
}

func (p *parser) skip(end int) {
	for p.at < end && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// quantity reads the first word.
func (p *parser) quantity(r *Rule, end int) error {
	known := []string{string(Energy), string(Time), string(N), string(Psi), string(Growth), string(Red), string(NewRed), string(Budget)}
	length := strings.IndexAny(p.text[p.at:end], "(> \t")
	if length < 0 {
		length = end - p.at
	}
	word := p.text[p.at : p.at+length]
	if !slices.Contains(known, word) {
		if near := suggestion.Nearest(word, known, 1); len(near) > 0 && word != "" {
			return p.fault("%q is no quantity, did you mean %s?", word, known[near[0]])
		}
		return p.fault("%q is no quantity: it is one of %s", word, strings.Join(known, ", "))
	}
	r.Quantity = Quantity(word)
	p.at += length
	if !r.Quantity.alone() {
		return nil
	}
	if p.skip(end); p.at < end {
		return p.fault("%s stands alone", word)
	}
	return nil
}

// alone tells whether a rule is the quantity alone, without a limit.
func (q Quantity) alone() bool { return q == Red || q == NewRed || q == Budget }

// component reads a name in parentheses, which may have some itself: that of a method
// of a pointer, pkg.(*T).M.
func (p *parser) component(r *Rule, end int) error {
	p.skip(end)
	if p.at == end || p.text[p.at] != '(' {
		if r.Quantity == Psi {
			return p.fault("psi is that of a component: write psi(pkg.F)")
		}
		if r.Quantity == Growth {
			return p.fault("growth is that of a function or benchmark: write growth(pkg.F), or growth(*)")
		}
		return nil
	}
	open, closing := p.at, p.at
	for depth := 0; ; closing++ {
		if closing == end {
			p.at = end
			return p.fault(") is wanted after the name of the component")
		}
		switch p.text[closing] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	r.Component = strings.TrimSpace(p.text[open+1 : closing])
	if r.Component == "" {
		p.at++
		return p.fault("the name of a component is wanted here")
	}
	p.at = closing + 1
	return nil
}

// limit reads what is behind >.
func (p *parser) limit(r *Rule, end int) error {
	p.skip(end)
	r.Relative = p.at < end && p.text[p.at] == '+'
	if r.Relative {
		p.at++
		p.skip(end)
	}
	start := p.at
	text := strings.TrimRight(p.text[start:end], " \t")
	digits := strings.IndexFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	if digits < 0 {
		digits = len(text)
	}
	value, err := strconv.ParseFloat(text[:digits], 64)
	if err != nil || math.IsInf(value, 0) {
		return p.fault("a number is wanted here, of at least 0")
	}
	p.at += digits
	unit := strings.TrimLeft(text[digits:], " \t")
	p.at += len(text) - digits - len(unit)
	size, ok := p.unit(r, unit)
	if !ok {
		return p.fault("%s", wantedUnit(r, unit))
	}
	r.Limit = value * size
	if math.IsInf(r.Limit, 0) {
		p.at = start
		return p.fault("the number is too large")
	}
	return nil
}

// unit is the size of a unit in that of the limit.
func (p *parser) unit(r *Rule, name string) (size float64, ok bool) {
	if r.Relative && r.Quantity != Growth {
		return 0.01, name == "%"
	}
	size, ok = unitSizes(r.Quantity)[name]
	return size, ok
}

func unitSizes(q Quantity) map[string]float64 {
	switch q {
	case Energy:
		return map[string]float64{"nJ": 1e-9, "µJ": 1e-6, "uJ": 1e-6, "mJ": 1e-3, "J": 1, "kJ": 1e3}
	case Time:
		return map[string]float64{"ns": 1e-6, "µs": 1e-3, "us": 1e-3, "ms": 1, "s": 1e3, "min": 60e3}
	default:
		return map[string]float64{"": 1}
	}
}

func wantedUnit(r *Rule, got string) string {
	wanted := map[Quantity]string{Energy: "the limit of an energy has a unit: nJ, µJ, mJ, J or kJ", Time: "the limit of a time has a unit: ns, µs, ms, s or min"}[r.Quantity]
	switch {
	case r.Quantity == Growth:
		return "an exponent has no unit: growth(*)>+0.3"
	case r.Relative:
		return "% is wanted after the number of a change"
	case got == "%":
		return "a change begins with +: " + string(r.Quantity) + ">+5%"
	case wanted == "":
		wanted = "nothing is wanted after the number"
	}
	return wanted
}
