// Package parking is a car park: which cars stand in it, since when, and what
// their owners pay when they leave.
package parking

import (
	"fmt"
	"strings"
	"time"
)

// A Car is a car at the barrier or in the park.
type Car struct {
	Registration Registration
	Owner        string
	Arrived      time.Time
}

// A Registration is a number plate such as AA-12-BC. It keeps the spelling of
// whoever typed it, because the receipt shows it: aa-12-bc is the same plate.
type Registration string

// NewCar makes a car from what the barrier knows of it. It returns an error if
// plate is not a registration.
func NewCar(plate, owner string, arrived time.Time) (Car, error) {
	r, err := ParseRegistration(plate)
	if err != nil {
		return Car{}, fmt.Errorf("car of %s: %w", owner, err)
	}
	return Car{Registration: r, Owner: owner, Arrived: arrived}, nil
}

// ParseRegistration reads a number plate: three groups of two characters, each
// group all letters or all digits, with dashes between them. Blanks around it
// are ignored.
func ParseRegistration(plate string) (Registration, error) {
	plate = strings.TrimSpace(plate)
	groups := strings.Split(plate, "-")
	if len(groups) != 3 {
		return "", fmt.Errorf("registration %q has %d groups, must have 3", plate, len(groups))
	}
	for _, g := range groups {
		if !validGroup(g) {
			return "", fmt.Errorf("registration %q: group %q is neither two letters nor two digits", plate, g)
		}
	}
	return Registration(plate), nil
}

func validGroup(g string) bool {
	const (
		digits  = "0123456789"
		letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	)
	return len(g) == 2 && (strings.Trim(g, digits) == "" || strings.Trim(g, letters) == "")
}
