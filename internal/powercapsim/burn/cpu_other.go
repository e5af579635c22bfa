//go:build !linux || !amd64

package burn

// onCPU is not known: all is booked on the first processor.
func onCPU() uint32 { return 0 }
