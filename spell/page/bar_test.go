package page_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"spell-lsp/spell/page"
)

func bar(o page.BarOptions, segments ...page.Segment) string {
	var b bytes.Buffer
	page.Bar(&b, segments, o)
	return b.String()
}

func labelled(share float64, labels ...string) page.Segment {
	return page.Segment{Share: share, Labels: labels}
}

// The bar is as long as asked for whatever the rounding, and labels never overlap.
func TestBar(t *testing.T) {
	rest := page.Segment{Share: 0.25, Labels: []string{"12 others"}, Rest: true}
	got := bar(page.BarOptions{Width: 40, ASCII: true}, labelled(0.5, "1 Sort", "1"), labelled(0.2, "2 (*Park).Oldest", "2"), labelled(0.05, "3 Add", "3"), rest)
	if want := "####################========--..........\n1 Sort              2       3  12 others\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, shares := range [][]float64{{1}, {0.333, 0.333, 0.334}, {0.999, 0.0005, 0.0005}, {1e-9, 1 - 1e-9}, {0.5, 0.5, 0}} {
		var segments []page.Segment
		for _, s := range shares {
			segments = append(segments, labelled(s, "a long label", "x"))
		}
		line, labels, _ := strings.Cut(bar(page.BarOptions{Width: 20}, segments...), "\n")
		if n := utf8.RuneCountInString(line); n != 20 {
			t.Errorf("%v: the bar has %d columns, want 20: %s", shares, n, line)
		}
		if n := utf8.RuneCountInString(strings.TrimSuffix(labels, "\n")); n > 20 {
			t.Errorf("%v: the labels have %d columns: %s", shares, n, labels)
		}
	}
}

// Neighbours can be told apart without colour.
func TestBarWithoutColour(t *testing.T) {
	got := bar(page.BarOptions{Width: 8}, labelled(0.5), page.Segment{Share: 0.25, Color: page.Red}, page.Segment{Share: 0.25, Rest: true})
	if got != "████▓▓░░\n" {
		t.Errorf("got %q", got)
	}
}

func TestGauge(t *testing.T) {
	for share, want := range map[float64]string{0: "    ", 0.001: "#   ", 0.5: "##  ", 1: "####", 1.5: "####"} {
		if got := page.Gauge(share, 4, true); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
