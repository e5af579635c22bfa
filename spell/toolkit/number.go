package toolkit

import (
	"errors"
	"strconv"

	"spell-lsp/spell"
)

// powers of ten that a float64 holds exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// number reads the decimal that begins at text[i], without a sign: digits, at
// most one point among them or at either end, and an exponent. It returns the
// float64 that is nearest, +Inf beyond all of them, and the index behind it; i
// if there is no number.
//
// Up to 2^53 and with at most 22 places, digits and power of ten are float64
// as they are, and one division or product rounds correctly (Clinger, "How to
// read floating point numbers accurately", 1990). Anything else is for strconv.
func number(text []byte, i int) (v float64, end int) {
	mantissa, at := digits(text, i, 0)
	count, places := at-i, 0
	if at < len(text) && text[at] == '.' {
		point := at
		mantissa, at = digits(text, at+1, mantissa)
		places = at - point - 1
		count += places
	}
	if count == 0 {
		return 0, i
	}
	exponent, at := exponentAt(text, at)
	exponent -= places
	switch {
	case count > 19 || mantissa > 1<<53 || exponent < -22 || exponent > 22: // 19 digits fit an uint64
		v, _ = strconv.ParseFloat(string(text[i:at]), 64) // the only error is a number that is too large: Inf
	case exponent < 0:
		v = float64(mantissa) / powers[-exponent]
	default:
		v = float64(mantissa) * powers[exponent]
	}
	return v, at
}

// digits appends the digits from text[i] on to a mantissa, which may overflow,
// and returns the index behind them.
func digits(text []byte, i int, mantissa uint64) (uint64, int) {
	for i < len(text) {
		d := text[i] - '0'
		if d > 9 {
			break
		}
		mantissa = mantissa*10 + uint64(d)
		i++
	}
	return mantissa, i
}

// exponentAt reads an exponent, 0 where none begins at text[i]. Of a large one
// only that it is large is right.
func exponentAt(text []byte, i int) (exponent, end int) {
	if i >= len(text) || text[i]|0x20 != 'e' {
		return 0, i
	}
	first := i + 1
	if first < len(text) && (text[first] == '+' || text[first] == '-') {
		first++
	}
	value, end := digits(text, first, 0)
	if end == first {
		return 0, i
	}
	exponent = int(min(value, 1000))
	if end-first > 18 {
		exponent = 1000
	}
	if text[i+1] == '-' {
		exponent = -exponent
	}
	return exponent, end
}

// numberFault says why no number of a matrix or trace begins text.
func numberFault(text []byte) fault {
	const do = "write a number of at least 0 with a decimal point, such as 0.5 or 5e-1"
	w := word(text)
	v, err := strconv.ParseFloat(w, 64)
	switch {
	case w == "":
		return fault{"a number is missing", do}
	case w[0] == '-':
		return fault{excerpt(text) + " is negative", do}
	case v > spell.MaxValue && (err == nil || errors.Is(err, strconv.ErrRange)):
		return fault{excerpt(text) + " is too large or not finite", do}
	}
	return fault{excerpt(text) + " is not a number", do}
}
