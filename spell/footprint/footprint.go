// Package footprint says what energy comes to in carbon and money, by rates that the
// user knows: there are none by default, as those differ by place, hour and contract.
package footprint

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"spell-lsp/spell/units"
)

// joulesPerKWh is a kilowatt-hour: 1,000 W for 3,600 s.
const joulesPerKWh = 3.6e6

// Rates are what a kilowatt-hour stands for. The zero value stands for nothing.
type Rates struct {
	Carbon   float64 // intensity of the grid, grams of CO2 equivalent; 0 = not known
	Price    float64 // in Currency; 0 = not known
	Currency string  // a name such as EUR; "" is shown as "currency units"
}

// Of says in words what so many joules come to, with the rates: those are the user's,
// no measurement. It is "" without rates.
func (r Rates) Of(joules float64) string {
	kWh := joules / joulesPerKWh
	var parts []string
	if r.Carbon > 0 {
		parts = append(parts, units.Quantity(kWh*r.Carbon, "g")+" CO2e at "+units.Quantity(r.Carbon, "g")+"/kWh")
	}
	if r.Price > 0 {
		parts = append(parts, r.money(kWh*r.Price)+" at "+r.money(r.Price)+"/kWh")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " (rates as set, not measured)"
}

// money writes an amount of the currency as a plain number, since nobody reads money with
// prefixes (603 nEUR): with three digits below 1, and two decimals from there on.
func (r Rates) money(v float64) string {
	const least = 1e-9 // what is less would only be zeros
	unit := " " + cmp.Or(r.Currency, "currency units")
	switch {
	case v == 0:
		return "0" + unit
	case v < least:
		return "<0.000000001" + unit
	case v < 0.9995: // 0.9996 would be rounded to 1.000
		text := strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(v))), 64)
		return strings.TrimRight(text, "0") + unit
	case v < 1e15:
		return strconv.FormatFloat(v, 'f', 2, 64) + unit
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + unit
}
