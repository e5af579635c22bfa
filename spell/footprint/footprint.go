// Package footprint says what energy comes to in carbon and money, by rates that the
// user knows: there are none by default, as those differ by place, hour and contract.
package footprint

import (
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
		unit := r.Currency
		if unit == "" {
			unit = "currency units"
		}
		parts = append(parts, units.Quantity(kWh*r.Price, unit)+" at "+units.Quantity(r.Price, unit)+"/kWh")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " (rates as set, not measured)"
}
