package spell

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
	Value float64 `json:"value"` // joules, or milliseconds
	Text  string  `json:"text"`
}

// The table of units.json is read by the tests of the extension and of the report's page
// too: one figure must look the same on the command line, in the editor and in both. Its
// values are at the edges of the rule, and where two ways of rounding differ.
func TestUnits(t *testing.T) {
	var got struct {
		Joules       []unitCase `json:"joules"`
		Milliseconds []unitCase `json:"milliseconds"`
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
