package record

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// NewID makes the id of a run that started at t, 20261120T180000Z-3f9a: the
// time in UTC, so that ids sort by age, and two random bytes.
func NewID(t time.Time) string {
	var random [2]byte
	rand.Read(random[:]) // never fails, by its documentation
	return t.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(random[:])
}
