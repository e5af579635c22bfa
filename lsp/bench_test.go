package lsp_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
)

// manyFunctions opens and measures a module of 1,000 files with 100 functions each.
func manyFunctions(b *testing.B, setUp ...func(*lsptest.Editor)) (*lsptest.Editor, string) {
	b.Helper()
	files, costs := map[string]string{}, map[string]cost{}
	for f := range 1000 {
		var text strings.Builder
		fmt.Fprintf(&text, "package p%d\n", f)
		for i := range 100 {
			fmt.Fprintf(&text, "\nfunc F%d(n int) (sum int) {\n\tfor j := range n {\n\t\tsum += j * %d\n\t}\n\treturn sum\n}\n", i, f)
			costs[fmt.Sprintf("F%d", i)] = cost{n: float64(i + 1), ms: 1, joules: 0.001}
		}
		files[fmt.Sprintf("p%d/f.go", f)] = text.String()
	}
	dir := module(b, files)
	e, _ := serve(b, lspOptions(newLab(costs)))
	e.Folders = []string{dir}
	for _, f := range setUp {
		f(e)
	}
	e.Start()
	path := filepath.Join(dir, "p7", "f.go")
	e.Open(path)
	measure(b, e)
	return e, path
}

// BenchmarkHover reports the 99th percentile with 100,000 components.
func BenchmarkHover(b *testing.B) {
	e, path := manyFunctions(b)
	percentile(b, func(int) { e.Hover(path, "F42(") })
}

// BenchmarkLenses reports the 99th percentile for the lenses of a file.
func BenchmarkLenses(b *testing.B) {
	e, path := manyFunctions(b)
	percentile(b, func(int) { e.Lenses(path) })
}

// BenchmarkHoverWhileTyping reports the 99th percentile for hovers that each follow an edit.
func BenchmarkHoverWhileTyping(b *testing.B) {
	e, path := manyFunctions(b)
	percentile(b, func(i int) {
		if i%2 == 0 {
			e.Edit(path, "sum += j * 7", "sum += j *")
		} else {
			e.Edit(path, "sum += j *\n", "sum += j * 7\n")
		}
		e.Hover(path, "F42(")
	})
}

func percentile(b *testing.B, f func(i int)) {
	b.Helper()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		begun := time.Now()
		f(i)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms/p99")
}
