package parking

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A script is one scenario: how often each thing happens in it. The same
// script does the same thing each time it runs.
type script struct {
	seed    uint64 // of the order in which the cars arrive
	lists   int    // lists of listLen cars that are added
	listLen int
	singles int // cars that are added one by one
	sorts   int
	oldest  int // calls of Oldest
	leaves  int // oldest cars that leave; looked up before
	again   int // cars that try to enter a second time
}

// A visit is one run of a script, and how often it called each function.
type visit struct {
	t     *testing.T
	park  *Park
	cars  []Car // in the order of arrival at the barrier
	calls map[string]int
}

// opening is when the first car arrives; one arrives every minute.
var opening = time.Date(2026, time.March, 2, 6, 0, 0, 0, time.UTC)

func run(t *testing.T, s script) {
	v := &visit{t: t, calls: map[string]int{}}
	v.misread()
	v.arrive(s)
	v.enter(s)
	v.reject(s)
	v.fill()
	v.walk(s)
	v.tariff()
	if wrong := wrongCalls(t.Name(), v.calls); wrong != "" {
		t.Errorf("calls are not those of calls_test.go:\n%s", wrong)
	}
}

// misread shows the camera texts that are no number plates.
func (v *visit) misread() {
	for _, bad := range []struct {
		plate  string
		groups int // that are checked
	}{{"", 0}, {"AA-12", 0}, {"AA-12-BC-34", 0}, {"A1-12-BC", 1}, {"AA-123-BC", 2}, {"AA-12-Ä", 3}} {
		v.count("NewCar", 1)
		v.count("ParseRegistration", 1)   // by NewCar
		v.count("validGroup", bad.groups) // by ParseRegistration
		if c, err := NewCar(bad.plate, "nobody", opening); err == nil {
			v.t.Errorf("plate %q was read as %q, want an error", bad.plate, c.Registration)
		}
	}
}

// arrive makes the cars of the script.
func (v *visit) arrive(s script) {
	n := s.lists*s.listLen + s.singles
	minutes := rand.New(rand.NewPCG(s.seed, 0)).Perm(n) //nolint:gosec // the same order each time is the point
	for i, m := range minutes {
		v.count("NewCar", 1)
		v.count("ParseRegistration", 1) // by NewCar
		v.count("validGroup", 3)        // by ParseRegistration
		c, err := NewCar(plate(i), fmt.Sprint("owner ", i), opening.Add(time.Duration(m)*time.Minute))
		if err != nil {
			v.t.Fatal(err)
		}
		v.cars = append(v.cars, c)
	}
}

// plate spells the number i as a number plate, different for each i below
// 26*26*100*26*26; every seventh is in lower case.
func plate(i int) string {
	const step, plates = 7_654_321, 26 * 26 * 100 * 26 * 26 // without a common factor
	k := i * step % plates
	letter := func() rune {
		l := 'A' + rune(k%26)
		k /= 26
		return l
	}
	a, b, c, d := letter(), letter(), letter(), letter()
	s := fmt.Sprintf("%c%c-%02d-%c%c", a, b, k, c, d)
	if i%7 == 0 {
		return strings.ToLower(s)
	}
	return s
}

// enter adds the lists, then the other cars one by one, except the last one.
func (v *visit) enter(s script) {
	v.count("New", 1)
	v.park = New(len(v.cars))
	rest := v.cars[:len(v.cars)-1]
	for range s.lists {
		v.count("(*Park).AddAll", 1)
		v.count("(*Park).Add", s.listLen) // by AddAll
		if err := v.park.AddAll(rest[:s.listLen]); err != nil {
			v.t.Fatal(err)
		}
		rest = rest[s.listLen:]
	}
	for _, c := range rest {
		v.add(c, nil)
	}
}

// reject lets cars that stand in the park try to enter again, under another
// spelling of their registrations.
func (v *visit) reject(s script) {
	for _, c := range v.cars[:s.again] {
		c.Registration = Registration(strings.ToLower(string(c.Registration)))
		v.add(c, ErrParked)
	}
}

// fill gives the last place to the last car; after it nobody gets in.
func (v *visit) fill() {
	last := v.cars[len(v.cars)-1]
	v.add(last, nil)
	v.add(last, ErrFull)
	v.count("(*Park).Len", 1)
	if got, want := v.park.Len(), len(v.cars); got != want {
		v.t.Errorf("%d cars in the park, want %d", got, want)
	}
}

func (v *visit) add(c Car, want error) {
	v.count("(*Park).Add", 1)
	if err := v.park.Add(c); !errors.Is(err, want) {
		v.t.Errorf("adding %s: %v, want %v", c.Registration, err, want)
	}
}

// walk sorts the park and looks for the oldest car in turns, each as often as the
// script says; after a sort the oldest car leaves.
func (v *visit) walk(s script) {
	for i := range max(s.sorts, s.oldest) {
		if i < s.sorts {
			v.sort()
		}
		if i < s.oldest {
			v.oldest()
		}
		if i < s.leaves {
			v.leave()
		}
	}
}

func (v *visit) sort() {
	v.count("(*Park).Sort", 1)
	v.park.Sort()
	v.count("(*Park).Cars", 1)
	if !slices.IsSortedFunc(v.park.Cars(), func(a, b Car) int {
		return strings.Compare(strings.ToUpper(string(a.Registration)), strings.ToUpper(string(b.Registration)))
	}) {
		v.t.Error("the park is not in order after a sort")
	}
}

func (v *visit) oldest() {
	v.count("(*Park).Oldest", 1)
	got, ok := v.park.Oldest()
	if want := v.longest(); !ok || got != want {
		v.t.Errorf("the oldest car is %v, want %v", got, want)
	}
}

// longest finds the oldest car without the code under test.
func (v *visit) longest() Car {
	return slices.MinFunc(v.cars, func(a, b Car) int { return a.Arrived.Compare(b.Arrived) })
}

// leave lets the oldest car out after two hours and a bit, which cost three.
func (v *visit) leave() {
	const stay, want = 2*time.Hour + 10*time.Minute, 450
	c := v.longest()
	v.find(c, nil)
	v.count("(*Park).Leave", 1)
	v.count("(*Park).position", 1) // by Leave
	v.count("Fee", 1)              // by Leave
	v.count("hoursBegun", 1)       // by Fee
	if fee, err := v.park.Leave(c.Registration, c.Arrived.Add(stay)); err != nil || fee != want {
		v.t.Errorf("leaving of %s costs %d, %v, want %d", c.Registration, fee, err, want)
	}
	v.find(c, ErrUnknown)
	v.cars = slices.DeleteFunc(v.cars, func(o Car) bool { return o == c })
}

func (v *visit) find(c Car, want error) {
	v.count("(*Park).Find", 1)
	v.count("(*Park).position", 1) // by Find
	if got, err := v.park.Find(c.Registration); !errors.Is(err, want) || (err == nil && got != c) {
		v.t.Errorf("finding %s: %v, %v, want %v", c.Registration, got, err, want)
	}
}

// tariff asks what stays of several lengths cost.
func (v *visit) tariff() {
	for _, stay := range []struct {
		length time.Duration
		cents  int
	}{
		{0, 0},
		{15 * time.Minute, 0},
		{16 * time.Minute, 150},
		{time.Hour, 150},
		{time.Hour + time.Second, 300},
		{9 * time.Hour, 1200},
		{24 * time.Hour, 1200},
		{49 * time.Hour, 2550},
	} {
		v.count("Fee", 1)
		if stay.length > freeOfCharge {
			v.count("hoursBegun", 1) // by Fee
		}
		if got := Fee(stay.length); got != stay.cents {
			v.t.Errorf("a stay of %v costs %d, want %d", stay.length, got, stay.cents)
		}
	}
}

func (v *visit) count(function string, n int) { v.calls["example.com/parking."+function] += n }
