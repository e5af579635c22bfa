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
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, _, err := binmatrix.Read(bytes.NewReader(text.Bytes()), "m"); err != nil {
			b.Fatal(err)
		}
	}
}
