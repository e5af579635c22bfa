package record

import (
	"fmt"
	"time"
)

// NewID makes the id of a run that started at t, 20261120T180000Z-3f9a: the
// time in UTC, and behind it the part of the second, in 65,536ths. So ids sort by
// age, also those of one second, and hardly any two are the same.
func NewID(t time.Time) string {
	return t.UTC().Format("20060102T150405Z") + fmt.Sprintf("-%04x", int64(t.Nanosecond())<<16/int64(time.Second))
}
