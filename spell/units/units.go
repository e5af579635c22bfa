// Package units writes figures: amounts with their units, shares, changes,
// probabilities and counts. Every page, sentence, lens and hover writes them with it, so
// that the same figure looks the same wherever it is shown. The extension and the page of
// the report have the same rules in TypeScript (vscode-client/src/text/units.ts,
// vscode-client/report/format.ts); testdata/units.json holds all of them together.
package units

import (
	"math"
	"strconv"
	"strings"
)

// Quantity writes an amount of at least 0 with three digits and the prefix that suits
// it, from kilo to nano: 1.20 kJ, 500 mJ, 12.3 µJ, <1 nJ.
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

// Bytes writes a number of bytes of at least 0, from a thousand on with three digits and a
// decimal prefix: 300 B, 4.10 kB, 67.1 MB.
func Bytes(n float64) string {
	text := Count(n) + " B"
	for _, prefix := range []string{"k", "M", "G", "T"} {
		if n /= 1000; n < 0.9995 {
			break
		}
		text = digits(n) + " " + prefix + "B"
	}
	return text
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

// Estimate writes milliseconds of at least 0 that are only expected: in whole seconds, but at
// least one, from two minutes on in whole minutes, from two hours on in hours.
func Estimate(ms float64) string {
	switch s := ms / 1000; {
	case s >= 7200:
		return strconv.FormatFloat(s/3600, 'f', 1, 64) + " h"
	case s >= 119.5:
		return strconv.FormatFloat(s/60, 'f', 0, 64) + " min"
	default:
		return strconv.FormatFloat(max(1, s), 'f', 0, 64) + " s"
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

// Percent writes a share from 0 to 1 in percent, without the sign, with one decimal:
// 12.3, <0.1.
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

// Probability writes p with two digits: 0.032, 0.00013; <0.0001 below that.
func Probability(p float64) string {
	switch {
	case p < 0.0001:
		return "<0.0001"
	case p >= 0.995:
		return "1"
	}
	digits := max(2, 1-int(math.Floor(math.Log10(p))))
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(p, 'f', digits, 64), "0"), ".")
}

// Extent writes how large a relative change is, at least 0, in percent without the sign:
// 34, 3.4, 0.34. It has two digits that matter, as changes span more than shares do.
func Extent(change float64) string {
	switch v := 100 * change; {
	case v >= 99.5 && v < 100: // 99.96 % less must not look like all
		return strconv.FormatFloat(min(v, 99.9), 'f', 1, 64)
	case v >= 9.95 && v < 1e6:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1e6:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case v >= 0.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v > 0 && v < 0.01:
		return "<0.01"
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// Change writes a relative change: +12 %, -34 %, 0 %.
func Change(change float64) string {
	switch {
	case change == 0:
		return "0 %"
	case change < 0:
		return "-" + Extent(-change) + " %"
	}
	return "+" + Extent(change) + " %"
}

// Factor writes how many times as much something is: 2.07, 123.
func Factor(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Count writes how often something happened, which as a mean may have a fraction: 12, 0.25,
// 66,108,219.
func Count[N int | float64](n N) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Round(float64(n)*100)/100, 'f', -1, 64), ".")
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}

// Plural writes a count with its noun: 1 test, 2 tests.
func Plural[N int | float64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}
