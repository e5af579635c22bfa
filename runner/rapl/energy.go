package rapl

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Energy is an amount of energy in microjoules, the unit of the powercap class
// (Documentation/power/powercap/powercap.rst, energy_uj). The largest amount is
// about 18 terajoules, which no counter reaches.
type Energy uint64

// Common amounts. To count the joules in an Energy, use its Joules method.
const (
	Microjoule Energy = 1
	Millijoule        = 1000 * Microjoule
	Joule             = 1000 * Millijoule
)

// Joules returns e in joules. It is exact up to 2^53 microjoules, 285 years at
// one watt.
func (e Energy) Joules() float64 {
	return float64(e/Joule) + float64(e%Joule)/float64(Joule)
}

// String renders e in the largest unit of which it is at least one: "2.5 J",
// "40 mJ", "15 µJ".
func (e Energy) String() string {
	switch {
	case e >= Joule:
		return strconv.FormatFloat(e.Joules(), 'f', -1, 64) + " J"
	case e >= Millijoule:
		return strconv.FormatFloat(float64(e)/float64(Millijoule), 'f', -1, 64) + " mJ"
	}
	return strconv.FormatUint(uint64(e), 10) + " µJ"
}

// Why a text is no amount of energy.
var (
	errEmpty    = errors.New("is empty")
	errNegative = errors.New("is negative")
	errTooLarge = errors.New("is too large")
	errNoNumber = errors.New("is not a number")
)

// parseEnergy reads the content of energy_uj or max_energy_range_uj: decimal digits
// and a newline. Space around the digits is ignored.
func parseEnergy(text []byte) (Energy, error) {
	digits := bytes.TrimSpace(text)
	if len(digits) == 0 {
		return 0, errEmpty
	}
	var e Energy
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, refuse(digits)
		}
		digit := Energy(d - '0')
		if e > (math.MaxUint64-digit)/10 {
			return 0, fmt.Errorf("%w: %.40q", errTooLarge, digits)
		}
		e = 10*e + digit
	}
	return e, nil
}

// refuse says why a text with other characters than digits is no amount.
func refuse(text []byte) error {
	if text[0] == '-' {
		return fmt.Errorf("%w: %.40q", errNegative, text)
	}
	return fmt.Errorf("%w: %.40q", errNoNumber, text)
}
