package lsp

import "testing"

// Numbers in an editor are read in passing: three digits, a prefix that fits,
// nothing that looks like zero and is not.
func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		joules float64
		want   string
	}{
		{0, "0 J"}, {1234.5, "1235 J"}, {12, "12 J"}, {12.345, "12.3 J"}, {1, "1 J"}, {0.6, "0.6 J"}, {0.1234, "0.123 J"},
		{0.0994, "99.4 mJ"}, {0.01, "10 mJ"}, {0.0000456, "45.6 µJ"}, {1e-9, "1 nJ"}, {0.9996e-9, "1 nJ"}, {1e-12, "0.001 nJ"}, {1e-13, "<0.001 nJ"},
	} {
		if got := quantity(c.joules, "J"); got != c.want {
			t.Errorf("%g J is %q, must be %q", c.joules, got, c.want)
		}
	}
	for x, want := range map[float64]string{0: "0.00", 0.001: "<0.01", 0.005: "0.01", 0.414: "0.41", 1: "1.00"} {
		if got := share(x); got != want {
			t.Errorf("share %g is %q, must be %q", x, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0 calls", 1: "1 call", 1.5: "1.5 calls", 1e6: "1000000 calls", 2.3333: "2.33 calls"} {
		if got := plural(n, "call"); got != want {
			t.Errorf("%g calls are %q, must be %q", n, got, want)
		}
	}
}

// Go's names, and those of subtests that may be any text, must not be taken
// for markup.
func TestMarkdown(t *testing.T) {
	in := text{markdown: true}
	for name, want := range map[string]string{
		"p.(*T).M":    "`p.(*T).M`",
		"T/a_b*c*":    "`T/a_b*c*`",
		"T/a|b":       "T/a\\|b",
		"T/`_x_`":     "T/\\`\\_x\\_\\`",
		"T/a\n# head": "T/a # head",
		"T/<b>&lt;":   "`T/<b>&lt;`",
	} {
		if got := in.name(name); got != want {
			t.Errorf("%q is %q, must be %q", name, got, want)
		}
	}
	if got, want := in.words("<b>[x](y) ~a~ 5 % & 2*3"), `\<b\>\[x\](y) \~a\~ 5 % \& 2\*3`; got != want {
		t.Errorf("words are %q, must be %q", got, want)
	}
}
