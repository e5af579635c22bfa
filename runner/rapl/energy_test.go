package rapl

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// Text as the kernel writes it is parsed to the microjoule. Any other text is an error,
// and never becomes a number, least of all 0.
func TestParseEnergy(t *testing.T) {
	tests := []struct {
		text string
		want Energy
		err  error
	}{
		{"0\n", 0, nil},
		{"1\n", 1, nil},
		{"262143328850\n", 262143328850, nil},
		{"00000000000000000042\n", 42, nil},
		{"   42   \n", 42, nil},
		{"42", 42, nil},
		{"18446744073709551615\n", 18446744073709551615, nil},
		{"18446744073709551616\n", 0, errTooLarge},
		{"99999999999999999999\n", 0, errTooLarge},
		{"", 0, errEmpty},
		{"\n", 0, errEmpty},
		{"-1\n", 0, errNegative},
		{"1.5\n", 0, errNoNumber},
		{"1e6\n", 0, errNoNumber},
		{"0x10\n", 0, errNoNumber},
		{"12 34\n", 0, errNoNumber},
		{"<unsupported>\n", 0, errNoNumber},
		{"٣\n", 0, errNoNumber},
	}
	for _, tt := range tests {
		got, err := parseEnergy([]byte(tt.text))
		if got != tt.want || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("parseEnergy(%q) = %d, %v; want %d, %v", tt.text, got, err, tt.want, tt.err)
		}
	}
}

// A text that is accepted has the digits of the amount.
func FuzzParseEnergy(f *testing.F) {
	for _, seed := range []string{"0\n", "262143328850\n", "18446744073709551616", "-3", "", "0x", "1 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseEnergy([]byte(text))
		digits := strings.TrimLeft(strings.TrimSpace(text), "0")
		if err == nil && digits != strings.TrimLeft(strconv.FormatUint(uint64(e), 10), "0") {
			t.Errorf("parseEnergy(%q) = %d", text, e)
		}
	})
}

func TestEnergyUnits(t *testing.T) {
	tests := []struct {
		e      Energy
		joules float64
		text   string
	}{
		{0, 0, "0 µJ"},
		{15 * Microjoule, 15e-6, "15 µJ"},
		{40 * Millijoule, 0.04, "40 mJ"},
		{2*Joule + 500*Millijoule, 2.5, "2.5 J"},
		{262143328850, 262143.32885, "262143.32885 J"},
	}
	for _, tt := range tests {
		if got := tt.e.Joules(); got != tt.joules {
			t.Errorf("%d µJ is %v J, want %v", uint64(tt.e), got, tt.joules)
		}
		if got := tt.e.String(); got != tt.text {
			t.Errorf("%d µJ is written %q, want %q", uint64(tt.e), got, tt.text)
		}
	}
}
