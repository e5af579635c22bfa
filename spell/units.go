package spell

import "strconv"

// Quantity writes an amount of at least 0 with three digits and the prefix that suits
// it, from kilo to nano: 1.20 kJ, 500 mJ, 12.3 µJ, <1 nJ. Every page, sentence and lens
// writes amounts so, that one figure looks the same wherever it stands. The extension
// has the same rule (vscode-client/src/units.ts); testdata/units.json holds them together.
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

// Duration writes milliseconds of at least 0 as [Quantity] does, from two minutes on in
// minutes, from two hours on in hours.
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
