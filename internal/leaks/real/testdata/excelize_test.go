//go:build go1.23

package excelize_test

import (
	"fmt"
	"testing"

	"github.com/360EntSecGroup-Skylar/excelize/v2"
)

func sheet(t *testing.T, rows int) *excelize.File {
	f := excelize.NewFile()
	for row := 1; row <= rows; row++ {
		for col, value := range []interface{}{row, fmt.Sprint("article ", row), float64(row) / 3, fmt.Sprint("note ", row%7), row%2 == 0} {
			cell, err := excelize.CoordinatesToCellName(col+1, row)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.SetCellValue("Sheet1", cell, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

func TestWorkloadShapes(t *testing.T) {
	f := sheet(t, 1000)
	for row := 100; row <= 1000; row += 5 {
		if err := f.AddShape("Sheet1", fmt.Sprint("H", row), `{"type": "rect", "paragraph": [{"text": "a note"}]}`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteToBuffer(); err != nil {
		t.Fatal(err)
	}
}

func TestWorkloadSheet(t *testing.T) {
	b, err := sheet(t, 2500).WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(b)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := f.GetRows("Sheet1"); err != nil || len(rows) != 2500 {
		t.Fatal(len(rows), err)
	}
}
