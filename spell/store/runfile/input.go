package runfile

import (
	"encoding/binary"
	"errors"
)

// An input is the unread rest of the contents of a section. After an error it is empty.
type input struct {
	data []byte
	err  error
}

var errContents = errors.New("has other values than it says")

func (in *input) fail() { in.data, in.err = nil, errContents }

func (in *input) uvarint() uint64 {
	v, n := binary.Uvarint(in.data)
	if n <= 0 {
		in.fail()
		return 0
	}
	in.data = in.data[n:]
	return v
}

// count reads the number of texts that follow, each of which takes at least a byte.
func (in *input) count() int {
	n := in.uvarint()
	if n > uint64(len(in.data)) {
		in.fail()
		return 0
	}
	return int(n)
}

// take returns the next n bytes, or nil if there are fewer.
func (in *input) take(n int) []byte {
	if n < 0 || n > len(in.data) {
		in.fail()
		return nil
	}
	taken := in.data[:n]
	in.data = in.data[n:]
	return taken
}

// bits returns the next n bits, padded to whole bytes, and how many of them are set. Codecs
// call it before they allocate n values: it fails if n exceeds what the input can hold.
func (in *input) bits(n int) (set []bool, count int) {
	if n < 0 || n/8 > len(in.data) {
		in.fail()
		return nil, 0
	}
	taken := in.take((n + 7) / 8)
	if in.err != nil {
		return nil, 0
	}
	set = make([]bool, n)
	for i := range set {
		if taken[i/8]>>(i%8)&1 == 1 {
			set[i] = true
			count++
		}
	}
	return set, count
}

// appendBits is the reverse of bits.
func appendBits(out []byte, n int, set func(i int) bool) []byte {
	begin := len(out)
	out = append(out, make([]byte, (n+7)/8)...)
	for i := range n {
		if set(i) {
			out[begin+i/8] |= 1 << (i % 8)
		}
	}
	return out
}
