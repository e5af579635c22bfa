package burn

import "sync/atomic"

// A Processor is the account of one processor: what functions booked on it, see Accounts.ByCPU. A turn is booked where it ends.
type Processor struct {
	PJ atomic.Uint64 // energy, in picojoules
	_  [7]uint64
}
