package spell

// A tally says how the cells of a matrix add up: each adds width numbers to the
// sums of one row.
type tally struct {
	cells, rows, width int
	addends            int                            // that one sum gets, at most
	add                func(sums []sum, from, to int) // adds the cells from to to-1; row k has sums[k*width : (k+1)*width]
	row                func(cell int) int             // of a cell
	values             func(of []float64, cell int)   // the numbers of a cell
}

// sums returns the exact sums, each rounded once: those of row k are
// [k*width : (k+1)*width]. They do not depend on the number of workers.
func (t *tally) sums(workers int) []float64 {
	parts := make([][]sum, workers)
	inParts(t.cells, workers, func(part, from, to int) {
		parts[part] = make([]sum, t.rows*t.width)
		t.add(parts[part], from, to)
	})
	for _, part := range parts[1:] {
		for k := range part {
			parts[0][k].merge(part[k])
		}
	}
	sums := make([]float64, t.rows*t.width)
	var open []int // indices of sums
	for k := range sums {
		v, certain := parts[0][k].rounded(t.addends + 2*workers)
		sums[k] = v
		if !certain {
			open = append(open, k)
		}
	}
	t.settle(sums, open, workers)
	return sums
}

// settle finds some of the sums exactly, a few thousand in one pass over the
// cells: they take half a kilobyte each.
func (t *tally) settle(sums []float64, open []int, workers int) {
	const atOnce = 4096
	passes := (len(open) + atOnce - 1) / atOnce
	inParts(passes, min(passes, workers), func(_, from, to int) {
		for pass := from; pass < to; pass++ {
			t.settlePass(sums, open[pass*atOnce:min(len(open), (pass+1)*atOnce)])
		}
	})
}

// settlePass finds the sums of those indices, which rise.
func (t *tally) settlePass(sums []float64, open []int) {
	first := make([]int32, t.rows) // 1 + index in open of the first one of a row, 0 for none
	for k := len(open) - 1; k >= 0; k-- {
		first[open[k]/t.width] = int32(k + 1)
	}
	exactly := make([]exact, len(open))
	of := make([]float64, t.width)
	for i := range t.cells {
		row := t.row(i)
		k := int(first[row]) - 1
		if k < 0 {
			continue
		}
		t.values(of, i)
		for ; k < len(open) && open[k]/t.width == row; k++ {
			exactly[k].add(of[open[k]%t.width])
		}
	}
	for k, of := range open {
		sums[of] = exactly[k].value()
	}
}
