package lsp

import (
	"maps"
	"slices"
)

// Methods lists the methods that the server knows, for tests of all of them.
func Methods() []string {
	return slices.Sorted(maps.Keys(calls))
}

// Notifications lists the notifications that the server knows.
func Notifications() []string {
	return slices.Sorted(maps.Keys(notifications))
}

// Gather is how long changes of files are gathered.
const Gather = gather

// Most is how many bytes may wait for a client.
const Most = most
