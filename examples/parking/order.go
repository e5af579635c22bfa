package parking

import (
	"slices"
	"strings"
)

// Sort orders the cars by registration, without regard to case.
func (p *Park) Sort() {
	for i := range p.cars {
		first, lowest := i, strings.ToUpper(string(p.cars[i].Registration))
		for j := i + 1; j < len(p.cars); j++ {
			if r := strings.ToUpper(string(p.cars[j].Registration)); r < lowest {
				first, lowest = j, r
			}
		}
		p.cars[i], p.cars[first] = p.cars[first], p.cars[i]
	}
}

// Oldest returns the car that has been in the park for longest; of several,
// the one that stands first. It returns false if the park is empty.
func (p *Park) Oldest() (Car, bool) {
	if len(p.cars) == 0 {
		return Car{}, false
	}
	byArrival := slices.Clone(p.cars)
	for end := len(byArrival) - 1; end > 0; end-- {
		for i := range end {
			if byArrival[i+1].Arrived.Before(byArrival[i].Arrived) {
				byArrival[i], byArrival[i+1] = byArrival[i+1], byArrival[i]
			}
		}
	}
	return byArrival[0], true
}
