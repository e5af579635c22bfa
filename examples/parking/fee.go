package parking

import "time"

// The tariff, in cents.
const (
	freeOfCharge = 15 * time.Minute
	perHour      = 150
	perDay       = 1200
)

// Fee is what a stay costs, in cents. The first quarter of an hour is free;
// after it every hour that has begun counts, up to the price of a day.
func Fee(stay time.Duration) int {
	if stay <= freeOfCharge {
		return 0
	}
	const day = 24 * time.Hour
	days := int(stay / day)
	return days*perDay + min(hoursBegun(stay%day)*perHour, perDay)
}

func hoursBegun(d time.Duration) int {
	return int((d + time.Hour - 1) / time.Hour)
}
