package workloads

// The kinds of tests.
const (
	alone = iota
	mixed
	concurrent
)

// begin is called first in each test.
func begin(int) {}
