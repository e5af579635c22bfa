package parking

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

var (
	// ErrParked says that the car, or another with its registration, is
	// already in the park.
	ErrParked = errors.New("already parked")
	// ErrUnknown says that no car with the registration is in the park.
	ErrUnknown = errors.New("not in the park")
	// ErrFull says that every place is taken.
	ErrFull = errors.New("park is full")
)

// A Park is a car park. It is not safe for concurrent use.
type Park struct {
	cars   []Car
	places int
}

// New opens an empty park.
func New(places int) *Park {
	return &Park{cars: make([]Car, 0, places), places: places}
}

// Len is the number of cars in the park.
func (p *Park) Len() int { return len(p.cars) }

// Cars returns a copy of the cars in the park: first those of the last sort, in
// its order, then the others in the order of arrival.
func (p *Park) Cars() []Car { return slices.Clone(p.cars) }

// Add lets a car in. It returns ErrFull or ErrParked, wrapped with the
// registration, if the car has to stay outside.
func (p *Park) Add(c Car) error {
	if len(p.cars) == p.places {
		return fmt.Errorf("adding %s: %w", c.Registration, ErrFull)
	}
	registration := strings.ToUpper(string(c.Registration))
	for _, parked := range p.cars {
		if strings.ToUpper(string(parked.Registration)) == registration {
			return fmt.Errorf("adding %s: %w", c.Registration, ErrParked)
		}
	}
	p.cars = append(p.cars, c)
	return nil
}

// AddAll lets in the cars of a list, in its order. A car that cannot be added
// does not keep out those after it; the error joins all errors.
func (p *Park) AddAll(cars []Car) error {
	var errs []error
	for _, c := range cars {
		if err := p.Add(c); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Find returns the car with a registration, or ErrUnknown.
func (p *Park) Find(r Registration) (Car, error) {
	i := p.position(r)
	if i < 0 {
		return Car{}, fmt.Errorf("finding %s: %w", r, ErrUnknown)
	}
	return p.cars[i], nil
}

// Leave lets a car out and returns what its owner pays, in cents, or
// ErrUnknown.
func (p *Park) Leave(r Registration, at time.Time) (int, error) {
	i := p.position(r)
	if i < 0 {
		return 0, fmt.Errorf("leaving of %s: %w", r, ErrUnknown)
	}
	fee := Fee(at.Sub(p.cars[i].Arrived))
	p.cars = slices.Delete(p.cars, i, i+1)
	return fee, nil
}

// position is the index of the car with a registration in p.cars, or -1.
func (p *Park) position(r Registration) int {
	for i := range p.cars {
		if strings.EqualFold(string(p.cars[i].Registration), string(r)) {
			return i
		}
	}
	return -1
}
