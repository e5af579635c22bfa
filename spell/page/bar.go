package page

import (
	"bytes"
	"math"
	"strings"
)

// A Segment is a part of a bar.
type Segment struct {
	Share  float64  // of the bar, 0 to 1
	Labels []string // the first that fits stands below
	Color  string   // "" for none
	Rest   bool     // all that has no segment of its own: the last segment, if it is there
}

// BarOptions say how a bar looks.
type BarOptions struct {
	Width int  // columns
	Color bool // ANSI colours
	ASCII bool // no block characters
}

// fills tell neighbouring segments apart without colour; the last one is that of the rest.
func (o BarOptions) fills() []string {
	if o.ASCII {
		return []string{"#", "=", "-", "."}
	}
	return []string{"█", "▓", "▒", "░"}
}

// Bar writes shares that add up to 1 as one line of blocks, and the labels below.
func Bar(b *bytes.Buffer, segments []Segment, o BarOptions) {
	fills, columns := o.fills(), apportion(segments, o.Width)
	for i, s := range segments {
		fill := fills[i%(len(fills)-1)]
		if s.Rest {
			fill = fills[len(fills)-1]
		}
		if columns[i] > 0 {
			b.WriteString(painted(Cell{strings.Repeat(fill, columns[i]), s.Color}, o.Color))
		}
	}
	b.WriteByte('\n')
	if line := labelLine(segments, columns, o.Width); line != "" {
		b.WriteString(line + "\n")
	}
}

// Gauge is a share from 0 to 1 as a bar of at most width columns, with blanks up to width.
func Gauge(share float64, width int, ascii bool) string {
	fill, n := BarOptions{ASCII: ascii}.fills()[0], int(math.Round(min(1, share)*float64(width)))
	if share > 0 {
		n = max(n, 1)
	}
	return strings.Repeat(fill, n) + strings.Repeat(" ", width-n)
}

// apportion gives each segment its share of the columns, rounded so that they add up; what
// is more than nothing gets one at least, where there is room.
func apportion(segments []Segment, width int) []int {
	columns := make([]int, len(segments))
	at, begin := 0.0, 0
	for i, s := range segments {
		at += s.Share
		end := min(width, int(math.Round(at*float64(width))))
		if s.Share > 0 && end <= begin && begin < width {
			end = begin + 1
		}
		columns[i] = max(0, end-begin)
		begin += columns[i]
	}
	return columns
}

// labelLine has a label at the start of each segment that has room for one. That of the rest
// ends with the bar.
func labelLine(segments []Segment, columns []int, width int) string {
	var b strings.Builder
	at, begin := 0, 0
	for i, s := range segments {
		for _, label := range s.Labels {
			w, start := DisplayWidth(label), begin
			if s.Rest {
				start = width - w
			}
			if room := w < columns[i] || s.Rest && columns[i] > 0 && (at == 0 || at < start); !room {
				continue
			}
			b.WriteString(strings.Repeat(" ", start-at) + Clean(label))
			at = start + w
			break
		}
		begin += columns[i]
	}
	return strings.TrimRight(b.String(), " ")
}
