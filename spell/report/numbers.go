package report

import "strconv"

// digits is the precision of numbers in the page, which is more than the page shows.
const digits = 6

// numbers have a short form in JSON, because a page may have millions.
type numbers []float64

// MarshalJSON writes the numbers with the significant digits that the page needs.
func (n numbers) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+8*len(n)), '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if v == float64(int32(v)) {
			b = strconv.AppendInt(b, int64(v), 10)
		} else {
			b = strconv.AppendFloat(b, v, 'g', digits, 64)
		}
	}
	return append(b, ']'), nil
}

// An index numbers strings in the order of their first use.
type index struct {
	List []string
	at   map[string]int
}

func newIndex() *index { return &index{[]string{}, make(map[string]int)} }

func (x *index) of(s string) int {
	i, known := x.at[s]
	if !known {
		i = len(x.List)
		x.at[s], x.List = i, append(x.List, s)
	}
	return i
}
