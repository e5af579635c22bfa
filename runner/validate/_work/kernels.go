package workloads

import (
	"os"
	"time"
)

// Calls of the functions take some milliseconds for n = 3. They are called by name and not
// inlined, so each is timed, with its own ticks.

// table is larger than the caches of most processors.
var table []uint64

const tableWords = 1 << 24 // 128 MiB

var zeros *os.File

// Prepare makes what the workloads need, before anything is measured.
func Prepare() error {
	table = make([]uint64, tableWords)
	for i := range table {
		table[i] = uint64(i) & 1 // pages that were never written share one page of zeros
	}
	var err error
	zeros, err = os.Open("/dev/zero")
	return err
}

// Integer computes with integers.
//
//go:noinline
func Integer(n int) uint64 {
	x := uint64(n) | 1
	for range n * 400_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// Float computes with floating-point numbers, four at a time.
//
//go:noinline
func Float(n int) float64 {
	a, b, c, d := 1.1, 1.2, 1.3, 1.4
	for range n * 400_000 {
		a = a*0.999999 + 0.25
		b = b*0.999998 + 0.5
		c = c*0.999997 + 0.75
		d = d*0.999996 + 1
	}
	return a + b + c + d
}

// Memory reads words at random, each where the one before says.
//
//go:noinline
func Memory(n int) uint64 {
	at := uint64(n)
	for range n * 5_000 {
		at = at*6364136223846793005 + 1442695040888963407 + table[at>>40]
	}
	return at
}

// Branch takes branches that no processor predicts.
//
//go:noinline
func Branch(n int) (sum uint64) {
	x := uint64(n) | 1
	for range n * 90_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		switch x >> 61 {
		case 0:
			sum += x
		case 1:
			sum ^= x >> 3
		case 2:
			sum -= x << 1
		case 3:
			sum = sum<<1 | x&1
		case 4:
			sum *= 3
		case 5:
			sum ^= sum >> 9
		case 6:
			sum += 7
		default:
			sum = ^sum
		}
	}
	return sum
}

// System makes system calls.
//
//go:noinline
func System(n int) (read int) {
	var buffer [512]byte
	for range n * 3_000 {
		got, _ := zeros.Read(buffer[:]) // never fails
		read += got
	}
	return read
}

// Wait waits.
//
//go:noinline
func Wait(n int) { time.Sleep(time.Duration(n) * time.Millisecond) }
