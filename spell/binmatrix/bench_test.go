package binmatrix_test

import (
	"bytes"
	"testing"

	"spell-lsp/spell/binmatrix"
)

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	if err := binmatrix.Write(&text, large(), ""); err != nil {
		b.Fatal(err)
	}
	for name, read := range reads {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, _, err := read(bytes.NewReader(text.Bytes()), "m"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
