package toolkit

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Whatever way a number is written, it is the float64 that strconv finds, to
// the last bit: psi of a file does not depend on who reads it.
func TestNumberIsExact(t *testing.T) {
	texts := []string{
		"0", "00", "0.", ".0", ".5", "5.", "007.250", "37.512345", "0.1", "0.3", "9007199254740992", "9007199254740993",
		"9007199254740991.5", "1e22", "1e23", "1E-22", "1e-23", "123456789e15", "8.5e+2", "1e1000", "1e-1000", "5e-324", "1.7976931348623157e308",
		"0.0000000000000000000000001", "99999999999999999999", "123456789012345678901234567890.5", "1e00000000000000000000000022",
		"1e99999999999999999999", "0e99999999999999999999", "1e-99999999999999999999", "0.05192600000000169", "3.000000006636583E-6",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		v := math.Float64frombits(rng.Uint64() >> 1)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		texts = append(texts, strconv.FormatFloat(v, 'g', -1, 64), strconv.FormatFloat(rng.Float64()*1e6, 'f', rng.IntN(16), 64),
			strconv.FormatFloat(rng.Float64(), 'e', rng.IntN(20), 64))
	}
	for _, text := range texts {
		want, _ := strconv.ParseFloat(text, 64)
		got, end := number([]byte(text+" "), 0)
		if math.Float64bits(got) != math.Float64bits(want) || end != len(text) {
			t.Errorf("%s: %v and %d bytes, want %v and %d", text, got, end, want, len(text))
		}
	}
}

// A number ends where it cannot go on.
func TestNumberEnds(t *testing.T) {
	for _, test := range []struct {
		text string
		end  int
	}{
		{"", 0}, {".", 0}, {"-3", 0}, {"+3", 0}, {"e5", 0}, {"NaN", 0}, {"Inf", 0}, {"1", 1}, {"1.2.3", 3}, {"1e", 1}, {"1e+", 1}, {"1ex", 1},
		{"0x1p4", 1}, {"1_000", 1}, {"1e5.5", 3}, {"1,5", 1}, {"12]", 2},
	} {
		if _, end := number([]byte(test.text), 0); end != test.end {
			t.Errorf("%q: the number has %d bytes, want %d", test.text, end, test.end)
		}
	}
}
