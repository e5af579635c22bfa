package runfile

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// A codec writes a list of values, and reads n of them. It returns n values, or sets the
// error of the input.
type codec[V any] struct {
	put func(out []byte, values []V) []byte
	get func(in *input, n int) []V
}

// floats are written as one bit for each value, 1 if it is not 0, then the first bytes of all
// values that are not 0, then their second bytes, and so on. So the bytes of exponents, which
// are alike, are next to each other.
func floats() codec[float64] {
	return codec[float64]{put: putFloats, get: getFloats}
}

func putFloats(out []byte, values []float64) []byte {
	out = appendBits(out, len(values), func(i int) bool { return math.Float64bits(values[i]) != 0 })
	var some []uint64
	for _, v := range values {
		if bits := math.Float64bits(v); bits != 0 {
			some = append(some, bits)
		}
	}
	out = slices.Grow(out, 8*len(some))
	for plane := range 8 {
		for _, bits := range some {
			out = append(out, byte(bits>>(8*plane)))
		}
	}
	return out
}

func getFloats(in *input, n int) []float64 {
	set, count := in.bits(n)
	planes := in.take(8 * count)
	if in.err != nil {
		return nil
	}
	values, k := make([]float64, n), 0
	for i := range values {
		if !set[i] {
			continue
		}
		var bits uint64
		for plane := range 8 {
			bits |= uint64(planes[plane*count+k]) << (8 * plane)
		}
		values[i] = math.Float64frombits(bits)
		k++
	}
	return values
}

// integers are written as differences from the value before, as signed varints of package
// encoding/binary.
func integers[V ~int | ~int32 | ~uint64]() codec[V] {
	return codec[V]{
		put: func(out []byte, values []V) []byte {
			before := V(0)
			for _, v := range values {
				out = binary.AppendVarint(out, int64(v)-int64(before))
				before = v
			}
			return out
		},
		get: func(in *input, n int) []V {
			if n < 0 || n > len(in.data) {
				in.fail()
				return nil
			}
			values, at := make([]V, n), int64(0)
			for i := range values {
				difference, length := binary.Varint(in.data)
				if at += difference; length <= 0 || int64(V(at)) != at {
					in.fail()
					return nil
				}
				in.data, values[i] = in.data[length:], V(at)
			}
			return values
		},
	}
}

// flags are written as one bit each.
func flags() codec[bool] {
	return codec[bool]{
		put: func(out []byte, values []bool) []byte {
			return appendBits(out, len(values), func(i int) bool { return values[i] })
		},
		get: func(in *input, n int) []bool {
			set, _ := in.bits(n)
			return set
		},
	}
}

// texts are written as their lengths in bytes, as varints, then the bytes of all.
func texts[V ~string]() codec[V] {
	return codec[V]{
		put: func(out []byte, values []V) []byte {
			for _, v := range values {
				out = binary.AppendUvarint(out, uint64(len(v)))
			}
			for _, v := range values {
				out = append(out, v...)
			}
			return out
		},
		get: func(in *input, n int) []V {
			lengths, total := in.lengths(n, 1)
			text := string(in.take(total)) // one string, of which all values are parts
			if in.err != nil {
				return nil
			}
			values := make([]V, n)
			for i, length := range lengths {
				values[i], text = V(text[:length]), text[length:]
			}
			return values
		},
	}
}

// words are texts with many repetitions. They are written as the number of different texts,
// as a varint, these texts in the order of their first use, and for each value the index of
// its text, as an integer.
func words[V ~string]() codec[V] {
	return codec[V]{
		put: func(out []byte, values []V) []byte {
			var different []V
			numbers, which := make(map[V]int32), make([]int32, len(values))
			for i, v := range values {
				number, ok := numbers[v]
				if !ok {
					number = int32(len(different))
					numbers[v], different = number, append(different, v)
				}
				which[i] = number
			}
			out = binary.AppendUvarint(out, uint64(len(different)))
			return integers[int32]().put(texts[V]().put(out, different), which)
		},
		get: func(in *input, n int) []V {
			different := texts[V]().get(in, in.count())
			values := make([]V, min(n, len(in.data)))
			for i, number := range integers[int32]().get(in, n) {
				if number < 0 || int(number) >= len(different) {
					in.fail()
					return nil
				}
				values[i] = different[number]
			}
			return values
		},
	}
}

// lengths reads n varints, and adds them up. It fails if the rest of the input is too short
// for so many values, at perByte values to a byte.
func (in *input) lengths(n, perByte int) (lengths []int, total int) {
	if n < 0 || n > len(in.data) {
		in.fail()
		return nil, 0
	}
	most := uint64(len(in.data)) * uint64(perByte)
	lengths = make([]int, n)
	for i := range lengths {
		length := in.uvarint()
		if length > most-uint64(total) {
			in.fail()
			return nil, 0
		}
		lengths[i], total = int(length), total+int(length)
	}
	return lengths, total
}

// pairs are written as all first values, then all second values.
func pairs[V any](c codec[V]) codec[[2]V] {
	return codec[[2]V]{
		put: func(out []byte, values [][2]V) []byte {
			for side := range 2 {
				one := make([]V, len(values))
				for i := range values {
					one[i] = values[i][side]
				}
				out = c.put(out, one)
			}
			return out
		},
		get: func(in *input, n int) [][2]V {
			first := c.get(in, n)
			second := c.get(in, n)
			if in.err != nil {
				return nil
			}
			values := make([][2]V, n)
			for i := range values {
				values[i] = [2]V{first[i], second[i]}
			}
			return values
		},
	}
}

// lists are written as their lengths, as varints, then the values of all. An empty list is
// read as nil.
func lists[V any](c codec[V]) codec[[]V] {
	return codec[[]V]{
		put: func(out []byte, values [][]V) []byte {
			for _, list := range values {
				out = binary.AppendUvarint(out, uint64(len(list)))
			}
			return c.put(out, slices.Concat(values...))
		},
		get: func(in *input, n int) [][]V {
			lengths, total := in.lengths(n, 8)
			all := c.get(in, total)
			if in.err != nil {
				return nil
			}
			values := make([][]V, n)
			for i, length := range lengths {
				if length > 0 {
					values[i], all = all[:length:length], all[length:]
				}
			}
			return values
		},
	}
}

// A field reads and writes one field of structs.
type field[S any] struct {
	put func(out []byte, values []S) []byte
	get func(in *input, values []S) // values are there
}

// fieldOf returns the field to which at points.
func fieldOf[S, V any](at func(*S) *V, c codec[V]) field[S] {
	column := columnOf("", at, c)
	return field[S]{
		put: func(out []byte, values []S) []byte { return append(out, column.put(values)...) },
		get: column.get,
	}
}

// structs are written as the values of the first field, then those of the second, and so on.
// The first field must take at least a byte for each value, so that no file can claim more
// values than it has bytes.
func structs[S any](fields ...field[S]) codec[S] {
	return codec[S]{
		put: func(out []byte, values []S) []byte {
			for _, f := range fields {
				out = f.put(out, values)
			}
			return out
		},
		get: func(in *input, n int) []S {
			if n < 0 || n > len(in.data) {
				in.fail()
				return nil
			}
			values := make([]S, n)
			for _, f := range fields {
				f.get(in, values)
			}
			return values
		},
	}
}

// tables are maps. They are written as the number of different keys, as a varint, the sorted
// keys as texts, and for each key one bit for every map, 1 if it has the key, and the values
// of those maps. An empty map is read as nil. The number of maps is not written: maps without
// keys take no bytes.
func tables[M ~map[K]V, K ~string, V any](c codec[V]) codec[M] {
	return codec[M]{
		put: func(out []byte, values []M) []byte {
			keys := keysOf(values)
			out = binary.AppendUvarint(out, uint64(len(keys)))
			out = texts[K]().put(out, keys)
			for _, key := range keys {
				out = putKey(out, values, key, c)
			}
			return out
		},
		get: func(in *input, n int) []M {
			keys := texts[K]().get(in, in.count())
			if in.err != nil {
				return nil
			}
			values := make([]M, n)
			for _, key := range keys {
				getKey(in, values, key, len(keys), c)
			}
			return values
		},
	}
}

func keysOf[M ~map[K]V, K ~string, V any](values []M) []K {
	all := make(map[K]bool)
	for _, m := range values {
		for key := range m {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func putKey[M ~map[K]V, K ~string, V any](out []byte, values []M, key K, c codec[V]) []byte {
	var some []V
	out = appendBits(out, len(values), func(i int) bool {
		v, ok := values[i][key]
		if ok {
			some = append(some, v)
		}
		return ok
	})
	return c.put(out, some)
}

func getKey[M ~map[K]V, K ~string, V any](in *input, values []M, key K, keys int, c codec[V]) {
	set, count := in.bits(len(values))
	some := c.get(in, count)
	if in.err != nil {
		return
	}
	for i, has := range set {
		if !has {
			continue
		}
		if values[i] == nil {
			values[i] = make(M, min(keys, 8))
		}
		values[i][key], some = some[0], some[1:]
	}
}
