// Package growth has the kinds of functions whose energy Jalen Unit modelled by their parameters:
// ciphers by key and by message, strings by length, collections and matrices by size.
package growth

import (
	"crypto/aes"
	"crypto/cipher"
	"io"
	"math/big"
)

// A Key is one of RSA.
type Key struct{ Modulus, Public, Private *big.Int }

// NewKey makes a key of so many bits, an even number of 32 or more. It is for measuring: it is no safe key.
func NewKey(bits int, random io.Reader) (*Key, error) {
	one, public := big.NewInt(1), big.NewInt(65537)
	for {
		p, err := prime(bits/2, random)
		if err != nil {
			return nil, err
		}
		q, err := prime(bits/2, random)
		if err != nil {
			return nil, err
		}
		order := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		private := new(big.Int).ModInverse(public, order)
		if private == nil || p.Cmp(q) == 0 {
			continue
		}
		return &Key{new(big.Int).Mul(p, q), public, private}, nil
	}
}

// prime looks for a prime number from a random one on.
func prime(bits int, random io.Reader) (*big.Int, error) {
	bytes := make([]byte, (bits+7)/8)
	if _, err := io.ReadFull(random, bytes); err != nil {
		return nil, err
	}
	p := new(big.Int).SetBytes(bytes)
	p.Rsh(p, uint(8*len(bytes)-bits))
	p.SetBit(p.SetBit(p.SetBit(p, bits-1, 1), bits-2, 1), 0, 1)
	for two := big.NewInt(2); !p.ProbablyPrime(10); {
		p.Add(p, two)
	}
	return p, nil
}

// Encrypt is the message, a number below the modulus, raised to the public exponent.
func (k *Key) Encrypt(message *big.Int) *big.Int {
	return new(big.Int).Exp(message, k.Public, k.Modulus)
}

// Decrypt is what was encrypted.
func (k *Key) Decrypt(message *big.Int) *big.Int {
	return new(big.Int).Exp(message, k.Private, k.Modulus)
}

// Seal encrypts a message by AES in counter mode, with one key for both sides.
func Seal(key, message []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	sealed := make([]byte, len(message))
	cipher.NewCTR(block, make([]byte, block.BlockSize())).XORKeyStream(sealed, message)
	return sealed, nil
}
