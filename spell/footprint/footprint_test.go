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
		{"a kilowatt-hour", Rates{400, 0.3, "EUR"}, 3.6e6, "400 g CO2e at 400 g/kWh, 0.3 EUR at 0.3 EUR/kWh (rates as set, not measured)"},
		{"a test", Rates{Carbon: 400}, 18, "2.00 mg CO2e at 400 g/kWh (rates as set, not measured)"},
		{"no name of the money", Rates{Price: 2}, 1.8e6, "1.00 currency units at 2.00 currency units/kWh (rates as set, not measured)"},
		{"a round of tests", Rates{Price: 0.31, Currency: "EUR"}, 7, "0.000000603 EUR at 0.31 EUR/kWh (rates as set, not measured)"},
		{"less than any price", Rates{Price: 0.31, Currency: "EUR"}, 1e-3, "<0.000000001 EUR at 0.31 EUR/kWh (rates as set, not measured)"},
		{"a data centre", Rates{Price: 0.996, Currency: "EUR"}, 3.6e12, "996000.00 EUR at 0.996 EUR/kWh (rates as set, not measured)"},
		{"nearly one", Rates{Price: 0.99961, Currency: "EUR"}, 3.6e6, "1.00 EUR at 1.00 EUR/kWh (rates as set, not measured)"},
		{"as much as a file can say", Rates{Price: 1}, 3.6e36, "1e+30 currency units at 1.00 currency units/kWh (rates as set, not measured)"},
		{"free", Rates{Carbon: 400, Price: 1, Currency: "EUR"}, 0, "0 g CO2e at 400 g/kWh, 0 EUR at 1.00 EUR/kWh (rates as set, not measured)"},
		{"nothing was used", Rates{Carbon: 400}, 0, "0 g CO2e at 400 g/kWh (rates as set, not measured)"},
	} {
		if got := c.rates.Of(c.joules); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
