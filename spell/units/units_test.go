package units

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateUnits = flag.Bool("update", false, "write testdata/units.json")

// A unitCase is an amount and how it is written.
type unitCase struct {
	Value float64 `json:"value"` // joules, milliseconds, a ratio
	Text  string  `json:"text"`
}

// The table of units.json is read by the tests of the extension and of the report's page
// too: one figure must look the same on the command line, in the editor and in both. Its
// values are at the edges of the rule, and where two ways of rounding differ.
func TestUnits(t *testing.T) {
	var got struct {
		Joules        []unitCase `json:"joules"`
		Milliseconds  []unitCase `json:"milliseconds"`
		Shares        []unitCase `json:"shares"`       // in percent, without the sign
		Similarities  []unitCase `json:"similarities"` // psi
		Changes       []unitCase `json:"changes"`      // relative
		Probabilities []unitCase `json:"probabilities"`
		Counts        []unitCase `json:"counts"`
	}
	for _, v := range []float64{
		0, 1e-12, 0.99949e-9, 1e-9, 123.4e-9, 999.4e-9, 999.6e-9, 5e-6, 0.00345, 0.0123456, 0.0999, 0.09999, 0.0995, 0.5, 0.6, 0.9994, 0.9996,
		1, 1.005, 1.115, 1.125, 1.375, 1.5, 2.675, 9.994, 9.996, 10.25, 10.75, 12, 99.94, 99.96, 100.5, 101.5, 999.4, 999.6, 1234, 3600, 5e6, 1e9, 1.5e9, 1.25e10, 5e40,
	} {
		got.Joules = append(got.Joules, unitCase{v, Quantity(v, "J")})
	}
	for _, v := range []float64{
		0, 1e-7, 1e-6, 0.0005, 0.001, 0.5, 1, 12.5, 60, 125, 999.4, 999.6, 1000, 1125, 59_940, 119_000, 119_999, 120_000, 600_000, 7_199_000, 7.2e6, 3.6e8, 1e15,
	} {
		got.Milliseconds = append(got.Milliseconds, unitCase{v, Duration(v)})
	}
	for _, v := range []float64{0, 1e-9, 0.00049, 0.0005, 0.001, 0.0125, 0.0875, 0.123456, 0.5, 0.9994, 0.9996, 1} {
		got.Shares = append(got.Shares, unitCase{v, Percent(v)})
	}
	for _, v := range []float64{0, 1e-9, 0.000049, 0.00005, 0.0001, 0.03125, 0.12345, 0.5, 0.99994, 1} {
		got.Similarities = append(got.Similarities, unitCase{v, Similarity(v)})
	}
	for _, v := range []float64{0, -0.00005, 0.00005, 0.0001, -0.0034, 0.00994, 0.00996, 0.034, -0.0994, 0.0996, 0.34, -0.994, -0.995, -0.996, -0.9996, -0.99999, 0.9996, -1, 0.125, 0.01125, 0.995, 1.005, 1.015, 1.5, 12, 9999, 9999.9, 12_500, 13_500, 20_000} {
		got.Changes = append(got.Changes, unitCase{v, Change(v)})
	}
	for _, v := range []float64{0, 0.00009, 0.0001, 0.000132, 0.00125, 0.0321, 0.05, 0.0995, 0.1, 0.125, 0.375, 0.5, 0.994, 0.995, 1} {
		got.Probabilities = append(got.Probabilities, unitCase{v, Probability(v)})
	}
	for _, v := range []float64{0, 0.25, 0.375, 1, 2.5, 99.99, 999.99, 999.999, 1000, 1234.5, 27_540, 1_234_567, 66_108_219.125, 1e15} {
		got.Counts = append(got.Counts, unitCase{v, Count(v)})
	}
	text, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/units.json"
	text = append(text, '\n')
	if *updateUnits {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("%s (-want +got), make golden writes it:\n%s", file, diff)
	}
}

func TestProbabilityCountFactor(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Probability(0), "<0.0001"}, {Probability(0.000132), "0.00013"}, {Probability(0.0321), "0.032"}, {Probability(0.5), "0.5"}, {Probability(0.995), "1"},
		{Count(3.0), "3"}, {Count(1043), "1,043"}, {Count(0.255), "0.26"}, {Count(1234567), "1,234,567"}, {Count(-123456.5), "-123,456.5"}, {Factor(2.0666), "2.07"}, {Factor(1234), "1.23e+03"},
		{Plural(1, "test"), "1 test"}, {Plural(0.0, "test"), "0 tests"}, {Plural(2.5, "execution"), "2.5 executions"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, test := range []struct {
		got, want string
	}{
		{Quantity(0, "J"), "0 J"},
		{Quantity(1e-12, "J"), "<1 nJ"},
		{Quantity(1e-9, "J"), "1.00 nJ"},
		{Quantity(123.4e-9, "J"), "123 nJ"},
		{Quantity(999.4e-9, "J"), "999 nJ"},
		{Quantity(999.6e-9, "J"), "1.00 µJ"},
		{Quantity(0.00345, "J"), "3.45 mJ"},
		{Quantity(0.0999, "J"), "99.9 mJ"},
		{Quantity(0.09999, "J"), "100 mJ"},
		{Quantity(0.9996, "J"), "1.00 J"},
		{Quantity(9.996, "J"), "10.0 J"},
		{Quantity(3600, "J"), "3.60 kJ"},
		{Quantity(5e6, "J"), "5000 kJ"},
		{Quantity(5e40, "J"), "5e+37 kJ"},
		{Duration(0), "0 s"},
		{Duration(0.0005), "500 ns"},
		{Duration(12.5), "12.5 ms"},
		{Duration(59_940), "59.9 s"},
		{Duration(119_000), "119 s"},
		{Duration(600_000), "10.0 min"},
		{Duration(7.2e6), "2.00 h"},
		{Percent(0), "0.0"},
		{Percent(0.0004), "<0.1"},
		{Percent(0.0005), "0.1"},
		{Percent(1), "100.0"},
		{Similarity(0), "0.0000"},
		{Similarity(0.00004), "<.0001"},
		{Similarity(0.49563), "0.4956"},
		{Similarity(1), "1.0000"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// What is only expected claims no digits that nobody knows.
func TestEstimate(t *testing.T) {
	for ms, want := range map[float64]string{
		0: "1 s", 400: "1 s", 1400: "1 s", 1600: "2 s", 77_200: "77 s", 119_400: "119 s", 119_500: "2 min", 149_000: "2 min",
		240_000: "4 min", 7_199_000: "120 min", 7_200_000: "2.0 h", 9_000_000: "2.5 h",
	} {
		if got := Estimate(ms); got != want {
			t.Errorf("%v ms are %s, want %s", ms, got, want)
		}
	}
}

// Bytes are counted, so those below a thousand have no digits behind the point but in a mean.
func TestBytes(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 0.5: "0.5 B", 300: "300 B", 999: "999 B", 1000: "1.00 kB", 4096: "4.10 kB", 999_499: "999 kB", 999_500: "1.00 MB",
		67_108_864: "67.1 MB", 1e9: "1.00 GB", 123.4e12: "123 TB", 5e15: "5000 TB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%g bytes: %q, want %q", n, got, want)
		}
	}
}
