package rewrite

import (
	"strings"
	"testing"
)

// Why: where the runtime runs deferred calls without a probe too, they are the function's own; where
// it does so only because of the probe, they are not.
func TestDefers(t *testing.T) {
	returns := strings.Repeat("if n > 1 { return }; ", 14)
	for why, tt := range map[string]struct {
		body string
		want bool
	}{
		"no deferred call":                 {"return", false},
		"one":                              {"defer f()", false},
		"one, and 15 returns with the end": {"defer f(); " + returns, false},
		"one, and 16":                      {"defer f(); return; " + returns, true},
		"two, and 15":                      {"defer f(); defer f(); " + returns, true},
		"nine":                             {strings.Repeat("defer f();", 9), true},
		"in a loop":                        {"for range n { if n > 1 { defer f() } }", true},
		"beside a loop":                    {"for range n { f() }; defer f()", false},
		"in a literal within a loop":       {"for range n { func() { defer f() }() }", false},
		"in a loop within a literal":       {"func() { for i := 0; i < n; i++ { defer f() } }()", true},
	} {
		f := parseOne(t, "p.go", []byte("package p\nfunc f() {}\nfunc F(n int) {\n"+tt.body+"\n}\n"))
		if got := f.Defers(1); got != tt.want {
			t.Errorf("%s: %t, want %t", why, got, tt.want)
		}
	}
}
