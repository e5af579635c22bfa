package parking

import "testing"

// The scenarios differ in what they do most, like days in a car park. Each fails
// if the park lets in a car twice, loses its order, shows the wrong car as
// the oldest or takes the wrong fee.

// Lists of commuters, many cars in a short time, a few looks at the park.
func TestMorningRush(t *testing.T) {
	run(t, script{seed: 1, lists: 16, listLen: 100, singles: 16, sorts: 9, oldest: 16, leaves: 8, again: 4})
}

// Everybody comes alone, and the warden sorts and looks all day.
func TestMarketDay(t *testing.T) {
	run(t, script{seed: 2, lists: 8, listLen: 25, singles: 1412, sorts: 12, oldest: 20, leaves: 13, again: 5})
}

// The books are sorted again and again; nobody asks for the oldest car.
func TestStocktaking(t *testing.T) {
	run(t, script{seed: 3, lists: 10, listLen: 160, singles: 26, sorts: 13, oldest: 4, leaves: 13, again: 5})
}

// Few cars move: the warden walks round and asks for the oldest car.
func TestQuietSunday(t *testing.T) {
	run(t, script{seed: 4, lists: 8, listLen: 190, singles: 8, sorts: 6, oldest: 28, leaves: 5, again: 2})
}

// Buses of visitors arrive, and the park is sorted after each.
func TestFestival(t *testing.T) {
	run(t, script{seed: 5, lists: 18, listLen: 75, singles: 68, sorts: 15, oldest: 12, leaves: 15, again: 6})
}
