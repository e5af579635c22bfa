package gpu

import (
	"errors"
	"time"
)

// A library is NVML, initialised.
type library interface {
	count() (int, error)
	// energy is the energy of a GPU since the driver was loaded, in mJ. GPUs before
	// Volta give errNotSupported.
	energy(gpu int) (uint64, error)
	// power is the present power of a GPU in mW, a mean over up to one second.
	power(gpu int) (uint32, error)
	close() error
}

var errNotSupported = errors.New("not supported")

// resolution is the interval at which the slowest known GPU gives a new reading, and
// at which the library is polled.
const resolution = 100 * time.Millisecond
