package lsp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spell-lsp/spell/record"
)

// BenchmarkCodeActions reports the 99th percentile with 100,000 components.
func BenchmarkCodeActions(b *testing.B) {
	e, path := manyFunctions(b)
	percentile(b, func(int) { actionsAt(b, e, path, "F42(") })
}

// BenchmarkPull reports the 99th percentile for pulls of a file that each follow an edit.
func BenchmarkPull(b *testing.B) {
	e, path := manyFunctions(b, puller)
	percentile(b, func(i int) {
		if i%2 == 0 {
			e.Edit(path, "sum += j * 7", "sum += j *")
		} else {
			e.Edit(path, "sum += j *\n", "sum += j * 7\n")
		}
		pull(b, e, path, "")
	})
}

// BenchmarkRanking reports the 99th percentile for the top of the ranking of all results. An
// editor requests it whenever the results may have changed.
func BenchmarkRanking(b *testing.B) {
	e, _ := manyFunctions(b)
	percentile(b, func(int) {
		if _, err := e.Execute("spell-lsp.ranking", map[string]any{"top": 10, "sort": "psi", "all": true}).Wait(); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkResolve reports the 99th percentile for resolving one lens.
func BenchmarkResolve(b *testing.B) {
	e, path := openLarge(b, 1000)
	lenses := rawLenses(b, e, path)
	percentile(b, func(i int) { resolved(b, e, lenses[i%len(lenses)]) })
}

// BenchmarkPublish reports the time from a result of 5,000 functions, each with
// three callers, to the last diagnostic.
func BenchmarkPublish(b *testing.B) {
	files, costs := map[string]string{}, map[string]cost{}
	for f := range 500 {
		var text strings.Builder
		fmt.Fprintf(&text, "package p%d\n", f)
		for i := range 10 {
			fmt.Fprintf(&text, "\nfunc F%d(n int) (sum int) {\n%s\treturn sum\n}\n", i, strings.Repeat("\tfor j := range n {\n\t\tsum += j\n\t}\n", 5))
			costs[fmt.Sprintf("F%d", i)] = cost{n: float64(i + 1), ms: 1, joules: 0.001}
		}
		files[fmt.Sprintf("p%d/f.go", f)] = text.String()
	}
	l := newLab(costs)
	var made time.Time
	l.alter = func(run *record.Run) {
		for i := range run.Components {
			for caller := range 3 {
				run.CallTree = append(run.CallTree,
					record.CallNode{Parent: -1, Component: (i*7 + caller*1001) % len(run.Components)},
					record.CallNode{Parent: len(run.CallTree), Component: i, TimeMS: 1})
			}
		}
		made = time.Now()
	}
	dir := module(b, files)
	e, _ := serve(b, lspOptions(l))
	e.Folders = []string{dir}
	e.Start()
	e.Open(filepath.Join(dir, "p7", "f.go"))
	percentile(b, func(int) {
		measure(b, e)
		b.ReportMetric(float64(time.Since(made).Milliseconds()), "ms/published")
	})
	if n := len(e.Diagnostics(filepath.Join(dir, "p7", "f.go"))); n != 10 {
		b.Errorf("%d diagnostics", n)
	}
}
