//go:build linux && !amd64 && !arm64

package probe

import "math"

const memfdCreate = math.MaxInt32 // no such system call
