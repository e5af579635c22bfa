package growth_test

import (
	"reflect"
	"testing"

	"spell-lsp/spell/growth"
)

func TestSeriesOfNames(t *testing.T) {
	one := func(name, key string, first int, sizes ...float64) growth.Series {
		s := growth.Series{Name: name, Keys: []string{key}}
		for i, n := range sizes {
			s.Members = append(s.Members, growth.Member{Index: first + i, Sizes: []float64{n}})
		}
		return s
	}
	for _, test := range []struct {
		why   string
		names []string
		want  []growth.Series
	}{
		{"a key", []string{"BenchmarkA/n=10", "BenchmarkA/n=100", "BenchmarkA/n=1000"}, []growth.Series{one("BenchmarkA/n=*", "n", 0, 10, 100, 1000)}},
		{"numbers alone", []string{"BenchmarkA", "BenchmarkA/1", "BenchmarkA/2", "BenchmarkA/4"}, []growth.Series{one("BenchmarkA/*", "", 1, 1, 2, 4)}},
		{"a word tells series apart", []string{
			"BenchmarkA/fast/n=1", "BenchmarkA/fast/n=2", "BenchmarkA/fast/n=3", "BenchmarkA/slow/n=1", "BenchmarkA/slow/n=2", "BenchmarkA/slow/n=3",
		}, []growth.Series{one("BenchmarkA/fast/n=*", "n", 0, 1, 2, 3), one("BenchmarkA/slow/n=*", "n", 3, 1, 2, 3)}},
		{"a key with two values tells series apart", []string{
			"BenchmarkA/p=1/n=1", "BenchmarkA/p=1/n=2", "BenchmarkA/p=1/n=3", "BenchmarkA/p=2/n=1", "BenchmarkA/p=2/n=2", "BenchmarkA/p=2/n=3",
		}, []growth.Series{one("BenchmarkA/p=1/n=*", "n", 0, 1, 2, 3), one("BenchmarkA/p=2/n=*", "n", 3, 1, 2, 3)}},
		{"two sizes", []string{"BenchmarkA/n=1/m=5", "BenchmarkA/n=2/m=7", "BenchmarkA/n=3/m=9"}, []growth.Series{{
			Name: "BenchmarkA/n=*/m=*", Keys: []string{"n", "m"},
			Members: []growth.Member{{Index: 0, Sizes: []float64{1, 5}}, {Index: 1, Sizes: []float64{2, 7}}, {Index: 2, Sizes: []float64{3, 9}}},
		}}},
		{"a key with a word among its values is no size", []string{"BenchmarkA/n=1", "BenchmarkA/n=2", "BenchmarkA/n=3", "BenchmarkA/n=all"}, nil},
		{"two values are too few", []string{"BenchmarkA/n=1", "BenchmarkA/n=2"}, nil},
		{"benchmarks do not mix", []string{"BenchmarkA/n=1", "BenchmarkB/n=2", "BenchmarkC/n=3"}, nil},
		{"an import path is no size, and keys of its benchmarks are their own", []string{
			"example.com/1.BenchmarkA/n=1", "example.com/1.BenchmarkA/n=2", "example.com/1.BenchmarkA/n=3",
			"example.com/2.BenchmarkA/n=all", "example.com/3.BenchmarkA",
		}, []growth.Series{one("example.com/1.BenchmarkA/n=*", "n", 0, 1, 2, 3)}},
		{"no positive integers", []string{"BenchmarkA/n=0", "BenchmarkA/n=-1", "BenchmarkA/n=+2", "BenchmarkA/n=1.5", "BenchmarkA/n="}, nil},
		{"nothing", nil, nil},
	} {
		got := growth.FindSeries(test.names)
		if len(got)+len(test.want) > 0 && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n%+v, want\n%+v", test.why, got, test.want)
		}
	}
}
