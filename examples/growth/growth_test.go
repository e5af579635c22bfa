package growth

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// seeded is a stream of bytes that is the same each time.
func seeded() *rand.ChaCha8 { return rand.NewChaCha8([32]byte{1}) }

func TestCiphers(t *testing.T) {
	random := seeded()
	for _, bits := range []int{64, 128, 512} {
		key, err := NewKey(bits, random)
		if err != nil || key.Modulus.BitLen() != bits {
			t.Fatalf("a key of %d bits: %v", bits, err)
		}
		message := big.NewInt(123456789)
		if secret := key.Encrypt(message); secret.Cmp(message) == 0 || key.Decrypt(secret).Cmp(message) != 0 {
			t.Errorf("%d bits: %v becomes %v", bits, secret, key.Decrypt(secret))
		}
	}
	if _, err := NewKey(128, strings.NewReader("short")); err == nil {
		t.Error("a key was made of 5 bytes")
	}
	secret, message := []byte("0123456789abcdef"), []byte("a message of 26 characters")
	sealed, err := Seal(secret, message)
	if err != nil || bytes.Equal(sealed, message) {
		t.Fatalf("sealed %q: %v", sealed, err)
	}
	if opened, err := Seal(secret, sealed); err != nil || !bytes.Equal(opened, message) {
		t.Errorf("opened %q: %v", opened, err)
	}
	if _, err := Seal(secret[:3], message); err == nil {
		t.Error("a key of 3 bytes is taken")
	}
}

func TestTexts(t *testing.T) {
	if got := Reverse("grün"); got != "nürg" {
		t.Errorf("reversed %q", got)
	}
	if got := Wrap(" to be  or not to be, incomprehensibly", 6); got != "to be\nor not\nto be,\nincomprehensibly" {
		t.Errorf("wrapped %q", got)
	}
	if got := Distance("kitten", "sitting"); got != 3 {
		t.Errorf("the distance is %d, want 3", got)
	}
	texts := []string{"a", "", "bc"}
	if a, b := Join(texts), JoinByAdding(texts); a != "a,,bc," || b != a {
		t.Errorf("joined %q and %q", a, b)
	}
}

func TestCollections(t *testing.T) {
	values := []int{3, 1, 3, 2}
	if got := Counts(values); !maps.Equal(got, map[int]int{1: 1, 2: 1, 3: 2}) {
		t.Errorf("counted %v", got)
	}
	if got := Sorted(values); !slices.Equal(got, []int{1, 2, 3, 3}) || values[0] != 3 {
		t.Errorf("sorted %v, of %v", got, values)
	}
	if got := LargestSum([]int{5, 8, 11}, 17); got != 16 {
		t.Errorf("the largest sum is %d, want 16", got)
	}
	for range Subsets(values) {
		break
	}
}

func TestMatrices(t *testing.T) {
	a, b := Matrix{{1, 2}, {3, 4}}, Matrix{{0, 1}, {1, 0}}
	for _, test := range []struct{ got, want Matrix }{
		{Add(a, b), Matrix{{1, 3}, {4, 4}}},
		{Multiply(a, b), Matrix{{2, 1}, {4, 3}}},
	} {
		if !slices.EqualFunc(test.got, test.want, slices.Equal) {
			t.Errorf("%v, want %v", test.got, test.want)
		}
	}
	for want, m := range map[float64]Matrix{-2: a, -1: b, 0: {{1, 2}, {2, 4}}} {
		if got := Determinant(m); math.Abs(got-want) > 1e-9 {
			t.Errorf("the determinant of %v is %v, want %v", m, got, want)
		}
	}
}

// of runs a benchmark for each size.
func of(b *testing.B, sizes []int, made func(n int) func()) {
	for _, n := range sizes {
		operation := made(n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				operation()
			}
		})
	}
}

func times(from, factor, count int) (sizes []int) {
	for range count {
		sizes = append(sizes, from)
		from *= factor
	}
	return sizes
}

var (
	lengths = times(64, 4, 6)
	sides   = times(6, 2, 6)
	bits    = []int{128, 192, 256, 384, 512, 768, 1024}
)

// Whatever numbers are tried, a prime is found sooner or later by chance: so each key is another.
func BenchmarkNewKey(b *testing.B) {
	random := seeded()
	of(b, bits, func(n int) func() {
		return func() {
			if _, err := NewKey(n, random); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func ciphers(b *testing.B, operation func(*Key, *big.Int) *big.Int) {
	random := seeded()
	of(b, bits, func(n int) func() {
		key, err := NewKey(n, random)
		if err != nil {
			b.Fatal(err)
		}
		message := new(big.Int).Rsh(key.Modulus, 1)
		return func() { operation(key, message) }
	})
}

func BenchmarkEncrypt(b *testing.B) { ciphers(b, (*Key).Encrypt) }
func BenchmarkDecrypt(b *testing.B) { ciphers(b, (*Key).Decrypt) }

func BenchmarkSeal(b *testing.B) {
	of(b, lengths, func(n int) func() {
		key, message := []byte("0123456789abcdef"), bytes.Repeat([]byte("message "), n/8)
		return func() {
			if _, err := Seal(key, message); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func words(n int) string { return strings.Repeat("energy ", n/7+1)[:n] }

func BenchmarkReverse(b *testing.B) {
	of(b, lengths, func(n int) func() { text := words(n); return func() { Reverse(text) } })
}

func BenchmarkWrap(b *testing.B) {
	of(b, lengths, func(n int) func() { text := words(n); return func() { Wrap(text, 72) } })
}

func BenchmarkDistance(b *testing.B) {
	for _, n := range times(16, 4, 3) {
		for _, m := range times(16, 4, 3) {
			x, y := words(n), Reverse(words(m))
			b.Run(fmt.Sprintf("n=%d/m=%d", n, m), func(b *testing.B) {
				for b.Loop() {
					Distance(x, y)
				}
			})
		}
	}
}

func names(n int) []string { return strings.Fields(words(7 * n)) }

func BenchmarkJoin(b *testing.B) {
	of(b, lengths, func(n int) func() { texts := names(n); return func() { Join(texts) } })
}

func BenchmarkJoinByAdding(b *testing.B) {
	of(b, times(16, 3, 6), func(n int) func() { texts := names(n); return func() { JoinByAdding(texts) } })
}

func BenchmarkCounts(b *testing.B) {
	of(b, lengths, func(n int) func() { values := rand.Perm(n); return func() { Counts(values) } })
}

func BenchmarkSorted(b *testing.B) {
	of(b, lengths, func(n int) func() { values := rand.Perm(n); return func() { Sorted(values) } })
}

func BenchmarkLargestSum(b *testing.B) {
	of(b, []int{2, 5, 8, 11, 14, 17}, func(n int) func() { values := rand.Perm(n); return func() { LargestSum(values, n) } })
}

func matrix(n int) Matrix {
	m := empty(n)
	for i := range m {
		for j := range m[i] {
			m[i][j] = rand.Float64()
		}
	}
	return m
}

func BenchmarkAdd(b *testing.B) {
	of(b, sides, func(n int) func() { x, y := matrix(n), matrix(n); return func() { Add(x, y) } })
}

func BenchmarkMultiply(b *testing.B) {
	of(b, sides, func(n int) func() { x, y := matrix(n), matrix(n); return func() { Multiply(x, y) } })
}

func BenchmarkDeterminant(b *testing.B) {
	of(b, sides, func(n int) func() { m := matrix(n); return func() { Determinant(m) } })
}
