//go:build go1.23

package table_test

import (
	"fmt"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
)

func TestWorkloadTable(t *testing.T) {
	w := table.NewWriter()
	w.AppendHeader(table.Row{"ID", "Name", "Price"})
	for i := range 2000 {
		w.AppendRow(table.Row{i, fmt.Sprint("article ", i%90), float64(i) / 3})
	}
	w.SortBy([]table.SortBy{{Name: "Price", Mode: table.DscNumeric}})
	for range 30 {
		if w.RenderCSV() == "" || w.RenderHTML() == "" {
			t.Fatal("empty")
		}
	}
	w.FilterBy([]table.FilterBy{{Name: "Name", Operator: table.RegexMatch, Value: `^article (1|2|3)\d?$`}})
	for range 4 {
		if w.RenderCSV() == "" {
			t.Fatal("nothing matches")
		}
	}
}
