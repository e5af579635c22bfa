package toolkit

import (
	"strings"
	"testing"
)

// An input that never ends has an error before the memory is full.
func TestTooManyCells(t *testing.T) {
	row := "[ [ cpu = 37, n = 1, t = 75 ] ]\n"
	in := blocks{input: input{r: strings.NewReader(strings.Repeat(row, 3))}, size: blockSize, line: 1}
	rows := store{most: 2}
	readBlocks(&in, &rows)
	if rows.fault == nil || rows.fault.what != "there are more than 2 cells" {
		t.Errorf("the fault is %v", rows.fault)
	}
}
