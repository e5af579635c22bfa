package parking

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scenarios are the tests, in the order of the columns of calls.
var scenarios = []string{"TestMorningRush", "TestMarketDay", "TestStocktaking", "TestQuietSunday", "TestFestival"}

// calls says how often each test calls each function of the package, directly
// and through other functions, under the names that the Go linker gives them.
// A function that is not here is not called. Each test counts its calls and
// compares.
var calls = map[string][]int{
	"example.com/parking.(*Park).Add":       {1621, 1618, 1632, 1531, 1425},
	"example.com/parking.(*Park).AddAll":    {16, 8, 10, 8, 18},
	"example.com/parking.(*Park).Cars":      {9, 12, 13, 6, 15},
	"example.com/parking.(*Park).Find":      {16, 26, 26, 10, 30},
	"example.com/parking.(*Park).Leave":     {8, 13, 13, 5, 15},
	"example.com/parking.(*Park).Len":       {1, 1, 1, 1, 1},
	"example.com/parking.(*Park).Oldest":    {16, 20, 4, 28, 12},
	"example.com/parking.(*Park).Sort":      {9, 12, 13, 6, 15},
	"example.com/parking.(*Park).position":  {24, 39, 39, 15, 45},
	"example.com/parking.Fee":               {16, 21, 21, 13, 23},
	"example.com/parking.New":               {1, 1, 1, 1, 1},
	"example.com/parking.NewCar":            {1622, 1618, 1632, 1534, 1424},
	"example.com/parking.ParseRegistration": {1622, 1618, 1632, 1534, 1424},
	"example.com/parking.hoursBegun":        {14, 19, 19, 11, 21},
	"example.com/parking.validGroup":        {4854, 4842, 4884, 4590, 4260},
}

// wrongCalls lists the functions that a test did not call as often as calls
// says, one a line; "" if there is none.
func wrongCalls(test string, got map[string]int) string {
	column := slices.Index(scenarios, test)
	if column < 0 {
		return test + " is not in the table"
	}
	want := map[string]int{}
	for function, row := range calls {
		want[function] = row[column]
	}
	all := maps.Clone(want)
	maps.Copy(all, got)
	var b strings.Builder
	for _, function := range slices.Sorted(maps.Keys(all)) {
		if got[function] != want[function] {
			fmt.Fprintf(&b, "%s: %d calls, want %d\n", function, got[function], want[function])
		}
	}
	return b.String()
}
