package gzoltar_test

import (
	"strings"
	"testing"

	"spell-lsp/spell/gzoltar"
)

// Whatever the files, reading them does not panic, and what is taken is valid.
func FuzzRead(f *testing.F) {
	f.Add(midMatrix, midSpectra(), midTests)
	f.Add("1 0 +\n0 1 -\n", "a\na\n", "name\nname,outcome\n")
	f.Add("1 0 +\n0 1 -\n", "name\nb\n", "A,PASS\nA,PASS,FAIL\n")
	f.Add("\ufeff1 +\r\n\r\n", "\ufeffp.C#12\r\n", " A ,PASS,1,\u0085x,FAIL\r\n")
	f.Add("+\n-", "", "name,outcome\nA,PASS\nA (2),FAIL,")
	f.Add("+", "0", "0")
	f.Add("1 +\n", "C", " ,PAES,1,A ,PASS ,PASS,1,\u00859x")
	f.Add("1 -", "p$C#m():3 (2)", "\u00a0,x")
	f.Fuzz(func(t *testing.T, matrix, spectra, tests string) {
		s, err := gzoltar.Read(strings.NewReader(matrix), "m")
		if err != nil {
			return
		}
		_ = s.NameComponents(strings.NewReader(spectra), "s") // an error leaves it as it was
		_ = s.NameTests(strings.NewReader(tests), "t")
		if err := s.Matrix.Validate(); err != nil {
			t.Fatalf("Read took what is not valid: %v", err)
		}
		if len(s.Failed) != len(s.Matrix.Tests) {
			t.Fatalf("%d outcomes for %d tests", len(s.Failed), len(s.Matrix.Tests))
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat(strings.Repeat("0 ", 9_900)+strings.Repeat("1 ", 100)+"+\n", 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gzoltar.Read(strings.NewReader(text), ""); err != nil {
			b.Fatal(err)
		}
	}
}
