package spell

import (
	"encoding/binary"
	"math"
	"math/big"
)

// An exact adds numbers from 0 up without any rounding. It is a whole number in
// base 2^32, in units of the smallest float64, 2^-1074. Each addition adds less
// than 2^32 to three of its words, and carries nothing: that is left to value,
// so that there is room for 2^32 additions. It is large and slow beside a sum,
// and settles what a sum leaves open.
type exact [67]uint64

func (e *exact) add(x float64) {
	const fraction = 52                   // bits
	b := math.Float64bits(x) &^ (1 << 63) // -0 is 0
	mantissa, exponent := b&(1<<fraction-1), b>>fraction
	if exponent > 0 {
		mantissa |= 1 << fraction
		exponent--
	}
	// x = mantissa << exponent, in units.
	at, shift := exponent/32, exponent%32
	low, high := mantissa<<shift, mantissa>>(64-shift)
	e[at] += low & math.MaxUint32
	e[at+1] += low >> 32
	e[at+2] += high
}

// value is the sum rounded once, to the nearest and to even.
func (e *exact) value() float64 {
	var digits [4 * len(e)]byte // from the highest
	var carry uint64
	for k, word := range e {
		carry += word
		binary.BigEndian.PutUint32(digits[len(digits)-4*(k+1):], uint32(carry))
		carry >>= 32
	}
	all := new(big.Float).SetInt(new(big.Int).SetBytes(digits[:]))
	v, _ := all.SetMantExp(all, -1074).Float64()
	return v
}
