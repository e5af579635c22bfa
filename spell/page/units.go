package page

import "strconv"

// Quantity writes an amount of at least 0 with three digits and the prefix
// that suits it, from kilo to nano.
func Quantity(v float64, unit string) string {
	prefixes := []struct {
		size float64
		name string
	}{{1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}
	for _, p := range prefixes {
		if v >= 0.9995*p.size { // 999.5 m would be rounded to 1000 m
			return digits(v/p.size) + " " + p.name + unit
		}
	}
	if v == 0 {
		return "0 " + unit
	}
	return "<1 n" + unit
}

// digits writes three of them: 1.23, 12.3, 123; more before the point.
func digits(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v < 1e6:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Duration writes milliseconds.
func Duration(ms float64) string {
	switch s := ms / 1000; {
	case s >= 7200:
		return digits(s/3600) + " h"
	case s >= 120:
		return digits(s/60) + " min"
	case s >= 1:
		return digits(s) + " s"
	default:
		return Quantity(s, "s")
	}
}

// Percent writes a share without the sign: 12.3.
func Percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "<0.1"
	}
	return strconv.FormatFloat(share*100, 'f', 1, 64)
}

// Similarity writes psi with the four digits of the SPELL paper's tables.
func Similarity(psi float64) string {
	if psi > 0 && psi < 0.00005 {
		return "<.0001"
	}
	return strconv.FormatFloat(psi, 'f', 4, 64)
}
