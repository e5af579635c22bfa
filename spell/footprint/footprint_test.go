package footprint

import "testing"

func TestOf(t *testing.T) {
	for _, c := range []struct {
		why    string
		rates  Rates
		joules float64
		want   string
	}{
		{"nobody said what a kilowatt-hour is", Rates{Currency: "EUR"}, 3.6e6, ""},
		{"a kilowatt-hour", Rates{400, 0.3, "EUR"}, 3.6e6, "400 g CO2e at 400 g/kWh, 300 mEUR at 300 mEUR/kWh (rates as set, not measured)"},
		{"a test", Rates{Carbon: 400}, 18, "2.00 mg CO2e at 400 g/kWh (rates as set, not measured)"},
		{"no name of the money", Rates{Price: 2}, 1.8e6, "1.00 currency units at 2.00 currency units/kWh (rates as set, not measured)"},
		{"nothing was used", Rates{Carbon: 400}, 0, "0 g CO2e at 400 g/kWh (rates as set, not measured)"},
	} {
		if got := c.rates.Of(c.joules); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
